"""The tags of a struct start at 0 and have no gaps.

## What it does
Looks for unused tags below the highest one of the struct.

## Why it breaks
Strict readers reject the file. Small tags also take fewer bytes.

## When it is fine
If the tag is reserved, because base or a release gave it to a field that is now deleted,
reusing it would be worse: the finding is then a warning.

## Do instead
Use the lowest free tag. Restore a deleted field instead of reusing its tag.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
+   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 1 }
  ] }
```
"""

from wirebook.rules.parts import OneStruct, path_to
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.versions import Versions


@rule(Category.SPEC, "KIP-482")
def tag_gap(struct: OneStruct) -> Hits:
    tagged = [field for field in struct.fields if field.tag is not None]
    by_tag = {field.tag: field for field in tagged if field.tag is not None}
    names = {field.name for field in struct.fields}
    releases = struct.reserved
    last = -1
    # One of two fields that share a tag may be meant for the gap: duplicate-tag reports it.
    for tag in sorted(by_tag) if len(by_tag) == len(tagged) else ():
        field = by_tag[tag]
        gap = Versions(last + 1, tag - 1)
        last = tag
        reserved = [releases[number] for number in sorted(releases) if number in gap]
        free = next((number for number in gap if number not in releases), None)
        owners = ", ".join(reserved)
        text = f"{field.name} has tag {tag}, but no field of {struct.name} has tag {gap}"
        fix = f"write the lowest free tag, {free}"
        severity = None
        if free is None:
            text = f"tag {gap} of {struct.name} is reserved: it was that of {owners}, now deleted"
            fix = f"restore {owners}, so that readers find no gap"
            severity = Severity.WARNING
        # A field that still exists with another tag is reported by tag-changed.
        if gap and (free is not None or not names.issuperset(reserved)):
            yield Hit(
                f"{text}: strict readers reject a gap",
                fix,
                at=field.written.at("tag"),
                severity=severity,
                path=path_to(struct.path, field),
                discriminator=str(gap),
            )
