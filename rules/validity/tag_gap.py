"""The tags of a struct start at 0 and have no gaps.

## What it does
Looks for unused tags below the highest one of the struct.

## Why it breaks
Strict readers reject the file. Small tags also take fewer bytes.

## When it is fine
If the tag is reserved, because the old spec or a baseline gave it to a field that is now deleted,
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

from wirebook.rules.pairs import OneStruct
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.versions import Versions


@rule(Category.SPEC, "KIP-482")
def tag_gap(struct: OneStruct) -> Hits:
    by_tag = {field.tag: field for field in struct.fields if field.tag is not None}
    names = {field.name for field in struct.fields}
    if len(by_tag) < sum(field.tag is not None for field in struct.fields):
        # One of two fields that share a tag may be meant for the gap: duplicate-tag reports it.
        return
    last = -1
    for tag in sorted(by_tag):
        gap, last = Versions(last + 1, tag - 1), tag
        if not gap:
            continue
        field, releases = by_tag[tag], struct.reserved
        reserved = [releases[number] for number in sorted(releases) if number in gap]
        free = next((number for number in gap if number not in releases), None)
        if free is not None:
            text = f"{field.name} has tag {tag}, but no field of {struct.name} has tag {gap}"
            fix = f"write the lowest free tag, {free}"
        elif names.issuperset(reserved):
            # The field still exists with another tag, which tag-changed reports.
            continue
        else:
            text = (
                f"tag {gap} of {struct.name} is reserved: it was that of {', '.join(reserved)}, "
                "now deleted"
            )
            fix = f"restore {', '.join(reserved)}, so that readers find no gap"
        yield Hit(
            f"{text}: strict readers reject a gap",
            fix,
            at=field.written.at("tag"),
            severity=Severity.WARNING if free is None else None,
            path=f"{struct.path}.{field.name}" if struct.path else field.name,
            discriminator=str(gap),
        )
