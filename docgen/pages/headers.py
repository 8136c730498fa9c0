"""The headers before messages, as pages and test vectors show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.kafka.registry import embedded_message
from wirebook.specs.kafka.texts import with_texts
from wirebook.specs.layout import Layout, layouts
from wirebook.specs.profile import HALVES, HeaderFields


@dataclass(frozen=True, slots=True)
class ProtocolHeaders:
    """The layouts of the headers of a protocol by the type of the messages that they precede and
    their version, and the names of their fields by role."""

    by_version: Mapping[tuple[str, int], Layout]
    fields: HeaderFields

    @classmethod
    def of(cls, documents: Iterable[ApiDocument], protocol: ProtocolRecord) -> ProtocolHeaders:
        """The headers of a catalog, as `encode --header` has them: the messages RequestHeader and
        ResponseHeader, which a protocol may lack. Kafka and its forks have the embedded ones.
        """
        if protocol.headers:
            return embedded_headers()
        kinds = {f"{kind.capitalize()}Header": kind for kind in HALVES}
        found = {}
        for document in documents:
            for message in document.messages:
                if message.type == "header" and message.name in kinds:
                    for number, version in message.versions.items():
                        found[kinds[message.name], number] = version.layout
        return cls(found, protocol.header_fields)

    def before(self, layout: Layout) -> Layout | None:
        """The header before a message; None if it has none, or one whose layout is not known."""
        if layout.header_version is None:
            return None
        return self.by_version.get((layout.type, layout.header_version))

    def layouts(self, message_type: str) -> list[Layout]:
        """Every version of the header before messages of a type, lowest first."""
        return [each for (kind, _), each in sorted(self.by_version.items()) if kind == message_type]

    def names_message(self, message_type: str) -> bool:
        """Whether all headers before messages of a type have both their key and version."""
        layouts = self.layouts(message_type)
        names = [{field.name for field in layout.fields} for layout in layouts]
        roles = {self.fields.api_key, self.fields.api_version}
        return bool(names) and all(roles <= each for each in names)


@cache
def embedded_headers() -> ProtocolHeaders:
    """The headers of Kafka's requests and responses."""
    by_version = {
        (kind, layout.version): layout
        for kind in HALVES
        for layout in layouts(with_texts(embedded_message(f"{kind.capitalize()}Header")))
    }
    return ProtocolHeaders(by_version, kafka_profile().headers.fields)
