"""definition-deleted: a field is deleted together with the versions that had it."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import LoneField, OneField, VersionNumbers
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field, Message
from wirebook.specs.versions import VersionSet


@rule(on=LoneField, category=Category.POLICY, source="KIP-35")
def definition_deleted(lone: LoneField) -> Iterator[Hit]:
    """Never delete the definition of a field, even after its versions are removed.

    ## What it does
    Reports a field that only the old spec has, if it is tagged, or if no version of both specs contains it.
    A tagged field that moves to another struct is deleted, because each struct has tags of its own.
    Otherwise `field-removed-from-released-version` reports it, or `lowest-version-raised` if the whole API is
    removed (`"validVersions": "none"`).

    ## Why it breaks
    Peers skip a tag that they do not know, so no message is misread. But what older peers send is lost, the
    reference no longer describes it, and a tag that is not recorded may be reused.

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
    if not lone.gone or not lone.messages.new.valid_versions:
        return
    if any(version not in lone.field.tagged_versions for version in lone.versions):
        # Bytes at a place of their own are a matter of the layout.
        return
    own = lone.field.tag
    if own is not None and any(new is not None and new.tag == own for _, new in lone.struct.pairs):
        # tag-reused reports the field that has it now.
        return
    old, new = lone.messages.old, lone.messages.new
    if own is None and _count(lone.field, new) >= _count(lone.field, old):
        # It moved to another struct, or two structs were matched by their place. A tag belongs to its struct.
        return
    valid = lone.struct.old_versions | _only_released(lone)
    had = frozenset(version for version in valid if version in lone.field.present)
    tag = "" if lone.field.tag is None else f", and tag {lone.field.tag} appears to be free"
    announced = not old.history and had <= lone.messages.deprecated.keys()
    hurt = (
        f"what older peers send under tag {lone.field.tag} is lost"
        if lone.versions
        else f"the reference no longer describes what older peers write{tag}"
    )
    has_release = bool(had & lone.messages.released.keys())
    if not has_release:
        hurt = f"no release has it{tag}"
    # Of a version that only an unstable top version has, nothing is lost.
    is_released = own is None or any(
        of.field.name == lone.field.name and of.field.tag == own for of in _fields_of_releases(lone)
    )
    is_unreleased = not is_released and bool(had - {lone.messages.unstable_top})
    yield Hit(
        f"the definition of {lone.path} ({lone.field.type}) is deleted: {hurt}",
        f'restore the field, with the range that it had: "versions": "{VersionSet.of(had)}"',
        had,
        severity=Severity.INFO if announced else Severity.WARNING if is_unreleased else None,
    )


def _only_released(lone: LoneField) -> VersionNumbers:
    """The versions in which releases have the field, and which the old side does not serve.

    If the new side serves them, it is compared with the releases, which shows all but the loss of a tag.
    """
    own, names = lone.field, {of.field.name for of in walk_fields(lone.messages.old)}
    released = {
        version
        for of in _fields_of_releases(lone)
        # Another one of its type, which the old side lacks, may be the field before it was renamed.
        if of.field.name == own.name or (of.field.name not in names and of.field.type == own.type)
        for version in of.versions & of.field.present
    }
    both = lone.messages.old.valid_versions, lone.messages.new.valid_versions
    served = both if own.tag is None else both[:1]
    return frozenset(released & lone.messages.released.keys()).difference(*served)


def _fields_of_releases(lone: LoneField) -> Iterator[OneField]:
    """All fields of the message in releases."""
    for spec in lone.messages.released_specs:
        yield from walk_fields(spec)


def _count(field: Field, message: Message) -> int:
    return sum(other.field == field for other in walk_fields(message))
