"""field-removed-from-released-version: a field of released versions is no longer read or written."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import LoneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import VersionSet, counted


@rule(on=LoneField, category=Category.WIRE, source="KIP-35; KAFKA-18967")
def field_removed_from_released_version(lone: LoneField) -> Iterator[Hit]:
    """A field stays in every released version that has it.

    ## What it does
    Reports a field that only the old spec has, in the versions that both specs have.

    ## Why it breaks
    Old peers still send and expect the bytes of an untagged field, so everything after it is misread. The
    bytes of a tagged field are skipped, but its value is lost, and the tag appears to be free.

    ## When it is fine
    If every version that had the field is removed as well.

    ## Do instead
    Keep the definition and end its range: `"versions": "0-4"`, where 5 is a new version.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Count", "type": "int32", "versions": "0+" }
      ] }
    ```
    """
    versions = lone.versions
    if _tag_taken(lone):
        versions = frozenset(version for version in versions if version not in lone.field.tagged_versions)
    if not lone.gone or not versions:
        return
    shown = VersionSet.of(versions)
    tagged = all(version in lone.field.tagged_versions for version in versions)
    hurt = (
        f"what old peers send under tag {lone.field.tag} is lost"
        if tagged
        else "old peers still send and expect its bytes, and everything after it is misread"
    )
    yield Hit(
        f"{lone.path} ({lone.field.type}) is removed from {counted(shown)}: {hurt}",
        "keep the field, and end its range below a new version",
        versions,
    )


def _tag_taken(lone: LoneField) -> bool:
    """Whether a new field has the tag: then `tag-reused` reports the versions in which it is tagged."""
    return lone.field.tag is not None and any(
        old is None and new is not None and new.tag == lone.field.tag for old, new in lone.struct.pairs
    )
