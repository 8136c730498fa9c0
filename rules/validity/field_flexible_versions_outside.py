"""field-flexible-versions-outside: a field is flexible where its message is not."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category


@rule(on=OneField, category=Category.SPEC, source="KIP-482")
def field_flexible_versions_outside(member: OneField) -> Iterator[Hit]:
    """A field is flexible only in flexible versions of its message.

    ## What it does
    Compares a field's own `flexibleVersions` with those of the message, which must contain all of them.

    ## Why it breaks
    The compact encoding belongs to flexible versions; only this field of the message would use it. Strict
    readers reject the file.

    ## When it is fine
    A narrower range: with `none`, every peer can read the field, even in versions that it does not know.

    ## Do instead
    Omit the key: a field is flexible in the flexible versions of its message.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "flexibleVersions": "0+" }
      ] }
    ```
    """
    own, whole = member.field.flexible_versions, member.message.flexible_versions
    # The versions of a shared struct are those of each message: what lies outside has no effect.
    if own and not member.is_imported and (not whole or own.lowest < whole.lowest):
        yield Hit(
            f"{member.path} is flexible in versions {own}, its message only in {whole}",
            'omit "flexibleVersions" from the field',
            at=member.field.written.at("flexibleVersions"),
        )
