"""tag-reused: a tag that one field had is given to another."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import StructPair
from wirebook.rules.rule import Hit, rule


@rule(on=StructPair, category=Category.WIRE, source="KIP-482")
def tag_reused(struct: StructPair) -> Iterator[Hit]:
    """A tag belongs to one field for ever.

    ## What it does
    Reports a new field whose tag another field of the same struct has, or had in a released version:
    in the old spec, or in any baseline, however long ago the field was removed.

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
                )
                break
        else:
            for message in struct.messages.released_messages:
                was = message.tags.get(struct.path, {}).get(item.tag)
                if was is not None and (was.name != item.name or was.type != item.type):
                    alike = was.type == item.type
                    yield Hit(
                        f"{path} takes tag {item.tag}, which was {was.name}'s ({was.type}) in a release: a "
                        f"reader of that age "
                        + (f"takes it for {was.name}" if alike else f"misreads {item.name} ({item.type})"),
                        f"give {item.name} a tag that no release has used"
                        + (f", unless it is {was.name} under a new name" if alike else ""),
                        # What a release had in an unstable version alone burns no tag.
                        frozenset(was.tagged_versions & message.stable) & struct.messages.released.keys(),
                        item.written.at("tag"),
                        path=path,
                        severity=Severity.WARNING if alike else None,
                    )
                    break
