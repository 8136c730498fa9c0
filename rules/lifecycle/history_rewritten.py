"""A history keeps every entry and every date.

## What it does
Compares the `history` of a message with those of base and of all baselines. Reports entries and
marks (`added`, `deprecated`, `removed` …) that are deleted, marks that name a different protocol
level, and a new version, `deprecated` or `removed` with a protocol level that is already released.

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
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Message
from wirebook.specs.problems import Position
from wirebook.specs.versions import counted

# What revokes a mark.
_REVOKED = {"removed": "returned", "deprecated": "undeprecated"}


@rule(Category.POLICY, "KIP-35")
def history_rewritten(pair: MessagePair) -> Hits:
    recorded, current = _recorded(pair), history_of(pair.head)
    if not recorded:
        return
    name = pair.head.name
    if deleted := recorded.keys() - current.keys():
        what = f"the entry of its history for {counted(deleted)}" if current else "its history"
        yield Hit(
            f"{name} loses {what}: which releases have which versions is no longer recorded",
            "restore it: entries of a history are never deleted",
            deleted,
            "history",
            severity=Severity.ERROR,
            discriminator="deleted",
        )
    # The versions of each change of a mark: what was recorded, and what the history says now.
    changes: dict[tuple[str, str, str], list[int]] = {}
    for version, marks in sorted(current.items()):
        before = recorded.get(version, {})
        for mark in {**before, **dict.fromkeys(("added", "deprecated", "removed"))}:
            was, now = before.get(mark, ""), marks.get(mark, "")
            is_late = pair.levels.is_released(now) and _is_late(pair, version, mark, before, marks)
            if (was and was != now) or is_late:
                changes.setdefault((mark, was, now), []).append(version)
    for (mark, was, now), versions in changes.items():
        said, subject = _said(versions, mark, was or now), f"{mark} {was}"
        text, fix = f"no longer says that {said}", f'restore "{mark}"'
        if was and now:
            text = f"said that {said}, and now says {now}"
            fix = f'write "{was}" again: recorded dates do not change'
        elif mark in _REVOKED and was:
            fix += f'; if the version is reintroduced, add "{_REVOKED[mark]}" beside it'
        elif not was:
            says, subject = "says" if mark == "added" else "now says", f"late {mark} {now}"
            text = f"{says} that {said}, which was released without that"
            fix = (
                "name a protocol level newer than every released one; add it to the registry if new"
            )
        yield Hit(
            f"the history of {name} {text}",
            fix,
            versions,
            at=_place(pair.head, versions[0], mark),
            previous=_place(pair.base, versions[0], mark),
            severity=Severity.ERROR,
            discriminator=subject,
        )


def _recorded(pair: MessagePair) -> dict[int, dict[str, str]]:
    """What the baselines recorded, the newest last, and what only base recorded."""
    recorded: dict[int, dict[str, str]] = {}
    for released in pair.released_specs:
        for version, marks in history_of(released).items():
            recorded.setdefault(version, {}).update(marks)
    for version, marks in history_of(pair.base).items():
        recorded[version] = {**marks, **recorded.get(version, {})}
    return recorded


def _is_late(
    pair: MessagePair, version: int, mark: str, before: Mapping[str, str], marks: Mapping[str, str]
) -> bool:
    """Whether a mark is new, though the level that it names is released."""
    head, levels = pair.head, pair.levels
    if mark == "added":
        is_top = version == head.valid_versions.highest
        is_unstable = "unstable" in marks or (head.latest_version_unstable and is_top)
        known = (pair.base, *pair.released_specs)
        is_new = version in head.valid_versions and not any(
            version in each.valid_versions for each in known
        )
        return is_new and not before and not is_unstable
    # history-levels reports a mark that precedes another one of its entry.
    ids = [levels.id_of(marks[other], 0) for other in ("added", "deprecated") if other in marks]
    is_last = levels.id_of(marks[mark], 0) >= max(ids, default=0)
    return bool(before) and mark not in before and is_last and not head.negotiates_versions


def _place(message: Message, version: int, mark: str) -> Position:
    """The place of a mark of a version, or of the history."""
    for entry in message.history:
        if entry.version == version:
            return entry.written.at("fields" if mark.startswith("fields.") else mark)
    return message.written.at("history")


def _said(versions: Sequence[int], mark: str, level: str) -> str:
    """What a mark says: "versions 0-1 are deprecated since 1.1-IV0"."""
    joined = mark.removeprefix("fields.")
    words = f"joined by {joined} in" if joined != mark else f"{mark} since"
    if mark == "added":
        words = "added in"
    return f"{counted(versions)} {'are' if len(versions) > 1 else 'is'} {words} {level}"
