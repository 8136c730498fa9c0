"""unknown-message-type: a message of an unknown type."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import one_of
from wirebook.specs.model import MESSAGE_TYPES, Message


@rule(on=Message, category=Category.SPEC, source="message format")
def unknown_message_type(message: Message) -> Iterator[Hit]:
    """The type of a message is one that the format defines.

    ## What it does
    Reports a `type` of a message other than request, response, header, data, metadata, coordinator-key and
    coordinator-value.

    ## Why it breaks
    The generator rejects the file, and the header of the message is unknown.

    ## When it is fine
    Never.

    ## Do instead
    Write one of these types. A message of any other kind is `data`.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "requst", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    allowed = (*MESSAGE_TYPES, *message.profile.message_types)
    if message.type and message.type not in allowed:
        yield Hit(
            f'{message.name} is of type "{message.type}", which the format does not define',
            one_of(message.type, allowed),
            at=message.written.at("type"),
            values=(message.type,),
        )
