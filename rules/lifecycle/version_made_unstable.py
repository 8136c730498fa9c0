"""A stable version stays stable.

## What it does
Reports `latestVersionUnstable` set on a version that base has without the mark.

## Why it breaks
A server advertises an unstable version only if configured to, so clients that use it fall back or
fail, and no rule protects its schema.

## When it is fine
On a version that this patch adds. Removing the mark freezes the version, which is fine.

## Do instead
Leave the version stable, and start the experiment in the next one.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
-   "flexibleVersions": "1+", "fields": [] }
+   "flexibleVersions": "1+", "latestVersionUnstable": true, "fields": [] }
```
"""

from wirebook.rules.parts import MessagePair
from wirebook.rules.released import stable_versions
from wirebook.rules.rule import Category, Hit, Hits, rule


@rule(Category.POLICY, "KIP-848; KAFKA-15562")
def version_made_unstable(pair: MessagePair) -> Hits:
    base = pair.base
    head = pair.head
    top = head.valid_versions.highest
    was_stable = top in stable_versions(base.valid_versions, base.latest_version_unstable)
    if head.latest_version_unstable and head.valid_versions and was_stable:
        yield Hit(
            f"version {top} of {head.name} is marked as unstable after it was stable: "
            f"{head.profile.server}s stop advertising it",
            'delete "latestVersionUnstable"; only a new version can be unstable',
            {top},
            "latestVersionUnstable",
            previous=base.written.at("validVersions"),
        )
