"""A history keeps every entry and every date.

## What it does
Compares the `history` of a message with those of base and of all releases. Reports entries and
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

from collections.abc import Iterator, Mapping, Sequence

from wirebook.rules.levels import ProtocolLevels
from wirebook.rules.parts import MessagePair
from wirebook.rules.released import history_of, place_in, stable_versions
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-35")
def history_rewritten(pair: MessagePair) -> Hits:
    recorded = history_of(pair.base, *pair.released_specs)
    current = history_of(pair.head)
    if not recorded:
        return
    deleted = recorded.keys() - current.keys()
    if deleted:
        what = f"the entry of its history for {counted(deleted)}" if current else "its history"
        yield Hit(
            f"{pair.head.name} loses {what}: which releases have which versions is no longer "
            "recorded",
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
        changed = [mark for mark, level in before.items() if marks.get(mark) != level]
        for mark in (*changed, *_late(pair, version, before, marks)):
            change = (mark, before.get(mark, ""), marks.get(mark, ""))
            changes.setdefault(change, []).append(version)
    for change, versions in changes.items():
        yield _changed(pair, *change, versions)


def _changed(pair: MessagePair, mark: str, was: str, now: str, versions: Sequence[int]) -> Hit:
    """The hit on a mark of some versions: "" is the level of one that is new, or deleted."""
    are = "are" if len(versions) > 1 else "is"
    sentence = f"{counted(versions)} {are} {mark} in {was or now}"
    discriminator = f"{mark} {was}"
    if not was:
        text = f"says that {sentence}, which was released without that"
        fix = "name a protocol level newer than every released one; add it to the registry if new"
        discriminator = f"late {mark} {now}"
    elif now:
        text = f"said that {sentence}, and now says {now}"
        fix = f'write "{was}" again: recorded dates do not change'
    else:
        text = f"no longer says that {sentence}"
        fix = f'restore "{mark}"; "undeprecated" and "returned" revoke a mark without deleting it'
    return Hit(
        f"the history of {pair.head.name} {text}",
        fix,
        versions,
        at=place_in(pair.head, versions[0], mark),
        previous=place_in(pair.base, versions[0], mark),
        severity=Severity.ERROR,
        discriminator=discriminator,
    )


def _late(
    pair: MessagePair, version: int, before: Mapping[str, str], marks: Mapping[str, str]
) -> Iterator[str]:
    """The new marks of a version that name a level which is already released."""
    head = pair.head
    levels = ProtocolLevels.of(pair.protocols)
    stable = stable_versions(head.valid_versions, head.latest_version_unstable)
    if not before:
        is_new = version not in pair.base_versions and version not in pair.released
        is_frozen = version in stable and "unstable" not in marks
        new = ["added"] if is_new and is_frozen and "added" in marks else []
    elif head.negotiates_versions:
        new = []
    else:
        new = [mark for mark in ("deprecated", "removed") if mark in marks and mark not in before]
    for mark in new:
        # history-levels reports a mark that precedes another one of its entry.
        ids = [levels.id_of(marks[key], 0) for key in ("added", "deprecated") if key in marks]
        if levels.is_released(marks[mark]) and levels.id_of(marks[mark], 0) >= max(ids, default=0):
            yield mark
