"""definition-deleted: a field is deleted together with the versions that had it."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import LoneField
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet


@rule(on=LoneField, category=Category.POLICY, source="KIP-35")
def definition_deleted(lone: LoneField) -> Iterator[Hit]:
    """Never delete the definition of a field, even after its versions are removed.

    ## What it does
    Reports a field that only the old spec has, if no version of both specs contains it. Otherwise
    `field-removed-from-released-version` reports it, or `lowest-version-raised` if the whole API is removed
    (`"validVersions": "none"`).

    ## Why it breaks
    Nothing breaks on the wire today. But the reference no longer describes what older servers write, and a
    tag that is not recorded may be reused.

    ## When it is fine
    If no release had the field. In specs without a `history`, it is a note if a release deprecated the
    versions that had the field.

    ## Do instead
    Keep the field and end its range: `"versions": "0-4"`. Its tag stays reserved.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3",
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "2-3",
        "flexibleVersions": "none", "fields": [
    -   { "name": "Old", "type": "string", "versions": "0-1" }
      ] }
    ```
    """
    if not lone.gone or lone.there or not lone.messages.new.valid_versions:
        return
    old, new = lone.messages.old, lone.messages.new
    if _count(lone.field, new) >= _count(lone.field, old):
        # It moved to another struct, or two structs were matched by their place.
        return
    valid = {*old.valid_versions, *lone.messages.released}
    had = frozenset(version for version in valid if version in lone.field.present)
    tag = "" if lone.field.tag is None else f", and tag {lone.field.tag} appears to be free"
    announced = not old.history and had <= lone.messages.deprecated.keys()
    yield Hit(
        f"the definition of {lone.path} ({lone.field.type}) is deleted: the reference "
        "no longer describes what "
        f"older peers write{tag}",
        f'restore the field, with the range that it had: "versions": "{VersionSet.of(had)}"',
        had,
        severity=Severity.INFO if announced else None,
    )


def _count(item: Field, message: Message) -> int:
    return sum(other.field == item for other in walk_fields(message))
