"""A new protocol version comes with a new protocol level.

## What it does
Where both sides have an `api_versions.json`, reports the versions of requests and responses that
this patch adds without an entry at the end of the registry, once for all of them.

## Why it breaks
Without a new level, a server that has the version cannot be distinguished from one that does not.

## When it is fine
For a version that `latestVersionUnstable` marks, until the mark is removed, and for messages other
than requests and responses.

## Do instead
Add an entry with the next id at the end of `api_versions.json`, in the same patch.

## Example
```diff
@@ FooRequest.json @@
- { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
+ { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "0+", "fields": [] }
@@ api_versions.json @@
  [
    { "id": 0, "version": "1.0-IV0", "release": "1.0" },
    { "id": 1, "version": "1.1-IV0", "release": "1.1" },
    { "id": 2, "version": "2.0-IV0", "release": "2.0" }
  ]
```
"""

from wirebook.rules.parts import ProtocolPair
from wirebook.rules.released import Baseline
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import Message
from wirebook.specs.printable import enumerated
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import VersionSet


@rule(Category.POLICY, "KIP-35")
def api_version_missing(pair: ProtocolPair) -> Hits:
    base = pair.tables.base.levels
    head = pair.tables.head.levels
    if base is None or head is None or not base.api_versions or not head.api_versions:
        return
    last = head.api_versions[-1]
    if last.version not in base.by_version:
        return
    before = Baseline("", pair.base).stable
    after = Baseline("", pair.head).stable
    added: dict[int, tuple[Message, VersionSet]] = {}
    for identity, (message, versions) in after.items():
        earlier = before[identity][1] if identity in before else ()
        fresh = [version for version in versions if version > max(earlier, default=-1)]
        if message.type in HALVES and message.api_key is not None and fresh:
            added.setdefault(message.api_key, (message, VersionSet.of(fresh)))
    if not added:
        return
    first, of_first = next(iter(added.values()))
    each = [f"{message.api} gets version {versions}" for message, versions in added.values()]
    yield Hit(
        f"{enumerated(each)}, but the registry still ends with {last.version} (id {last.id})",
        f"add a protocol level with id {last.id + 1} at the end of {head.path}",
        key="validVersions",
        of=first,
        discriminator=f"{first.api} {of_first}",
    )
