"""tag-gap: the tags of a struct have a gap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneStruct
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Repair, Severity
from wirebook.specs.versions import Versions


@rule(on=OneStruct, category=Category.SPEC, source="KIP-482")
def tag_gap(struct: OneStruct) -> Iterator[Hit]:
    """The tags of a struct run from 0 without a gap.

    ## What it does
    Looks for tags below the highest of the struct that no field has.

    ## Why it breaks
    The generator refuses the file. Small tags also take fewer bytes.

    ## When it is fine
    Where the tag is reserved, because the older spec or a baseline gave it to a field that has been deleted,
    taking it again would be worse: this is then a warning.

    ## Do instead
    Take the lowest free tag. Bring a deleted field back rather than reuse its tag.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    +   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 1 }
      ] }
    ```
    """
    held = {item.tag: item for item in struct.fields if item.tag is not None}
    names = {item.name for item in struct.fields}
    if len(held) < sum(item.tag is not None for item in struct.fields):
        # One of two that share a tag may be meant for the gap: duplicate-tag says so.
        return
    last = -1
    for tag in sorted(held):
        gap, last = Versions(last + 1, tag - 1), tag
        if not gap:
            continue
        item, releases = held[tag], struct.reserved
        numbers = sorted(releases)
        inside = numbers[bisect_left(numbers, gap.lowest) : bisect_right(numbers, gap.highest)]
        reserved = [releases[number].name for number in inside]
        free = next((number for number in gap if number not in releases), None)
        if free is not None:
            text = f"{item.name} has tag {tag}, but no field of {struct.name} has tag {gap}"
            fix = f"write the lowest free tag, {free}"
        elif names.issuperset(reserved):
            # The field is still there, with another tag: that is what tag-changed is about.
            continue
        else:
            text = (
                f"tag {gap} of {struct.name} is reserved: it was that of {', '.join(reserved)}, now deleted"
            )
            fix = f"restore {', '.join(reserved)}, so that generators find no gap"
        yield Hit(
            f"{text}: the generator refuses a gap",
            fix,
            at=item.written.at("tag"),
            severity=Severity.WARNING if free is None else None,
            path=f"{struct.path}.{item.name}" if struct.path else item.name,
            discriminator=str(gap),
            repairs=()
            if free is None or tag in releases
            else (Repair(struct.message.path, item.written, "tag", free),),
        )
