"""Names of APIs and error codes in a sentence, as links to their places in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from wirebook.docgen.catalog.errors import DescribedError
from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.render.links import anchor
from wirebook.specs.printable import visible

# An error code in capitals, or a name of humps. "Fetch" and "Produce" begin sentences as verbs, too.
_NAME = re.compile(
    r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:[A-Z][a-z]+){2,}\b"
    r"|(?<=[a-z,;:] )[A-Z][a-z]+\b|(?<=\()[A-Z][a-z]+\b"
)


@dataclass(frozen=True)
class Mentions:
    """What may be linked to: the slug of each API by its name, and the names of error codes."""

    apis: Mapping[str, str] = field(default_factory=dict)
    errors: frozenset[str] = frozenset()

    @classmethod
    def of(cls, apis: Iterable[IndexRow], errors: Iterable[DescribedError]) -> Mentions:
        """Of the rows of the index, and of the registry of error codes."""
        return cls({row.api: row.slug for row in apis}, frozenset(row.name for row in errors))

    def linked(self, text: str, root: str, without: str = "") -> Markup:
        """A text of a spec, escaped, with links as of a page with this `root`; none to the API `without`."""
        made, end = Markup(""), 0
        for found in _NAME.finditer(text):
            place = self._place(found[0]) if found[0] != without else ""
            if place:
                made += escape(visible(text[end : found.start()]))
                made += Markup('<a href="{}{}">{}</a>').format(root, place, found[0])
                end = found.end()
        return made + escape(visible(text[end:]))

    def _place(self, name: str) -> str:
        if name in self.errors:
            return f"errors/#{anchor(name)}"
        return f"api/{self.apis[name]}/" if name in self.apis else ""
