"""A non-flexible version never becomes flexible, nor a flexible one non-flexible.

## What it does
Compares `flexibleVersions` over the versions that both specs have. Without the key, no version is
flexible. A bound above the highest version has no effect.

## Why it breaks
A flexible version has compact lengths, a tagged field section after every struct, and a different
header. Peers that use the other encoding cannot read the message at all.

## When it is fine
From the first new version on: `"flexibleVersions": "9+"` in the patch that adds version 9.

## Do instead
Start the range at a new version.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "2+", "fields": [] }
+   "flexibleVersions": "1+", "fields": [] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import MAX_VERSION, Versions


@rule(Category.WIRE, "KIP-482")
def flexible_versions_changed(broken: Break) -> Hits:
    head = broken.head_message
    now = any(version in head.flexible_versions for version in broken.versions)
    header = " (and has a different header)" if head.type in HALVES else ""
    former = broken.base_message.flexible_versions
    top = broken.base_message.valid_versions.highest
    if not former and head.valid_versions.highest > top:
        former = Versions(top + 1, MAX_VERSION)
    yield Hit(
        f"{head.name} {'becomes' if now else 'is no longer'} flexible in "
        f"{broken.counted}{header}: peers that use the other spec cannot read it at all",
        f'write "flexibleVersions": "{former}"; change it from a new version on',
        key="flexibleVersions",
    )
