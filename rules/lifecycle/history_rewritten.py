"""A history keeps every entry and every date.

## What it does
Compares the `history` of a message with those of the old side and of all baselines. Reports entries
that are deleted, marks (`added`, `deprecated`, `removed` …) that are deleted or name a different
protocol level, and a new version, `deprecated` or `removed` with a protocol level that is already
released.

## Why it breaks
Servers of those releases behave as the history recorded. A client that looks up which versions a
server supports, or for how long, gets the wrong answer.

## When it is fine
The `about` of an entry may be reworded. `undeprecated` and `returned` revoke a mark without
deleting it. A history may be added to a spec that has none. A version that was `unstable` when it
was added may name a released level.

## Do instead
Restore the entry. Add a version, or `deprecated`, and in a later patch `removed`, with a protocol
level newer than every released one.

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

from collections.abc import Mapping, Sequence

from wirebook.rules.pairs import MessagePair
from wirebook.rules.released import history_of
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.versions import VersionSet, counted

NEWER_LEVEL = "name a protocol level newer than every released one; add it to the registry if new"


@rule(Category.POLICY, "KIP-35")
def history_rewritten(pair: MessagePair) -> Hits:
    recorded, current = _recorded(pair), history_of(pair.new)
    if not recorded:
        return
    name = pair.new.name
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
    changes: dict[tuple[str, str, str], list[int]] = {}
    late: dict[tuple[str, str], list[int]] = {}
    for version, marks in sorted(current.items()):
        before = recorded.get(version, {})
        for mark, level in before.items():
            if marks.get(mark) != level:
                changes.setdefault((mark, level, marks.get(mark, "")), []).append(version)
        for mark in ("added", "deprecated", "removed"):
            level = marks.get(mark, "")
            if pair.levels.is_released(level) and _is_late(pair, version, mark, before, marks):
                late.setdefault((mark, level), []).append(version)
    for (mark, level, fresh), numbers in changes.items():
        yield _hit(
            pair,
            numbers,
            mark,
            f"the history of {name} said that {_said(numbers, mark, level)}, and now says {fresh}"
            if fresh
            else f"the history of {name} no longer says that {_said(numbers, mark, level)}",
            _fix(mark, level, fresh),
            f"{mark} {level}",
        )
    for (mark, level), numbers in late.items():
        says = "says" if mark == "added" else "now says"
        text = f"the history of {name} {says} that {_said(numbers, mark, level)}"
        subject = f"late {mark} {level}"
        yield _hit(
            pair, numbers, mark, f"{text}, which was released without that", NEWER_LEVEL, subject
        )


def _recorded(pair: MessagePair) -> dict[int, dict[str, str]]:
    """What the baselines recorded, the newest last, and what only the old side recorded."""
    recorded: dict[int, dict[str, str]] = {}
    for released in pair.released_specs:
        for version, marks in history_of(released).items():
            recorded.setdefault(version, {}).update(marks)
    for version, marks in history_of(pair.old).items():
        recorded[version] = {**marks, **recorded.get(version, {})}
    return recorded


def _is_late(
    pair: MessagePair, version: int, mark: str, before: Mapping[str, str], marks: Mapping[str, str]
) -> bool:
    """Whether a mark is new, though the level that it names is released."""
    new, levels = pair.new, pair.levels
    if mark == "added":
        is_unstable = "unstable" in marks or (
            new.latest_version_unstable and version == new.valid_versions.highest
        )
        ranges = [pair.old.valid_versions, *(each.valid_versions for each in pair.released_specs)]
        is_valid = version in new.valid_versions and not any(version in valid for valid in ranges)
        return is_valid and not before and not is_unstable
    # history-levels reports a mark that precedes another one of its entry.
    others = [levels.id_of(marks[other], 0) for other in ("added", "deprecated") if other in marks]
    is_last = all(other <= levels.id_of(marks[mark], 0) for other in others)
    return bool(before) and mark not in before and is_last and not new.negotiates_versions


def _hit(
    pair: MessagePair, versions: Sequence[int], mark: str, sentence: str, fix: str, subject: str
) -> Hit:
    """The hit on a mark of some versions, at the entry of the first."""
    now, before = (
        next((entry for entry in side.history if entry.version == versions[0]), None)
        for side in (pair.new, pair.old)
    )
    key = "fields" if mark.startswith("fields.") else mark
    at = pair.new.written.at("history") if now is None else now.written.at(key)
    previous = pair.old.written.at("history") if before is None else before.written.at(key)
    return Hit(sentence, fix, versions, at, previous, Severity.ERROR, subject)


def _said(versions: Sequence[int], mark: str, level: str) -> str:
    """What a mark says: "versions 0-1 are deprecated since 1.1-IV0"."""
    joined = mark.removeprefix("fields.")
    words = (
        f"{mark} in"
        if mark == "added"
        else f"{mark} since"
        if joined == mark
        else f"joined by {joined} in"
    )
    return (
        f"{counted(VersionSet.of(versions))} {'are' if len(versions) > 1 else 'is'} {words} {level}"
    )


def _fix(mark: str, level: str, fresh: str) -> str:
    if fresh:
        return f'write "{level}" again: recorded dates do not change'
    back = {"removed": "returned", "deprecated": "undeprecated"}.get(mark)
    return f'restore "{mark}"' + (
        f'; if the version is reintroduced, add "{back}" beside it' if back else ""
    )
