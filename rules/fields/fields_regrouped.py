"""Fields may be renamed or regrouped as long as the bytes stay the same.

## What it does
Reports fields that only base has, in versions whose bytes are unchanged: other fields of the same
types replace them, or a struct was added or removed around them, or around the elements of an
array.

## Why it breaks
No peer misreads the message: names and, in non-flexible versions, structs are not on the wire. Code
that uses the old fields no longer compiles, and the bytes do not show whether the new ones have the
same meaning.

## When it is fine
If they have, as when `PartitionHeader` was added to Fetch and removed again.

## Do instead
Check the meaning. Add a field with a different one in a new version.

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

from wirebook.rules.parts import StructPair, versions_in
from wirebook.rules.rule import Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Field
from wirebook.specs.versions import counted


@rule(Category.SOURCE, "KAFKA-9629", Severity.WARNING)
def fields_regrouped(struct: StructPair) -> Hits:
    # Where both sides agree, other fields carry the bytes of a field that only one has.
    alike = struct.versions & struct.messages.alike
    replaced: dict[str, Field] = {}
    versions: frozenset[int] = frozenset()
    for base, head in struct.pairs:
        if base is None:
            continue
        lost = untagged = versions_in(alike, base.present - base.tagged_versions)
        # A struct and the field inside it are two fields.
        if head is not None and base.is_struct == head.is_struct:
            lost = untagged - versions_in(untagged, head.present - head.tagged_versions)
        if lost:
            replaced[base.name] = base
            versions |= lost
    if replaced:
        are = "is" if len(replaced) == 1 else "are"
        yield Hit(
            f"{', '.join(replaced)} {are} replaced by other fields in {counted(versions)}, with "
            "the same bytes: generated code changes",
            "make sure that the new fields have the meaning of the old ones",
            versions,
            previous=next(iter(replaced.values())).written.at(),
            discriminator=" ".join(replaced),
        )
