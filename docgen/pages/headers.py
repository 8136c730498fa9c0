"""The headers before messages, as pages and test vectors show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from wirebook.docgen.catalog.protocol import HeaderFieldsRecord, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.specs.codec import Codec, codec
from wirebook.specs.exported import ExportedField, ExportedLayout
from wirebook.specs.kafka.headers import has_header, header_layout, header_layouts
from wirebook.specs.kafka.profile import kafka_profile
from wirebook.specs.profile import header_name

_NO_FIELDS = HeaderFieldsRecord()


class HeaderShape(NamedTuple):
    """A version of a header, its codec, and the fields of one that is not embedded."""

    name: str
    version: int
    codec: Codec
    fields: tuple[ExportedField, ...] = ()


class ProtocolHeaders:
    """The headers of a protocol: those of its own specs of type header, or the embedded ones of
    Kafka's.

    `fields` are the names of their fields by role.
    """

    def __init__(
        self,
        own: Mapping[tuple[str, int], ExportedLayout] | None = None,
        fields: HeaderFieldsRecord = _NO_FIELDS,
    ) -> None:
        self._own = own
        self.fields = fields
        self._known: dict[tuple[str, int], HeaderShape | None] = {}

    @classmethod
    def of(cls, documents: Iterable[ApiDocument], protocol: ProtocolRecord) -> ProtocolHeaders:
        """The headers of a catalog, as `encode --header` has them: the messages RequestHeader,
        ResponseHeader and so on, which a protocol may lack. Kafka and its forks have the embedded
        ones.
        """
        if protocol.headers:
            return EMBEDDED
        kinds = {header_name(kind): kind for kind in protocol.header_types}
        return cls(
            {
                (kinds[message.name], number): version.layout
                for document in documents
                for message in document.messages
                if message.type == "header" and message.name in kinds
                for number, version in message.versions.items()
            },
            protocol.header_fields,
        )

    def shape(self, message_type: str, version: int | None) -> HeaderShape | None:
        """A version of the header before messages of a type; None if there is none."""
        if version is None:
            return None
        if self._own is None:
            return _embedded(message_type, version) if has_header(message_type, version) else None
        key = (message_type, version)
        if key not in self._known:
            layout = self._own.get(key)
            self._known[key] = layout and HeaderShape(
                layout.message, version, codec(layout), layout.fields
            )
        return self._known[key]

    def layouts(self, message_type: str) -> Iterator[ExportedLayout]:
        """Every version of the header before messages of a type, lowest first."""
        if self._own is None:
            yield from (layout.exported() for layout in header_layouts(message_type))
            return
        for (kind, _), layout in sorted(self._own.items()):
            if kind == message_type:
                yield layout

    def names_message(self, message_type: str) -> bool:
        """Whether each version of the header before messages of a type has both their key and
        version."""
        roles = {self.fields.api_key, self.fields.api_version}
        versions = [
            {field.name for field in layout.fields} for layout in self.layouts(message_type)
        ]
        return bool(versions) and "" not in roles and all(roles <= names for names in versions)


@cache
def _embedded(message_type: str, version: int) -> HeaderShape:
    header = header_layout(message_type, version)
    return HeaderShape(header.name, version, codec(header))


EMBEDDED = ProtocolHeaders(None, HeaderFieldsRecord(*kafka_profile().header_fields))
