"""names-differ: the names of a request and its response do not match."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import STRUCT_NAME
from wirebook.specs.model import Message, Protocol


@rule(on=Protocol, category=Category.SET, source="message format")
def names_differ(protocol: Protocol) -> Iterator[Hit]:
    """Request and response of an API are called after it.

    ## What it does
    Reports a request whose name does not end in `Request`, a response whose name does not end in `Response`,
    and two of one API key whose names are not the same but for that.

    ## Why it breaks
    The two are found by their key, but people, generated code and pages go by the name: they would be two
    APIs.

    ## When it is fine
    Only requests and responses are judged.

    ## Do instead
    Call them `FooRequest` and `FooResponse`.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "Foo", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [] }
    ```
    """
    requests: dict[int, list[Message]] = {}
    for message in protocol:
        if message.type == "request" and message.api_key is not None:
            requests.setdefault(message.api_key, []).append(message)
    for message in protocol:
        ending = {"request": "Request", "response": "Response"}.get(message.type)
        if ending is None or not STRUCT_NAME.fullmatch(message.name):
            continue
        answers = ending == "Response" and message.api_key is not None
        asked = requests.get(message.api_key or 0, []) if answers else []
        names = [other.api for other in asked if other.name.endswith("Request")]
        if not message.name.endswith(ending) or message.name == ending:
            text = f"{message.name} is a {message.type}, but its name does not show that"
            fix = f"call it {names[0] if names else message.name}{ending}"
        elif names and message.api not in names:
            text = f"{message.name} has API key {message.api_key}, that of {asked[0].name}: they do not match"
            fix = f"call it {names[0]}Response, or correct the API key"
        else:
            continue
        yield Hit(text, fix, at=message.written.at("name"), of=message)
