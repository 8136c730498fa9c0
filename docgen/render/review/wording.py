"""Words and numbers that all formats of a review share; plain text, not escaped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wirebook.rules.diff.kinds import TEXT
from wirebook.rules.review.consequences import COLUMNS, Cause, Consequence
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview, MessageOverview
from wirebook.rules.review.review import ReviewReport, number
from wirebook.specs.versions import Versions, counted

WAIVING = "To accept a finding, add its --waive to this command, and append the output to waivers.toml:"
FINDINGS, CHANGED, MISSING, WHO, PAGES = (
    "Findings",
    "What changed",
    "What is missing",
    "Who must act",
    "Pages of the reference",
)
HEADS = ("message", "versions", "smallest size in bytes, by version", "next free tag")
SENTENCES = 3  # as many consequences of one cause are sentences; more are a table


class Table(NamedTuple):
    """Column headings and rows."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]


def table_of(cause: Cause, items: list[Consequence]) -> Table | None:
    """The consequences of one cause as a table; None if sentences serve better."""
    columns = COLUMNS.get(cause)
    if columns is None or len(items) <= SENTENCES:
        return None
    rows = [(consequence.api, *consequence.cells) for consequence in items]
    # Without the tables of Kafka's releases, some columns are empty.
    filled = [
        0,
        *(position + 1 for position in range(len(columns)) if any(row[position + 1] for row in rows)),
    ]
    heads = ("API", *columns)
    return Table(tuple(heads[at] for at in filled), [tuple(row[at] for at in filled) for row in rows])


def sentences_of(items: Iterable[Consequence]) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences of some consequences, each with the APIs that it is about."""
    apis_by_words: dict[str, list[str]] = {}
    for consequence in items:
        apis_by_words.setdefault(consequence.words, []).append(consequence.api)
    return [(words, tuple(dict.fromkeys(apis))) for words, apis in apis_by_words.items()]


def message_row(item: MessageOverview) -> tuple[str, str, str, str]:
    """A message under HEADS."""
    tags = "; ".join(f"{path or 'top level'}: {tag}" for path, tag in item.free_tags)
    sizes = "; ".join(size_of(layout) for layout in item.layouts)
    return item.message.name, versions_of(item.old, item.new), sizes, tags


def versions_of(old: Versions | None, new: Versions | None) -> str:
    """The versions of a message on both sides: "0-17 → 4-17", "new: 0-1", "removed: 0-3", "0-17"."""
    if old is None or new is None:
        return f"new: {new}" if old is None else f"removed: {old}"
    return str(new) if old == new else f"{old} → {new}"


def size_of(layout: LayoutDiff) -> str:
    """The smallest sizes of some versions: "4-11: 12 → 14; 12-17: 9", or of a new one "18: 33 (17: 32)"."""
    parts = []
    for versions, before, after in layout.sizes:
        if layout.added and layout.old is not None:
            parts.append(f"{versions}: {after} ({layout.old.version}: {before})")
        else:
            parts.append(
                f"{versions}: {after}" if before in (None, after) else f"{versions}: {before} → {after}"
            )
    return "; ".join(parts)


def layout_title(layout: LayoutDiff) -> str:
    """The title of a comparison of two layouts."""
    name = layout.new.name
    if layout.old is None:
        return f"{name} version {layout.new.version}, new"
    if layout.added:
        return f"{name} version {layout.new.version}, new, against version {layout.old.version}"
    more = f" ({layout.new.version} shown)" if len(layout.versions) > 1 else ""
    return f"{name} {counted(layout.versions)}, before and after{more}"


def nature_of(layout: LayoutDiff) -> str:
    """Whether a version is flexible, and its header."""
    header = layout.new.header_version
    behind = "" if header is None else f", {layout.new.type} header version {header}"
    return f"{'Flexible' if layout.new.flexible else 'Not flexible'}{behind}."


def notes_title(review: ReviewReport) -> str:
    """What the notes are folded under."""
    return f"{len(review.notes)} for information"


def implied_of(api: ApiOverview) -> str:
    """The sentence on fields that are removed with their versions; "" for none."""
    if not api.implied:
        return ""
    return (
        f"{number(api.implied, 'field')} that only the removed versions had {_be(api.implied)} removed too."
    )


def others_of(review: ReviewReport) -> list[str]:
    """What is only counted: APIs of patterns, and changes of text. Code is between backticks."""
    sentences = []
    more = review.other_apis
    if more:
        have = "has" if more == 1 else "have"
        sentences.append(f"{more} of these APIs {have} no other changes, except of text.")
    if review.text_changes:
        apis = {
            (change.message.type, change.message.name)
            for change in review.changes
            if change.message and change.effect == TEXT
        }
        what = number(review.text_changes, "change")
        sentences.append(
            f"{what} of text only (descriptions, comments, unknown keys) in {number(len(apis), 'message')}: "
            f"`wirebook changes OLD NEW --only text` lists {'it' if review.text_changes == 1 else 'them'}."
        )
    return sentences


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
