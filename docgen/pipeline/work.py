"""What Spark's executors run, as plain functions over rows."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from wirebook.docgen.catalog.api_history import Context, EventRow, StateText
from wirebook.docgen.catalog.documents import build_document
from wirebook.docgen.catalog.files import encoded
from wirebook.docgen.catalog.records import IndexRow
from wirebook.docgen.catalog.rows import CatalogLevels, TextRow, text_row
from wirebook.docgen.catalog.snapshot_summaries import InSnapshots
from wirebook.docgen.catalog.subject_texts import Text
from wirebook.specs.profile import Profile

if TYPE_CHECKING:
    from pyspark.sql import Row


@contextmanager
def no_cycles() -> Iterator[None]:
    """Python's search for cycles halves the speed at which trees are built, and finds none in them."""
    gc.disable()
    try:
        yield
    finally:
        # Without this, enabling it begins with a search through all trees: they count as searched.
        gc.freeze()
        gc.unfreeze()
        gc.enable()


def parse_texts(
    levels: CatalogLevels | None, profile: Profile
) -> Callable[[Iterable[tuple[str, str, bytes]]], Iterator[TextRow]]:
    """A function from (digest, path, text) to rows of docgen.pipeline.schemas.PARSED."""

    def parse(texts: Iterable[tuple[str, str, bytes]]) -> Iterator[TextRow]:
        with no_cycles():
            for digest, path, text in texts:
                yield text_row(digest, path, text, levels, profile)

    return parse


class Document(NamedTuple):
    """The document of a subject as a file, its row of the index, and where it is present."""

    text: bytes
    row: IndexRow
    presence: InSnapshots


class SubjectResult(NamedTuple):
    """A subject, its events and its document."""

    subject: str
    events: Sequence[EventRow]
    document: Document


def make_documents(
    context: Context, slugs: Mapping[str, str]
) -> Callable[[Iterable[Row]], Iterator[SubjectResult]]:
    """A function from the gathered texts of a subject, and what snapshots hold of it, to its result."""

    def make(rows: Iterable[Row]) -> Iterator[SubjectResult]:
        with no_cycles():
            for subject, text_rows, entries in rows:
                if subject not in slugs:
                    continue
                texts = [Text(*row) for row in text_rows]
                contents = [StateText(*row) for row in entries or ()]
                document, index, happened = build_document(slugs[subject], contents, texts, context)
                text = encoded(document) + b"\n"
                presence = InSnapshots.of(document, is_by_specs=context.is_by_specs)
                yield SubjectResult(subject, happened, Document(text, index, presence))

    return make
