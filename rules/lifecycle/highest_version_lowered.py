"""The newest version of a message is never removed.

## What it does
Reports versions that are removed from the upper end of `validVersions`.

## Why it breaks
Servers of a release advertise the version, and clients choose the highest one that both support. A
partly upgraded cluster loses the version it was using. If the number is reused with another schema,
it means two things on the wire.

## When it is fine
If the version is unreleased: then it is a warning, or a note if the version is marked unstable.

## Do instead
Keep the version, and fix its problems in the next one.

## Example
```diff
- { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
+ { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-1",
    "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import UNRELEASED, Category, Hit, Hits, restored, rule
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-35")
def highest_version_lowered(pair: MessagePair) -> Hits:
    base = pair.base.valid_versions
    head = pair.head.valid_versions
    cut = frozenset(version for version in base if head and version > head.highest)
    if not cut or pair.base.type != pair.head.type:
        return
    fix = UNRELEASED
    if cut & pair.released.keys():
        back = restored(pair.base.written, "validVersions", base)
        fix = f"{back}, and fix problems in a new version"
    yield Hit(
        f"{pair.head.name} no longer has {counted(cut)}: peers choose the highest version that "
        "they share",
        fix,
        cut,
        "validVersions",
    )
