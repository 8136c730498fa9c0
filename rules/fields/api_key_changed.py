"""api-key-changed: a message gets another API key."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Message


@rule(on=MessagePair, category=Category.WIRE, source="KIP-35")
def api_key_changed(pair: MessagePair) -> Iterator[Hit]:
    """A message keeps its API key for ever.

    ## What it does
    Reports a message of the same type and name whose API key is another, is new or is gone, and one of
    another name in the place of one that was retired (`"validVersions": "none"`): its key stays taken.

    ## Why it breaks
    The key is the first thing in every request: it says what the rest is. Peers of the old spec take the
    message for another one, or close the connection.

    ## When it is fine
    When no release had the message.

    ## Do instead
    Leave the key; give a new API the next free one.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 901, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    old, new = pair.old, pair.new
    if old.api_key != new.api_key and old.type == new.type:
        yield Hit(
            f"{new.name} has API key {new.api_key} instead of {old.api_key}: peers take it for another API",
            f"go back to API key {old.api_key}",
            frozenset(old.valid_versions),
            new.written.at("apiKey"),
            old.written.at("apiKey"),
        )
    elif old.type == new.type and takes_a_key(old, new):
        yield Hit(
            f"{new.name} takes API key {new.api_key}, which was {old.name}'s: peers of an older release take "
            "it for that",
            f"keep the definition of {old.name}, and give {new.name} the next free key",
            at=new.written.at("apiKey"),
            previous=old.written.at("apiKey"),
        )


def takes_a_key(old: Message, new: Message) -> bool:
    """Whether another message stands where one was retired, whose API key stays taken."""
    return bool(new.valid_versions) and not old.valid_versions and old.name != new.name
