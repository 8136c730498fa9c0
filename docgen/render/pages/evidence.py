"""How many statements of the descriptions name a source, and of which kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wirebook.docgen.catalog.records import ApiDocument
from wirebook.specs.kafka.kips import numbers_in

# The kinds of sources, best first.
CODE, FIELD, PROPOSAL, GENERAL, INFERRED, NONE = "code", "field", "proposal", "general", "inferred", "none"
KINDS = (CODE, FIELD, PROPOSAL, GENERAL, INFERRED, NONE)
_CODE_NAMED = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """How many statements of one sort have each kind of source."""

    title: str
    counts: Counter[str]

    @property
    def all(self) -> int:
        """The number of the statements."""
        return self.counts.total()


def evidence(documents: Iterable[ApiDocument]) -> list[SourceCounts]:
    """The sources of all statements, by what the statements are about, and in total.

    A statement has code if it cites some, or names an error code that its API returns according to code.
    Otherwise it may be about a field that some code sets and reads, name a proposal, or have nothing but the
    code of its API.
    """
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        if document.verified:
            for title, kind in _of_document(document):
                counts.setdefault(title, Counter())[kind] += 1
    rows = [SourceCounts(title, of_title) for title, of_title in counts.items()]
    total = SourceCounts("All", sum((row.counts for row in rows), Counter[str]()))
    return [*rows, total] if rows else []


def _of_document(document: ApiDocument) -> Iterator[tuple[str, str]]:
    """The statements of a document: what each is about, and the kind of its source."""
    cited = {each.text: each for each in document.cited}
    returned = {error.name for error in document.errors if error.code and not error.inferred}

    def kind(text: str) -> str:
        source = cited.get(text)
        if source is not None and source.inferred:
            return INFERRED
        if not returned.isdisjoint(_CODE_NAMED.findall(text)) or (source is not None and not source.of_field):
            return CODE
        if source is not None:
            return FIELD
        if numbers_in(text):
            return PROPOSAL
        return GENERAL if document.code else NONE

    yield from ((title, kind(text)) for title, text in _texts(document) if text)
    for error in document.errors:
        yield "Errors", INFERRED if error.inferred else CODE if error.code else kind(error.source)


def _texts(document: ApiDocument) -> Iterator[tuple[str, str]]:
    yield "Purpose and use", document.purpose
    for text in document.use:
        yield "Purpose and use", text
    for text in document.pitfalls:
        yield "Pitfalls", text
    for version in document.versions:
        yield "Versions", version.about
        yield "Versions", version.requires
    abouts = {
        (message.name, field.path, field.about)
        for message in document.messages
        for each in message.versions.values()
        for field in each.layout.walk()
    }
    yield from (("Fields", about) for _, _, about in sorted(abouts))
