"""number-beyond-header: an API key or a version that its field of the header cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import header_name
from wirebook.specs.wire.defaults import INTEGERS


@rule(on=Protocol, category=Category.SET, source="message format")
def number_beyond_header(protocol: Protocol) -> Iterator[Hit]:
    """The API key and the versions of a message fit the fields of its header.

    ## What it does
    Compares the API key and the newest version of a message with the integers that hold them in the spec of
    its header: the fields that `[headers.fields]` of the profile names as `api_key` and `api_version`.

    ## Why it breaks
    Nobody can send such a message: the header has no bytes for the number.

    ## When it is fine
    If no spec describes the header, or only some of the files are checked.

    ## Do instead
    Use a number that fits, or give new versions a header version with a wider field.

    ## Example
    ```diff
    @@ FooRequest.json @@
    - { "apiKey": 100, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "none", "fields": [] }
    @@ RequestHeader.json @@
      { "type": "header", "name": "RequestHeader", "validVersions": "1", "flexibleVersions": "none",
        "fields": [{ "name": "RequestApiKey", "type": "int8", "versions": "0+" },
                   { "name": "RequestApiVersion", "type": "int8", "versions": "0+" }] }
    ```
    """
    headers = {each.name: each for each in protocol if each.type == "header" and not unusable(each)}
    for message in protocol:
        header = headers.get(header_name(message.type))
        if header is not None and not unusable(message) and message.valid_versions:
            yield from _beyond(message, header)


def _beyond(message: Message, header: Message) -> Iterator[Hit]:
    """The numbers of a message that the header of its newest version cannot hold."""
    newest = message.valid_versions.highest
    version, roles = message.header_of(newest), message.profile.header_fields
    numbers = [
        (roles.api_key, "API key", message.api_key, "apiKey"),
        (roles.api_version, "version", newest, "validVersions"),
    ]
    types = {
        field.name: field.type.upper()
        for field in header.fields
        if version is not None and (field.versions is None or version in field.versions)
    }
    for name, what, number, key in numbers:
        limits = INTEGERS.get(types.get(name, ""))
        if number is None or limits is None or number <= limits[1]:
            continue
        yield Hit(
            f"{what} {number} of {message.name} does not fit {name} of {header.name}, "
            f"which holds at most {limits[1]}",
            f"use a number up to {limits[1]}, or a version of {header.name} with a larger {name}",
            at=message.written.at(key),
            of=message,
            discriminator=name,
            values=(name, limits[1]),
        )
