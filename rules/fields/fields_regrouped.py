"""Fields may be renamed or regrouped as long as the bytes stay the same.

## What it does
Reports fields that only the old spec has, in versions whose bytes are unchanged: other fields of
the same types replace them, or a struct was added or removed around them, or around the elements of
an array.

## Why it breaks
It breaks no peer: names and, in non-flexible versions, structs are not on the wire. Code that uses
the old fields no longer compiles. The bytes do not show whether the new fields have the same
meaning.

## When it is fine
If the new fields have the meaning of the old ones, as when `PartitionHeader` was added to Fetch and
removed again.

## Do instead
Check that the meaning is the same. Add a field with a different meaning in a new version.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "none", "fields": [
-   { "name": "Host", "type": "string", "versions": "0+" },
-   { "name": "Port", "type": "int32", "versions": "0+" }
+   { "name": "Address", "type": "Address", "versions": "0+", "fields": [
+     { "name": "Host", "type": "string", "versions": "0+" },
+     { "name": "Port", "type": "int32", "versions": "0+" }
+   ] }
  ] }
```
"""

from wirebook.rules.match import is_untagged
from wirebook.rules.pairs import StructPair
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field
from wirebook.specs.versions import Versions, VersionSet, counted


@rule(Category.SOURCE, "KAFKA-9629", Severity.WARNING)
def fields_regrouped(struct: StructPair) -> Hits:
    replaced: list[str] = []
    versions: set[int] = set()
    first = None
    for old, new in struct.pairs:
        if old is None:
            continue
        if new is not None and old.is_struct != new.is_struct:
            yield from _retyped(struct, old, new)
        if new is not None and _ranges(old) == _ranges(new):
            continue
        # Where both sides agree, other fields carry the bytes of this one.
        lost = frozenset(
            version
            for version in struct.versions & struct.messages.alike
            if is_untagged(old, version) and (new is None or not is_untagged(new, version))
        )
        if lost:
            first = first or old
            replaced.append(old.name)
            versions |= lost
    if first is not None:
        yield Hit(
            f"{', '.join(replaced)} {'is' if len(replaced) == 1 else 'are'} replaced by other "
            "fields in "
            f"{counted(VersionSet.of(versions))}, with the same bytes: generated code changes",
            "make sure that the new fields have the meaning of the old ones",
            versions,
            previous=first.written.position,
            discriminator=" ".join(replaced),
        )


def _retyped(struct: StructPair, old: Field, new: Field) -> Hits:
    """The field that gets structs of one field, or loses them, where both have its bytes at one
    place."""
    versions = frozenset(
        version
        for version in struct.versions & struct.messages.alike
        if is_untagged(old, version) and is_untagged(new, version)
    )
    if versions:
        yield Hit(
            f"{struct.path_of(new)} is {new.type} instead of {old.type} in "
            f"{counted(VersionSet.of(versions))}, with the same bytes: generated code changes",
            "make sure that the new field has the meaning of the old one",
            versions,
            at=new.written.at("type"),
            previous=old.written.at("type"),
            discriminator=old.name,
        )


def _ranges(field: Field) -> tuple[Versions, Versions]:
    return field.present, field.tagged_versions
