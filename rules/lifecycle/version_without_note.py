"""A new version comes with a description of what it changes.

## What it does
Reports a version that this patch adds without a description: an entry in the history of a spec that
keeps one, otherwise a comment that begins with "Version N".

## Why it breaks
Nothing breaks on the wire. But a version with the same schema as the previous one may behave
differently, which no schema shows.

## When it is fine
In the messages of a protocol whose comments never mention versions.

## Do instead
Write `// Version 5 adds …`, or an entry in `history`. "The same as version 4" is a valid note.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3",
    "flexibleVersions": "none", "fields": [], "history": [
    { "version": 2, "added": "0.10.0" }
  ] }
```
"""

from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.notes import version_notes
from wirebook.specs.versions import MAX_VERSION, Versions, VersionSet, counted


@rule(Category.POLICY, "KIP-35", Severity.WARNING)
def version_without_note(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    above = Versions(base.valid_versions.highest + 1, MAX_VERSION)
    added = set(head.valid_versions & above) if base.valid_versions else set()
    if not added:
        return
    if head.history:
        missing = added - {entry.version for entry in head.history if entry.about}
    else:
        missing = added - version_notes(head).keys() if version_notes(base) else set()
    if not missing:
        return
    key = "validVersions"
    fix = f"add a comment that begins with Version {min(missing)}"
    if head.history:
        key = "history"
        fix = 'describe the change in the "about" of its entry in history'
    yield Hit(
        f"{head.name} gets {counted(missing)} without a note on what it changes",
        fix,
        key=key,
        discriminator=str(VersionSet.of(missing)),
    )
