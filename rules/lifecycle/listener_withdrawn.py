"""An API stays on every listener that a release served it on.

## What it does
Reports a listener that is deleted from `listeners`, also if the same change deletes it everywhere.
The order does not matter.

## Why it breaks
A peer that sends the request to that listener gets its connection closed, although the version is
valid.

## When it is fine
If the whole API is removed (`"validVersions": "none"`), or if no release had it.

## Do instead
Keep the listener until the API is deprecated and removed as a whole.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "listeners": ["internal"], "fields": [] }
+   "flexibleVersions": "1+", "listeners": [], "fields": [] }
```
"""

from wirebook.rules.parts import MessagePair
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.POLICY, "KIP-35; KIP-590")
def listener_withdrawn(pair: MessagePair) -> Hits:
    head = pair.head
    released = {word for other in pair.released_specs for word in other.listeners}
    withdrawn = [
        word for word in pair.base.listeners if word in released and word not in head.listeners
    ]
    if withdrawn and head.valid_versions:
        names = " and ".join(withdrawn)
        quoted = " and ".join(f'"{word}"' for word in withdrawn)
        yield Hit(
            f"{head.name} is no longer served on the listener {names}: connections that send it "
            "to that listener are closed",
            f'restore {quoted} in "listeners"',
            frozenset(pair.base.valid_versions),
            "listeners",
            discriminator=" ".join(withdrawn),
        )
