"""The released versions of a field never change.

## What it does
Compares `versions` on both sides (or `taggedVersions`, for a tagged field without `versions`), over
the versions that both specs have. Reopening a closed range is such a change.

## Why it breaks
The bytes of an untagged field appear in messages that old peers read without them, or disappear
from others. A reader that knows a tag only from other versions rejects it: "Tag N is not valid for
version V". One that does not know the tag skips it, and loses the value.

## When it is fine
Above the released versions, or if another field of the same type takes the same place. A new tagged
field may be added to released flexible versions.

## Do instead
Start or end the range at an unreleased version.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Note", "type": "string", "versions": "2+" }
+   { "name": "Note", "type": "string", "versions": "1+" }
  ] }
```
"""

from wirebook.rules.breaks import Break
from wirebook.rules.compat import LOST
from wirebook.rules.rule import Category, Hit, Hits, restored, rule


@rule(Category.WIRE, "KIP-35; KIP-482")
def field_versions_changed(broken: Break) -> Hits:
    leaves = broken.head.carried is None
    carried = broken.base.carried if leaves else broken.head.carried
    tag = None if carried is None else carried.tag
    hurt = f'a reader that knows tag {tag} from other versions reports "Tag {tag} is not valid"'
    if tag is None:
        hurt = f"peers that use the other spec {broken.damage}"
    elif broken.effect == LOST:
        hurt = f"a reader without tag {tag} skips the value, and reads the default of the field"
    word = "leaves" if leaves else "reaches into"
    yield Hit(
        f"{broken.path} {word} {broken.counted}: {hurt}",
        f"{restored(broken.base_field.written, 'versions', broken.base_field.versions)}; change "
        "it from a new version on",
        key="versions",
        discriminator=word,
    )
