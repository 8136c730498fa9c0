"""missing-key: a key that the format requires is not there."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import reported
from wirebook.specs.model import Message
from wirebook.specs.problems import ProblemKind

KEYED = ("request", "response", "metadata", "coordinator-key", "coordinator-value")


@rule(on=Message, category=Category.SPEC, source="message format")
def missing_key(message: Message) -> Iterator[Hit]:
    """A spec has all keys that the format requires.

    ## What it does
    Reports a message without `name`, `type`, `validVersions` or `flexibleVersions`, or without `apiKey`
    where its type needs one; a field without `name`, `type` or `versions`; a struct without `name` or
    `versions`.

    ## Why it breaks
    The generator refuses the file. Other readers fill in a value of their own: without
    `flexibleVersions`, some take no version as flexible, others all of them.

    ## When it is fine
    A tagged field may leave out `versions`, unless it holds a struct: it lives in its `taggedVersions`.
    `flexibleVersions` may be left out where `validVersions` is none, and where other specs of the old side
    do without it: older generators know no such key. `headerVersions` is optional.

    ## Do instead
    Write the key. A new message is flexible from the first version on: `"flexibleVersions": "0+"`.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "none",
        "fields": [] }
    ```
    """
    yield from reported(message, ProblemKind.MISSING_KEY, "write the key")
    written = message.written.keys
    if message.type in KEYED and "apiKey" not in written:
        yield Hit(
            f'{message.name} has no "apiKey", which identifies a {message.type}',
            "give it the next free API key",
            discriminator="apiKey",
        )
    if message.valid_versions and "flexibleVersions" not in written:
        yield Hit(
            f'{message.name} has no "flexibleVersions", which the generator requires',
            'write "flexibleVersions": "0+" for a new message, "none" for one that was never flexible',
            discriminator="flexibleVersions",
        )
    for item in walk_fields(message):
        if item.field.fields and "versions" not in item.field.written.keys and item.field.tagged_versions:
            yield Hit(
                f'{item.path} holds a struct and has no "versions": the generator refuses it',
                f'write "versions": "{item.field.tagged_versions}" beside the tagged versions',
                at=item.field.written.position,
                path=item.path,
            )
