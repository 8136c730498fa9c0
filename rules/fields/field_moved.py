"""field-moved: the untagged fields of a released version have another order."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import StructPair
from wirebook.rules.pairs.match import longest_run
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Field
from wirebook.specs.versions import VersionSet, counted


@rule(on=StructPair, category=Category.WIRE, source="KIP-35")
def field_moved(struct: StructPair) -> Iterator[Hit]:
    """Untagged fields keep their order in every released version.

    ## What it does
    Compares, version by version, the order of the untagged fields that both sides have, and reports the
    fewest fields that explain the difference.

    ## Why it breaks
    Untagged fields have no number on the wire: only their order identifies them. Two fields of the same type
    swap their values without an error.

    ## When it is fine
    Tagged fields may be declared anywhere: the wire orders them by tag. Fields that share no version have no
    order between them.

    ## Do instead
    Put the field back, and add new fields for new versions where they belong.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Id", "type": "int32", "versions": "0+" },
    -   { "name": "More", "type": "int8", "versions": "0+" }
    +   { "name": "More", "type": "int8", "versions": "0+" },
    +   { "name": "Id", "type": "int32", "versions": "0+" }
      ] }
    ```
    """
    pairs = [(old, new) for old, new in struct.pairs if old is not None and new is not None]
    orders = [old.written.order for old, _ in pairs]
    if orders == sorted(orders):
        return
    moved: dict[str, tuple[Field, Field, set[int]]] = {}
    for version in struct.versions:
        there = [
            (old, new)
            for old, new in pairs
            if version in old.present
            and version in new.present
            and version not in old.tagged_versions
            and version not in new.tagged_versions
        ]
        # Nodes are numbered in the order of the text.
        places = [old.written.order for old, _ in there]
        for place in sorted(set(range(len(there))) - longest_run(places)):
            old, new = there[place]
            moved.setdefault(new.name, (old, new, set()))[2].add(version)
    for name, (old, new, there_too) in moved.items():
        # A struct that has no field in a version does not appear in it.
        versions = there_too - struct.messages.alike(there_too, old=old, new=new)
        if not versions:
            continue
        path = f"{struct.path}.{name}" if struct.path else name
        yield Hit(
            f"{path} is at a different place in {counted(VersionSet.of(versions))}: peers that use the "
            "old spec mistake its bytes for those of another field",
            f"put {name} back where it was",
            versions,
            new.written.position,
            old.written.position,
            path=path,
            was=old,
        )
