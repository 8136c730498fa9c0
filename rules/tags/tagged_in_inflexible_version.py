"""tagged-in-inflexible-version: a tagged field where there is no tagged section."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Repair
from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(on=OneField, category=Category.SPEC, source="KIP-482", follows=("flexible-versions-changed",))
def tagged_in_inflexible_version(item: OneField) -> Iterator[Hit]:
    """A tagged field needs a flexible version.

    ## What it does
    Reports `taggedVersions` that reach versions of the message which are not flexible.

    ## Why it breaks
    An inflexible version has no tagged section: there is no place on the wire for the field. A writer
    that put a section there all the same would shift every byte after it for all readers.

    ## When it is fine
    In every flexible version, released ones too: a reader that does not know a tag steps over it.

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
    flexible = message.flexible_versions
    if flexible:
        # That flexible versions end is a finding of its own.
        flexible = Versions(flexible.lowest, MAX_VERSION)
    outside = (field.tagged_versions & message.valid_versions) - flexible
    if outside:
        yield Hit(
            f"{item.path} is tagged in {counted(outside)}, where nothing is flexible: there is no place for "
            f"it (flexible versions: {message.flexible_versions})",
            f'write "taggedVersions": "{message.flexible_versions}" or later, or make a new flexible version'
            if message.flexible_versions
            else "make a new, flexible version and tag the field from there",
            at=field.written.at("taggedVersions"),
            repairs=_later(item),
        )


def _later(item: OneField) -> tuple[Repair, ...]:
    """The change that lets a field which is always tagged begin with the flexible versions."""
    field, flexible = item.field, item.message.flexible_versions
    if not flexible or field.versions != field.tagged_versions:
        return ()
    return tuple(
        Repair(item.message.path, field.written, key, str(flexible)) for key in ("versions", "taggedVersions")
    )
