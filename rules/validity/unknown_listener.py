"""unknown-listener: a listener that the format does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.rule import Hit, rule
from wirebook.rules.validity.words import one_of
from wirebook.specs.model import LISTENERS, Message


@rule(on=Message, category=Category.SPEC, source="message format")
def unknown_listener(message: Message) -> Iterator[Hit]:
    """A listener is broker or controller.

    ## What it does
    Reports a word in `listeners` that is neither.

    ## Why it breaks
    Kafka's generator refuses the file. `zkBroker` was removed in 4.0 with ZooKeeper, and `raft` was never
    released.

    ## When it is fine
    Where some spec of the old side or of the newest release uses it, as on a 3.x branch of Kafka: the
    generator of that repository accepts it.

    ## Do instead
    Name the servers that answer the request: "broker", "controller" or both.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "listeners": ["broker"], "fields": [] }
    +   "flexibleVersions": "1+", "listeners": ["brokers"], "fields": [] }
    ```
    """
    for word in dict.fromkeys(message.listeners):
        if word not in LISTENERS:
            gone = " (it was removed with ZooKeeper in 4.0)" if word == "zkBroker" else ""
            yield Hit(
                f'{message.name} names the listener "{word}", which does not exist{gone}',
                "delete it" if gone else one_of(word, LISTENERS),
                at=message.written.at("listeners"),
                discriminator=word,
            )
