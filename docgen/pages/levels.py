"""The levels of a protocol, such as Kafka's metadata.version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirebook.docgen.catalog.protocol import LevelRecord
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


def pages(book: Book) -> Iterator[Page]:
    """The page of the levels, of a protocol that has any."""
    is_feature = any(level.feature_level is not None for level in book.levels)
    title = "Levels of metadata.version" if is_feature else f"{book.protocol.level_title}s"
    if book.levels:
        template = "levels.html.jinja"
        yield book.page(
            template,
            "levels/",
            title,
            section="Protocol",
            is_feature=is_feature,
            lowest=_lowest(book.levels),
        )


def _lowest(levels: Iterable[LevelRecord]) -> dict[str, str]:
    """The lowest level to which each can be lowered, by name: the newest one that changed the
    metadata, up to the level itself (MetadataVersion.checkIfMetadataChanged)."""
    lowest, changed = {}, ""
    for level in levels:
        if level.metadata_changed:
            changed = level.version
        lowest[level.version] = changed
    return lowest
