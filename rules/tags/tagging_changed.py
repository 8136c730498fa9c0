"""tagging-changed: a field becomes tagged or untagged in a released version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import VersionSet, counted


@rule(on=FieldPair, category=Category.WIRE, source="KIP-482")
def tagging_changed(pair: FieldPair) -> Iterator[Hit]:
    """A field stays tagged, or untagged, in every released version.

    ## What it does
    Compares `taggedVersions` of a field on both sides, in the versions in which both have the field.

    ## Why it breaks
    An untagged field has a fixed place; a tagged one is in the section at the end of its struct. Peers that
    use the other spec read the bytes of another field instead, and misread the rest of the message.

    ## When it is fine
    From a new version on, a field may become tagged: this is how optional fields are migrated. It may also
    get a new name and a new tag if another field takes its place with the same bytes.

    ## Do instead
    Start `taggedVersions` at a new version, and keep the field untagged below it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "taggedVersions": "1+", "tag": 0 }
      ] }
    ```
    """
    changed = pair.differ("tagged_versions")
    if pair.old.name != pair.new.name and not any(
        old.tag == pair.new.tag for old, _ in pair.struct.pairs if old is not None
    ):
        # Readers skip a new tag; if another field has the place of the old one, its bytes stay the same.
        now = frozenset(version for version in changed if version in pair.new.tagged_versions)
        changed -= pair.messages.alike(now, old=pair.old)
    if not changed:
        return
    now = frozenset(version for version in changed if version in pair.new.tagged_versions)
    back = restored(pair.old.written, "taggedVersions", pair.old.tagged_versions)
    yield Hit(
        f"{pair.path} {'becomes' if now else 'is no longer'} tagged in "
        f"{counted(VersionSet.of(changed))}: peers that use the other spec misread everything after it",
        f"{back}; change it from a new version on",
        changed,
        pair.new.written.at("taggedVersions"),
        pair.old.written.at("taggedVersions"),
    )
