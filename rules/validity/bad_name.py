"""bad-name: a name that is not in CamelCase."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirebook.rules.pairs import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import FIELD_NAME, bad_names
from wirebook.specs.model import Message


@rule(on=Message, category=Category.SPEC, source="message format")
def bad_name(message: Message) -> Iterator[Hit]:
    """Names are in CamelCase.

    ## What it does
    Reports a message or struct whose name is not a capital letter followed by letters and digits, and a
    field whose name is not a letter followed by letters and digits.

    ## Why it breaks
    Nothing breaks on the wire, which has no names. But pages, tools and generated code take words apart at
    capital letters, and write them as each language does. Strict readers reject a name such as `order_id`.

    ## When it is fine
    A field name may begin with a lowercase letter.

    ## Do instead
    Write `OrderId`.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "foo-request", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    for what, name, written, path in bad_names(message):
        yield Hit(
            f'the {what} name "{name}" is not in CamelCase, which the format requires: letters and digits, '
            f"the first {'a letter' if what == 'field' else 'a capital'}",
            f'write "{camel}"'
            if (camel := _camel(name, what == "field" and _begins_lower(message)))
            else "use only letters and digits, beginning with a capital letter",
            at=written.at("name"),
            path=path,
        )


def _begins_lower(message: Message) -> bool:
    """Whether most names of fields begin with a lowercase letter, of those that have no other form."""
    names = [member.field.name for member in walk_fields(message)]
    camels = [name for name in names if FIELD_NAME.fullmatch(name) and name != name.lower()]
    return sum(name[0].islower() for name in camels) * 2 > len(camels)


def _camel(name: str, begins_lower: bool) -> str:
    """The last part of a path in CamelCase: `order_id` is `OrderId`, or `orderId` if names begin like that.

    It is "" if it has no letter to begin with.
    """
    words = re.findall(r"[A-Za-z0-9]+", name.rpartition(".")[2], re.ASCII)
    camel = "".join(word[0].upper() + word[1:] for word in words)
    if begins_lower:
        camel = camel[:1].lower() + camel[1:]
    return camel if camel[:1].isalpha() else ""
