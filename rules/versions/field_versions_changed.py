"""field-versions-changed: the range of a field gains or loses a released version."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import FieldPair
from wirebook.rules.rule import Hit, restored, rule
from wirebook.rules.severity import Category
from wirebook.specs.versions import VersionSet, counted


@rule(on=FieldPair, category=Category.WIRE, source="KIP-35; KIP-482")
def field_versions_changed(pair: FieldPair) -> Iterator[Hit]:
    """The released versions of a field never change.

    ## What it does
    Compares `versions` on both sides (or `taggedVersions`, for a tagged field without `versions`), over the
    versions that both specs have. Reopening a closed range is such a change.

    ## Why it breaks
    The bytes of an untagged field appear in messages that old peers read without them, or disappear from
    messages that they read with them. A reader that knows a tag only from other versions rejects it: "Tag N
    is not valid for version V".

    ## When it is fine
    Above the released versions, or if another field of the same type takes the same place. A new tagged
    field may be added to released flexible versions.

    ## Do instead
    Start or end the range at an unreleased version.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "2+" }
    +   { "name": "Note", "type": "string", "versions": "1+" }
      ] }
    ```
    """
    for versions, word in ((pair.after - pair.before, "reaches into"), (pair.before - pair.after, "leaves")):
        if not versions:
            continue
        side = pair.new if word == "reaches into" else pair.old
        new = word == "reaches into" and side.tag is not None
        if new and not any(old.tag == side.tag for old, _ in pair.struct.pairs if old is not None):
            # No reader rejects a new tag; tag-reused covers released ones.
            versions -= frozenset(side.tagged_versions & pair.messages.new.valid_versions)
        # Another field in the same place, or with the same tag, has the same bytes.
        versions -= (
            pair.messages.alike(versions, new=side)
            if word == "reaches into"
            else pair.messages.alike(versions, old=side)
        )
        if not versions:
            continue
        shown = VersionSet.of(versions)
        tagged = all(version in side.tagged_versions for version in versions)
        hurt = (
            f'a reader that knows tag {side.tag} from other versions reports "Tag {side.tag} is not valid"'
            if tagged
            else "peers that use the other spec misread it and everything after it"
        )
        back = restored(pair.old.written, "versions", pair.old.versions)
        yield Hit(
            f"{pair.path} {word} {counted(shown)}: {hurt}",
            f"{back}; change it from a new version on",
            versions,
            pair.new.written.at("versions"),
            pair.old.written.at("versions"),
            discriminator=word,
        )
