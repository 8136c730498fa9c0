"""Versions whose layout a change modifies or adds, each with the layout that it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from wirebook.rules.diff.kinds import OF_VERSIONS, WIRE, ProtocolChange
from wirebook.rules.diff.layouts import layout_changes
from wirebook.rules.report.sentences import layout_sentence
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout

SHOWN = 3  # new versions of a message that are laid out; if there are more, the newest


class Sizes(NamedTuple):
    """The smallest number of bytes of some versions on both sides, without the header."""

    versions: VersionSet
    old: int | None
    new: int


@dataclass(frozen=True, eq=False, repr=False)
class LayoutDiff:
    """Versions that the change modifies or adds in the same way, and the newest of them on both sides.

    `old` is the same version on the old side or, if it is `added`, the version before it; None if there is
    none. `words` describe the difference; `sizes` are those of all the versions.
    """

    versions: VersionSet
    old: Layout | None
    new: Layout
    words: tuple[str, ...]
    sizes: tuple[Sizes, ...]
    added: bool = False


def layout_diffs(
    old: Message | None, new: Message | None, changes: Sequence[ProtocolChange]
) -> tuple[LayoutDiff, ...]:
    """The modified versions of a message, then the newest of the added ones.

    A version without a layout is left out: a finding has the reason.
    """
    if new is None or len(new.valid_versions) > MAX_VERSIONS:
        return ()
    return (*_touched(old, new, changes), *_added(old, new))


def free_tags(old: Message | None, new: Message) -> tuple[tuple[str, int], ...]:
    """The next free tag of every struct that has or had tags, by its path; "" is the message itself."""
    highest: dict[str, int] = {}
    for message in (old, new):
        if message is not None:
            _tags(message, message.fields, "", (), highest)
    return tuple((path, tag + 1) for path, tag in highest.items())


def _tags(
    message: Message, fields: Sequence[Field], path: str, within: tuple[str, ...], highest: dict[str, int]
) -> None:
    tags = [field.tag for field in fields if field.tag is not None]
    if tags:
        highest[path] = max(*tags, highest.get(path, -1))
    for field in fields:
        inner = message.fields_of(field)
        # A struct may contain itself, and shared ones may multiply.
        if inner and field.element not in within and len(within) < 16 and len(highest) < 100:
            below = f"{path}.{field.name}" if path else field.name
            _tags(message, inner, below, (*within, field.element), highest)


def _touched(old: Message | None, new: Message, changes: Sequence[ProtocolChange]) -> Iterator[LayoutDiff]:
    if old is None or len(old.valid_versions) > MAX_VERSIONS:
        return
    versions = VersionSet.union(
        *(
            part
            for change in changes
            if change.kind in OF_VERSIONS and change.effect == WIRE
            for part in change.versions.ranges
        )
    )
    run: list[LayoutDiff] = []
    for version in versions & VersionSet.union(old.valid_versions & new.valid_versions):
        diff = _diff(_laid(old, version), _laid(new, version))
        if diff is None or not diff.words:
            continue
        if run and not _alike(run[-1], diff):
            yield _joined(run)
            run = []
        run.append(diff)
    if run:
        yield _joined(run)


def _added(old: Message | None, new: Message) -> Iterator[LayoutDiff]:
    added = [v for v in new.valid_versions if old is None or v not in old.valid_versions]
    for version in added[-SHOWN:]:
        before = _laid(new, version - 1)
        if before is None and old is not None:
            before = _laid(old, version - 1)
        diff = _diff(before, _laid(new, version), added=True)
        if diff is not None:
            yield diff


def _laid(message: Message, version: int) -> Layout | None:
    if version not in message.valid_versions:
        return None
    try:
        return layout(message, version)
    except InputError:
        return None


def _diff(old: Layout | None, new: Layout | None, added: bool = False) -> LayoutDiff | None:
    if new is None or (old is None and not added):
        return None
    # Most patches change no layout.
    versions = VersionSet.of([new.version])
    words = () if old is None else tuple(map(layout_sentence, layout_changes(old, new)))
    sizes = Sizes(versions, None if old is None else codec(old).least, codec(new).least)
    return LayoutDiff(versions, old, new, words, (sizes,), added)


def _alike(one: LayoutDiff, other: LayoutDiff) -> bool:
    """Whether two versions change in the same way and are adjacent: then the newer one represents both."""
    next_to = other.new.version == one.new.version + 1
    return next_to and one.words == other.words and one.new.flexible == other.new.flexible


def _joined(run: Sequence[LayoutDiff]) -> LayoutDiff:
    """Similar versions combined into one, with their sizes by runs of versions of equal size."""
    last = run[-1]
    sizes = [
        Sizes(VersionSet.of(diff.new.version for diff in part), *least)
        for least, part in groupby(run, key=lambda diff: (diff.sizes[0].old, diff.sizes[0].new))
    ]
    return replace(last, versions=VersionSet.of(diff.new.version for diff in run), sizes=tuple(sizes))
