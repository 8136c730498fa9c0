"""Never delete the definition of a field, even after its versions are removed.

## What it does
Reports a field that only base has, if it is tagged, or if no version of both specs contains it. A
tagged field that moves to another struct is deleted, because each struct has its own tags.
`field-removed-from-released-version` reports other fields, and `lowest-version-raised` an API that
is removed as a whole (`"validVersions": "none"`).

## Why it breaks
Peers skip a tag that they do not know, so no message is misread. But what older peers send is lost,
the reference no longer describes it, and a tag that is not recorded may be reused.

## When it is fine
If no release had the field. In specs without a `history`, it is a note once no valid version has
the field. Its tag stays taken.

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

from wirebook.rules.parts import DeletedField, versions_in, walk_fields
from wirebook.rules.rule import UNRELEASED, Category, Hit, Hits, Severity, rule
from wirebook.specs.model import Field, Message


@rule(Category.POLICY, "KIP-35")
def definition_deleted(deleted: DeletedField) -> Hits:
    pair = deleted.messages
    own = deleted.field
    tag = deleted.field.tag
    shared = versions_in(deleted.struct.versions, own.present)
    if shared - versions_in(shared, own.tagged_versions):
        # Bytes at a place of their own are a matter of the layout.
        return
    if pair.base.valid_versions and not pair.head.valid_versions:
        return
    if tag is None and _fields(pair.head).count(own) >= _fields(pair.base).count(own):
        # It moved to another struct, or two structs were matched by their place. A tag belongs to
        # its struct.
        return
    if tag is not None and tag in [head.tag for _, head in deleted.struct.pairs if head]:
        # tag-reused reports the field that has it now.
        return
    had = versions_in(deleted.struct.base_versions | pair.released.keys(), own.present)
    if not had and not versions_in([each.version for each in pair.base.history], own.present):
        return
    freed = "" if tag is None else f", and tag {tag} appears to be free"
    hurt = f"the reference no longer describes what older peers write{freed}"
    fix = f'restore the field, with the range that it had: "versions": "{own.present}"'
    if had and had.isdisjoint(pair.released):
        hurt = f"no release has it{freed}"
        fix = UNRELEASED
    elif shared:
        hurt = f"what older peers send under tag {tag} is lost"
    # A version that only the history records was released, though it is not valid any more.
    severity = None if had else Severity.ERROR
    if not pair.base.history and not shared:
        severity = Severity.INFO
    elif tag is not None and had - {pair.unstable}:
        released = [each for spec in pair.released_specs for each in _fields(spec)]
        if all((each.name, each.tag) != (own.name, tag) for each in released):
            severity = Severity.WARNING
    yield Hit(
        f"the definition of {deleted.path} ({own.type}) is deleted: {hurt}",
        fix,
        had or None,
        severity=severity,
    )


def _fields(message: Message) -> list[Field]:
    return [member.field for member in walk_fields(message)]
