"""unknown-entity-type: an entity type that the format does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import one_of


@rule(on=OneField, category=Category.SPEC, source="message format")
def unknown_entity_type(item: OneField) -> Iterator[Hit]:
    """An entity type is one that the format has.

    ## What it does
    Reports an `entityType` that is not among those of the profile of the protocol. A profile without
    `[entity_types]` allows any.

    ## Why it breaks
    The generator of the protocol refuses the file. The bytes are the same.

    ## When it is fine
    Where the old side or the newest release uses it: the generator of that repository accepts it.

    ## Do instead
    Write one of them, or leave the key out.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Topic", "type": "string", "versions": "0+", "entityType": "topicName" }
    +   { "name": "Topic", "type": "string", "versions": "0+", "entityType": "topic" }
      ] }
    ```
    """
    kind, known = item.field.entity_type, item.message.profile.entity_types
    if kind is not None and known is not None and kind not in known:
        yield Hit(
            f'{item.path} has entity type "{kind}", which the protocol does not have',
            f"{one_of(kind, list(known))}, or leave the key out",
            at=item.field.written.at("entityType"),
            discriminator=kind,
        )
