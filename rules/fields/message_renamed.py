"""message-renamed: a message keeps its API key and changes its name."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.fields.api_key_changed import takes_a_key
from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule


@rule(on=MessagePair, category=Category.SOURCE, source="Kafka's message format", severity=Severity.WARNING)
def message_renamed(pair: MessagePair) -> Iterator[Hit]:
    """A new name for a message changes generated code.

    ## What it does
    Reports a message of the same type and API key with another name.

    ## Why it breaks
    The wire knows the key alone. Generated classes, documentation links and whatever names the API (quota
    rules, access lists, metrics) know the name.

    ## When it is fine
    When all of those go along; Kafka renamed several so.

    ## Do instead
    Nothing, if it is wanted; say it in the notes of the release.

    ## Example
    ```diff
    - { "type": "data", "name": "Foo", "validVersions": "0-1", "flexibleVersions": "1+", "fields": [] }
    + { "type": "data", "name": "FooData", "validVersions": "0-2", "flexibleVersions": "1+",
    +   "fields": [] }
    ```
    """
    if takes_a_key(pair.old, pair.new):
        return
    if pair.old.name != pair.new.name and pair.old.type == pair.new.type:
        yield Hit(
            f"{pair.old.name} is called {pair.new.name} now: generated code and names in tools change",
            "say it in the notes of the release",
            at=pair.new.written.at("name"),
            previous=pair.old.written.at("name"),
            discriminator=f"{pair.old.name} {pair.new.name}",
        )
