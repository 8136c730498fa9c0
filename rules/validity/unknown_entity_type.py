"""unknown-entity-type: an entity type that the format does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import OneField
from wirebook.rules.rule import Hit, rule
from wirebook.rules.validity.words import one_of
from wirebook.specs.model import ENTITY_TYPES


@rule(on=OneField, category=Category.SPEC, source="message format")
def unknown_entity_type(item: OneField) -> Iterator[Hit]:
    """An entity type is one that the format has.

    ## What it does
    Reports an `entityType` other than transactionalId, producerId, groupId, topicName, brokerId and unknown.

    ## Why it breaks
    Kafka's generator refuses the file. The bytes are the same.

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
    kind = item.field.entity_type
    if kind is not None and kind not in ENTITY_TYPES:
        yield Hit(
            f'{item.path} has entity type "{kind}", which the format does not have',
            f"{one_of(kind, ENTITY_TYPES)}, or leave the key out",
            at=item.field.written.at("entityType"),
            discriminator=kind,
        )
