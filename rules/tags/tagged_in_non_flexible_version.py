"""A tagged field needs a flexible version.

## What it does
Reports `taggedVersions` outside the flexible versions of the message, or outside the field's own
`flexibleVersions`. Versions that are not valid count too.

## Why it breaks
A non-flexible version has no tagged field section, so the field has no place on the wire. A section
added by a writer would shift every byte after it for all readers. Strict readers reject the file.

## When it is fine
In every flexible version, even a released one: readers skip unknown tags.

## Do instead
Start `taggedVersions` at the first flexible version, or add a new flexible version for the field.

## Example
```diff
  { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "1+", "fields": [
+   { "name": "Region", "type": "string", "versions": "0+", "taggedVersions": "0+", "tag": 0 }
  ] }
```
"""

from wirebook.rules.parts import OneField
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.versions import MAX_VERSION, Versions, counted


@rule(Category.SPEC, "KIP-482", follows=("flexible-versions-changed",), keys=("taggedVersions",))
def tagged_in_non_flexible_version(member: OneField) -> Hits:
    field = member.field
    message = member.message
    own = member.field.flexible_versions
    flexible = message.flexible_versions
    if flexible:
        # Flexible versions that end are reported by bad-value.
        flexible = Versions(flexible.lowest, MAX_VERSION)
    why = "no version of the message is flexible"
    fix = "add a new, flexible version and tag the field from there"
    # On other types, `flexibleVersions` is reported by misplaced-key.
    if own is not None and field.type in ("string", "bytes") and flexible.covers(own):
        flexible = own
        why = f"the field is flexible in {own} only" if own else "the field is never flexible"
        fix = 'delete the "flexibleVersions" of the field'
    elif flexible:
        why = f"the message is flexible in {flexible} only"
        fix = f'write "taggedVersions": "{flexible}" or later, or add a new flexible version'
    outside = field.tagged_versions - flexible
    if outside and message.valid_versions:
        yield Hit(
            f"{member.path} is tagged in {counted(outside)}, but {why}: there is no tagged field "
            "section for it",
            fix,
            key="taggedVersions",
        )
