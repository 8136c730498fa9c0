"""duplicate-api-key: two messages of one kind have the same API key."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Message, Protocol


@rule(on=Protocol, category=Category.SET, source="message format", per_api=True)
def duplicate_api_key(protocol: Protocol) -> Iterator[Hit]:
    """An API key belongs to one message of its kind.

    ## What it does
    Compares the API keys of the messages of one type. Requests and responses have one numbering throughout;
    those of records, whose readers know where they are stored, have one in each folder. Of two messages with
    one key, the one that the old side does not have is reported; of an API, its request.

    ## Why it breaks
    Only the key identifies the bytes: a server reads one message as the other.

    ## When it is fine
    A request and its response share the key. So may records that are stored in different logs.

    ## Do instead
    Use the next free key.

    ## Example
    ```diff
    @@ BarRequest.json @@
      { "apiKey": 900, "type": "request", "name": "BarRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    @@ FooRequest.json @@
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    +   "flexibleVersions": "1+", "fields": [] }
    ```
    """
    seen: dict[tuple[str, str, int], Message] = {}
    for message in protocol:
        if message.api_key is None:
            continue
        rpc = message.type in ("request", "response")
        folder = "" if rpc else message.path.rpartition("/")[0]
        first = seen.setdefault((message.type, folder, message.api_key), message)
        if first is not message:
            yield Hit(
                f"{message.name} has API key {message.api_key}, which {first.name} has: a reader takes "
                "one for the other",
                f"use the next free API key, {_free(protocol, message)}",
                at=message.written.at("apiKey"),
                of=message,
            )


def _free(protocol: Protocol, message: Message) -> int:
    """The lowest key above all keys that messages of the type have."""
    return 1 + max(other.api_key or 0 for other in protocol if other.type == message.type)
