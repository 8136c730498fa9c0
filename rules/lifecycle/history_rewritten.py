"""history-rewritten: a history differs from what a release or the old side recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.released import history_of
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import HistoryEntry
from wirebook.specs.problems import Position
from wirebook.specs.versions import VersionSet, counted

NEWER_LEVEL = "name a protocol level newer than every released one; add it to the registry if new"

MovedMark = tuple[str, str, str]  # the mark, the level it had, and the level it has now ("" for none)


@rule(on=MessagePair, category=Category.POLICY, source="KIP-35")
def history_rewritten(pair: MessagePair) -> Iterator[Hit]:
    """A history keeps every entry and every date.

    ## What it does
    Compares the `history` of a message with those of the old side and of all baselines. Reports entries
    that are deleted, marks (`added`, `deprecated`, `removed` …) that are deleted or name a different
    protocol level, and a new version, `deprecated` or `removed` with a protocol level that is already
    released.

    ## Why it breaks
    Servers of those releases behave as the history recorded. A client that looks up which versions a server
    supports, or for how long, gets the wrong answer.

    ## When it is fine
    The `about` of an entry may be reworded. `undeprecated` and `returned` revoke a mark without deleting
    it. A history may be added to a spec that has none. A version that was `unstable` when it was added may
    name a released level.

    ## Do instead
    Restore the entry. Add a version, or `deprecated`, and in a later patch `removed`, with a protocol level
    newer than every released one.

    ## Example
    ```diff
      { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
        "flexibleVersions": "0+", "fields": [], "history": [
    -   { "version": 0, "added": "1.0-IV0", "deprecated": "1.1-IV0", "removed": "2.0-IV0" },
    +   { "version": 0, "added": "1.0-IV0", "deprecated": "1.1-IV0" },
        { "version": 1, "added": "1.1-IV0" }
      ] }
    ```
    """
    if not (pair.old.history or pair.released_messages):
        return
    recorded, current = _recorded(pair), history_of(pair.new)
    if not recorded:
        return
    name, entries = pair.new.name, {entry.version: entry for entry in pair.new.history}
    deleted = VersionSet.of(recorded.keys() - current.keys())
    if deleted:
        what = "its history" if not current else f"the entry of its history for {counted(deleted)}"
        yield Hit(
            f"{name} loses {what}: which releases have which versions is no longer recorded",
            "restore it: entries of a history are never deleted",
            deleted,
            pair.new.written.at("history"),
            pair.old.written.at("history"),
            Severity.ERROR,
            "deleted",
        )
    changes: dict[MovedMark, list[int]] = {}
    for version in sorted(recorded.keys() & current.keys()):
        for mark, level in recorded[version].items():
            if current[version].get(mark) != level:
                changes.setdefault((mark, level, current[version].get(mark, "")), []).append(version)
    for (mark, level, fresh), numbers in changes.items():
        versions = VersionSet.of(numbers)
        verb = "are" if len(versions) > 1 else "is"
        statement = f"that {counted(versions)} {verb} {_words(mark)} {level}"
        entry = entries[numbers[0]]
        yield Hit(
            f"the history of {name} said {statement}, and now says {fresh}"
            if fresh
            else f"the history of {name} no longer says {statement}",
            _fix(mark, level, fresh),
            numbers,
            _place(entry, mark),
            _place_before(pair, numbers[0], mark),
            Severity.ERROR,
            f"{mark} {level}",
        )
    yield from _late_versions(pair, recorded, current, entries)
    if not pair.new.negotiates_versions:
        yield from _late_marks(pair, recorded, current, entries)


def _recorded(pair: MessagePair) -> dict[int, dict[str, str]]:
    """What the baselines recorded, the newest last, and what only the old side recorded."""
    recorded: dict[int, dict[str, str]] = {}
    for released in pair.released_messages:
        for version, marks in released.history.items():
            recorded.setdefault(version, {}).update(marks)
    for version, marks in history_of(pair.old).items():
        recorded[version] = {**marks, **recorded.get(version, {})}
    return recorded


def _late_marks(
    pair: MessagePair,
    recorded: Mapping[int, Mapping[str, str]],
    current: Mapping[int, Mapping[str, str]],
    entries: Mapping[int, HistoryEntry],
) -> Iterator[Hit]:
    """New marks that name a level that was released without them."""
    for mark in ("deprecated", "removed"):
        late: dict[str, list[int]] = {}
        for version in sorted(recorded.keys() & current.keys()):
            level = current[version].get(mark)
            if level is None or mark in recorded[version] or not pair.levels.is_released(level):
                continue
            # A mark that precedes another mark of the entry is reported by history-order.
            others = [current[version].get(other, level) for other in ("added", "deprecated")]
            if all(pair.levels.id_of(other, 0) <= pair.levels.id_of(level, 0) for other in others):
                late.setdefault(level, []).append(version)
        for level, numbers in late.items():
            versions = VersionSet.of(numbers)
            yield Hit(
                f"the history of {pair.new.name} now says that {counted(versions)} "
                f"{'are' if len(versions) > 1 else 'is'} {mark} since {level}, "
                "which was released without that",
                NEWER_LEVEL,
                numbers,
                _place(entries[numbers[0]], mark),
                _place_before(pair, numbers[0], mark),
                Severity.ERROR,
                f"late {mark} {level}",
            )


def _late_versions(
    pair: MessagePair,
    recorded: Mapping[int, Mapping[str, str]],
    current: Mapping[int, Mapping[str, str]],
    entries: Mapping[int, HistoryEntry],
) -> Iterator[Hit]:
    """New versions whose entries name a level that was released without them."""
    ranges = [pair.old.valid_versions, *(released.valid_versions for released in pair.released_messages)]
    late: dict[str, list[int]] = {}
    for version in sorted(current.keys() - recorded.keys()):
        if version not in pair.new.valid_versions or any(version in valid for valid in ranges):
            continue
        unstable = pair.new.latest_version_unstable and version == pair.new.valid_versions.highest
        level = current[version].get("added")
        if level and not (unstable or "unstable" in current[version]) and pair.levels.is_released(level):
            late.setdefault(level, []).append(version)
    for level, numbers in late.items():
        versions = VersionSet.of(numbers)
        is_one = len(versions) == 1
        yield Hit(
            f"the history of {pair.new.name} says that {counted(versions)} {'is' if is_one else 'are'} "
            f"added in {level}, which was released without {'it' if is_one else 'them'}",
            NEWER_LEVEL,
            numbers,
            _place(entries[numbers[0]], "added"),
            pair.old.written.at("history"),
            Severity.ERROR,
            f"late added {level}",
        )


def _words(mark: str) -> str:
    joined = mark.removeprefix("fields.")
    return (
        f"{mark} in" if mark == "added" else f"{mark} since" if joined == mark else f"joined by {joined} in"
    )


def _fix(mark: str, level: str, fresh: str) -> str:
    if fresh:
        return f'write "{level}" again: recorded dates do not change'
    back = {"removed": "returned", "deprecated": "undeprecated"}.get(mark)
    return f'restore "{mark}"' + (f'; if the version is reintroduced, add "{back}" beside it' if back else "")


def _place_before(pair: MessagePair, version: int, mark: str) -> Position:
    """The position of a mark on the old side: its entry, or the history if there is no entry."""
    entry = next((entry for entry in pair.old.history if entry.version == version), None)
    return pair.old.written.at("history") if entry is None else _place(entry, mark)


def _place(entry: HistoryEntry, mark: str) -> Position:
    return entry.written.at("fields" if mark.startswith("fields.") else mark)
