"""fields-regrouped: different fields or structs describe the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import MessagePair, StructPair, VersionNumbers
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field
from wirebook.specs.versions import Versions, VersionSet, counted


@rule(
    on=StructPair,
    category=Category.SOURCE,
    source="KAFKA-9629",
    severity=Severity.WARNING,
    of_releases=True,
)
def fields_regrouped(struct: StructPair) -> Iterator[Hit]:
    """Fields may be renamed or regrouped as long as the bytes stay the same.

    ## What it does
    Reports fields that only the old spec has, in versions whose bytes are unchanged: other fields of
    the same types replace them, or a struct was added or removed around them.

    ## Why it breaks
    It breaks no peer: names and, in non-flexible versions, structs are not on the wire. Code that uses the
    old fields no longer compiles. The bytes do not show whether the new fields have the same meaning.

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
    replaced: list[str] = []
    versions: set[int] = set()
    first = None
    same_bytes = True
    for old, new in struct.pairs:
        if old is None or (new is not None and _ranges(old) == _ranges(new)):
            continue
        there = frozenset(
            version
            for version in struct.versions
            if version in old.present and (new is None or not _has_place(old, new, version))
        )
        regrouped = struct.messages.alike(there, old=old)
        if regrouped:
            first = first or old
            replaced.append(old.name)
            versions |= regrouped
            same_bytes = same_bytes and _alike_inside(struct.messages, old, regrouped)
    if first is not None:
        how = "with the same bytes" if same_bytes else "in the same place"
        yield Hit(
            f"{', '.join(replaced)} {'is' if len(replaced) == 1 else 'are'} replaced by other fields in "
            f"{counted(VersionSet.of(versions))}, {how}: generated code changes",
            "make sure that the new fields have the meaning of the old ones",
            versions,
            previous=first.written.position,
            discriminator=" ".join(replaced),
        )


def _alike_inside(messages: MessagePair, field: Field, versions: VersionNumbers) -> bool:
    """Whether the fields of an old struct also have the same bytes, which other rules judge."""
    for item in messages.old.fields_of(field) or ():
        there = frozenset(version for version in versions if version in item.present)
        if messages.alike(there, old=item) != there or not _alike_inside(messages, item, there):
            return False
    return True


def _ranges(item: Field) -> tuple[Versions, Versions]:
    return item.present, item.tagged_versions


def _has_place(old: Field, new: Field, version: int) -> bool:
    """Whether the new side has a field in a version, and has it tagged only if the old side does."""
    return version in new.present and (version in old.tagged_versions) == (version in new.tagged_versions)
