"""A record of a coordinator gets new fields as tagged ones.

## What it does
Reports an untagged field that begins with a new version of a message of type `coordinator-value`.

## Why it breaks
After a downgrade, a coordinator finds records of versions that it does not know. It reads them as
the newest version that it knows, and skips tagged fields; with an untagged field, it cannot read
the record.

## When it is fine
If no downgrade to a release without the version is supported.

## Do instead
Add the field as a tagged field to the versions that exist.

## Example
```diff
- { "apiKey": 0, "type": "coordinator-value", "name": "FooValue", "validVersions": "0-1",
+ { "apiKey": 0, "type": "coordinator-value", "name": "FooValue", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
-   { "name": "Id", "type": "int32", "versions": "0+" }
+   { "name": "Id", "type": "int32", "versions": "0+" },
+   { "name": "Epoch", "type": "int32", "versions": "2+", "default": "-1" }
  ] }
```
"""

from wirebook.rules.parts import MessagePair, versions_in, walk_fields
from wirebook.rules.rule import Category, Hits, Severity, rule
from wirebook.specs.kafka import KAFKA
from wirebook.specs.versions import counted


@rule(Category.POLICY, "KIP-915", Severity.WARNING, family=KAFKA)
def coordinator_value_untagged(pair: MessagePair) -> Hits:
    added = pair.head_versions - pair.base_versions
    for member in walk_fields(pair.head) if pair.head.type == "coordinator-value" else ():
        field = member.field
        struct = member.versions
        untagged = versions_in(added, struct & field.present)
        untagged -= versions_in(untagged, field.tagged_versions)
        # What is inside a new struct is added with it.
        if (
            not untagged
            or versions_in(pair.base_versions, field.present)
            or not versions_in(pair.base_versions, struct)
        ):
            continue
        hit = member.hit(
            f"{member.path} is an untagged field of {counted(untagged)}: a coordinator that "
            "does not know the version cannot read the record after a downgrade",
            "add it as a tagged field to the versions that exist",
        )
        yield hit._replace(versions=untagged, severity=Severity.WARNING)
