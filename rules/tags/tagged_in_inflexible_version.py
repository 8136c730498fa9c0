"""tagged-in-inflexible-version: a tagged field in versions that are not flexible."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Repair
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(on=OneField, category=Category.SPEC, source="KIP-482", follows=("flexible-versions-changed",))
def tagged_in_inflexible_version(item: OneField) -> Iterator[Hit]:
    """A tagged field needs a flexible version.

    ## What it does
    Reports `taggedVersions` outside the flexible versions of the message, or outside the `flexibleVersions`
    of the field where it has its own. Versions that are not valid count too.

    ## Why it breaks
    A non-flexible version has no tagged section, so there is no place on the wire for the field. A writer
    that put a section there would shift every byte after it for all readers. The generator refuses the
    file.

    ## When it is fine
    In every flexible version, released ones too: a reader that does not know a tag skips it.

    ## Do instead
    Let `taggedVersions` begin where `flexibleVersions` does, or add a new flexible version for it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    +   { "name": "Region", "type": "string", "versions": "0+", "taggedVersions": "0+", "tag": 0 }
      ] }
    ```
    """
    field, message = item.field, item.message
    if not message.valid_versions:
        return
    flexible = message.flexible_versions
    if flexible:
        # That flexible versions end is a finding of its own.
        flexible = Versions(flexible.lowest, MAX_VERSION)
    own = field.flexible_versions
    # Other types must not have flexible versions of their own: that is a finding of its own, too.
    if own is not None and field.type in ("string", "bytes") and flexible.covers(own):
        flexible = own
    outside = field.tagged_versions - flexible
    if not outside:
        return
    if flexible is own:
        why = f"the field is flexible in {flexible} only" if flexible else "the field is never flexible"
        fix = 'delete the "flexibleVersions" of the field'
    elif flexible:
        why = f"the message is flexible in {flexible} only"
        fix = f'write "taggedVersions": "{flexible}" or later, or add a new flexible version'
    else:
        why = "no version of the message is flexible"
        fix = "add a new, flexible version and tag the field from there"
    yield Hit(
        f"{item.path} is tagged in {counted(outside)}, but {why}: there is no tagged section for it",
        fix,
        at=field.written.at("taggedVersions"),
        repairs=() if flexible is own else _later(item),
    )


def _later(item: OneField) -> tuple[Repair, ...]:
    """The change that lets a field which is always tagged begin with the flexible versions."""
    field, flexible = item.field, item.message.flexible_versions
    if not flexible or field.versions != field.tagged_versions:
        return ()
    return tuple(
        Repair(item.message.path, field.written, key, str(flexible)) for key in ("versions", "taggedVersions")
    )
