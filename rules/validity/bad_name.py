"""bad-name: a name that generated code cannot use."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import bad_names
from wirebook.specs.model import Message


@rule(on=Message, category=Category.SPEC, source="message format")
def bad_name(message: Message) -> Iterator[Hit]:
    """Names are identifiers in CamelCase.

    ## What it does
    Reports a message or struct whose name is not a capital letter followed by letters and digits, and a
    field whose name is not a letter followed by letters and digits.

    ## Why it breaks
    Names become classes and members of generated code, and this form works in all languages. The generator
    rejects a name such as `topic_id`.

    ## When it is fine
    A field name may begin with a lowercase letter.

    ## Do instead
    Write `TopicId`.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "foo-request", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    for what, name, written, path in bad_names(message):
        yield Hit(
            f'the {what} name "{name}" is not a CamelCase identifier: no class or member can have this name',
            "use only letters and digits, beginning with a capital letter",
            at=written.at("name"),
            values=(what, name),
            path=path,
        )
