"""tag-reused: a tag that one field had is given to another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import StructPair
from wirebook.rules.pairs.lineage import reserved_tags
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Field


@rule(on=StructPair, category=Category.WIRE, source="KIP-482")
def tag_reused(struct: StructPair) -> Iterator[Hit]:
    """A tag belongs to one field for ever.

    ## What it does
    Reports a new field whose tag another field of the same struct has, or had in a released version:
    in the old spec, or in any baseline, however long ago the field was removed and whatever the struct and
    the fields around it are called now.

    ## Why it breaks
    A tagged field is found by its number alone. A peer of an older release takes the bytes of the new
    field for the old one and reads them as the old type: it fails, or worse, goes on with nonsense.

    ## When it is fine
    The same number in two different structs never collides. A field that keeps its tag and type and only
    gets a new name is a rename, which `field-renamed` asks about; where releases alone remember the old
    name, this rule asks, as a warning.

    ## Do instead
    Take the lowest tag that the struct has never used, and leave the old one reserved.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
    +   { "name": "Weight", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
      ] }
    ```
    """
    held = [(old, new) for old, new in struct.pairs if old is not None and old.tag is not None]
    for partner, item in struct.pairs:
        if item is None or item.tag is None or partner is not None:
            continue
        path = struct.path_of(item)
        for old, kept in held:
            if old.tag == item.tag and kept is None:
                yield Hit(
                    f"{path} takes tag {item.tag}, which belongs to {old.name} ({old.type}): a reader that "
                    f"knows tag {item.tag} as {old.name} misreads {item.name} ({item.type})",
                    f"give {item.name} the next free tag, and keep {old.name} as it is",
                    frozenset(old.tagged_versions & struct.messages.old.valid_versions),
                    item.written.at("tag"),
                    old.written.at("tag"),
                    path=path,
                    was=old,
                )
                break
        else:
            yield from _taken_before(struct, item)


def _taken_before(struct: StructPair, item: Field) -> Iterator[Hit]:
    """What is said of a new field whose tag a release gave to another field of the struct."""
    if not struct.messages.may_have_had(item.tag):
        return
    holders = reserved_tags(struct.messages).get(struct.declared[1], {}).get(item.tag or 0, ())
    # What a release had in an unstable version alone burns no tag.
    frozen = [(was, frozenset(was.tagged_versions) & struct.messages.released.keys()) for was in holders]
    frozen = [(was, versions) for was, versions in frozen if versions]
    other = [(was, versions) for was, versions in frozen if was.type != item.type]
    renamed = [] if any((was.name, was.type) == (item.name, item.type) for was, _ in frozen) else frozen
    for was, versions in (other or renamed)[:1]:
        alike = was.type == item.type
        yield Hit(
            f"{struct.path_of(item)} takes tag {item.tag}, which was {was.name}'s ({was.type}) in a release: "
            "a reader of that age "
            + (f"takes it for {was.name}" if alike else f"misreads {item.name} ({item.type})"),
            f"give {item.name} a tag that no release has used"
            + (f", unless it is {was.name} under a new name" if alike else ""),
            versions,
            item.written.at("tag"),
            path=struct.path_of(item),
            severity=Severity.WARNING if alike else None,
            released_in=was.release or None,
        )
