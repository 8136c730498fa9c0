"""What changed, API by API: versions, sizes, free tags, changes and layouts of both halves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from wirebook.rules.diff.kinds import TEXT, ProtocolChange
from wirebook.rules.report.changes import by_api
from wirebook.rules.review.layouts import LayoutDiff, free_tags, layout_diffs
from wirebook.rules.review.patterns import Pattern
from wirebook.specs.model import Message
from wirebook.specs.versions import Versions, VersionSet

Pairs = Sequence[tuple[Message | None, Message | None]]


@dataclass(frozen=True, eq=False, repr=False)
class MessageOverview:
    """A message of an API: its valid versions on both sides, the layouts that differ, and next free tags.

    A side without the message has None; the next free tags of structs with tags are by path.
    """

    message: Message
    old: Versions | None
    new: Versions | None
    layouts: tuple[LayoutDiff, ...]
    free_tags: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ApiOverview:
    """The changes of an API, or of a message outside any API.

    `changes` are those outside all patterns, without changes of text. `implied` counts fields that are
    removed together with all versions that had them.
    """

    title: str
    messages: tuple[MessageOverview, ...]
    changes: tuple[ProtocolChange, ...]
    implied: int


def overviews(
    pairs: Pairs, changes: Sequence[ProtocolChange], patterns: Iterable[Pattern]
) -> tuple[ApiOverview, ...]:
    """The APIs with changes other than patterns and text."""
    in_pattern = {id(change) for pattern in patterns for change in pattern.changes}
    return tuple(
        overview
        for title, part in by_api(changes)
        if (overview := _overview(title, part, pairs, lambda change: id(change) in in_pattern)) is not None
    )


def _overview(
    title: str, part: Sequence[ProtocolChange], pairs: Pairs, is_known: Callable[[ProtocolChange], bool]
) -> ApiOverview | None:
    removed: dict[int, VersionSet] = {}
    for change in part:
        if change.kind == "versions-removed":
            removed[id(change.message)] = change.versions
    standing = [change for change in part if change.effect != TEXT and not is_known(change)]
    own = [change for change in standing if not _implied(change, removed.get(id(change.message)))]
    if not own:
        return None
    touched = {id(change.message) for change in part if change.effect != TEXT}
    messages = [
        _message(old, new, [change for change in part if change.message is (new or old)])
        for old, new in pairs
        if id(new or old) in touched
    ]
    return ApiOverview(title, tuple(messages), tuple(own), len(standing) - len(own))


def _implied(change: ProtocolChange, removed: VersionSet | None) -> bool:
    return (
        change.kind == "field-removed"
        and removed is not None
        and bool(change.versions)
        and removed.covers(change.versions)
    )


def _message(old: Message | None, new: Message | None, changes: list[ProtocolChange]) -> MessageOverview:
    message = new or old
    assert message is not None
    return MessageOverview(
        message,
        None if old is None else old.valid_versions,
        None if new is None else new.valid_versions,
        layout_diffs(old, new, changes),
        () if new is None else free_tags(old, new),
    )
