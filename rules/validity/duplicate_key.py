"""duplicate-key: a key is repeated in one object."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind


@rule(on=Message, category=Category.SPEC, source="RFC 8259")
def duplicate_key(message: Message) -> Iterator[Hit]:
    """No object has the same key twice.

    ## What it does
    Reports a key that is repeated in one object of the text.

    ## Why it breaks
    Readers of JSON do not agree on what a repeated key means: most keep the last one in silence, others the
    first, some refuse the file.

    ## When it is fine
    Never, not even with the same value: an editor of one of the two expects it to count.

    ## Do instead
    Delete all but the one that is meant.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "versions": "1+" }
      ] }
    ```
    """
    yield from reported(message, ProblemKind.DUPLICATE_KEY, "delete the one that is not meant")
