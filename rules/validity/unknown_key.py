"""unknown-key: a key that the format does not have."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.rule import Hit, rule
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(on=Message, category=Category.SPEC, source="message format", severity=Severity.WARNING)
def unknown_key(message: Message) -> Iterator[Hit]:
    """Every key is one that the format has.

    ## What it does
    Reports keys of a message, field, struct or history entry that the format does not know.

    ## Why it breaks
    Kafka's generator refuses the file. Other readers pass over the key, and what it should have said with
    it: a `nullableVersion` makes nothing nullable.

    ## When it is fine
    Never in a spec that Kafka is to read. wirebook keeps the key and shows it.

    ## Do instead
    Mend the spelling, or say it in a `//` comment.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "fields": [] }
    +   "flexibleVersions": "1+", "scope": "broker", "fields": [] }
    ```
    """
    yield from reported(message, ProblemKind.UNKNOWN_KEY, "mend the spelling, or delete the key")
