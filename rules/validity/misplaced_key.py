"""misplaced-key: a key where it means nothing."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.pairs.walk import walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import MESSAGE_TYPES, PRIMITIVES, Message


@rule(on=Message, category=Category.SPEC, source="message format")
def misplaced_key(message: Message) -> Iterator[Hit]:
    """A key stands only where it means something.

    ## What it does
    Reports `listeners` and `latestVersionUnstable` on a message that is no request; on a field,
    `flexibleVersions` of its own where the type is neither string nor bytes, `zeroCopy` where it is not
    bytes, and `mapKey` where no struct is around the field.

    ## Why it breaks
    Kafka's generator refuses the file: the key has no effect there, although the spec reads as if it had.

    ## When it is fine
    `"latestVersionUnstable": false` and `"zeroCopy": false` say nothing. A response goes with its request.

    ## Do instead
    Write it at the request, or leave it out.

    ## Example
    ```diff
      { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "fields": [] }
    +   "flexibleVersions": "1+", "listeners": ["broker"], "fields": [] }
    ```
    """
    if message.type != "request" and message.type in MESSAGE_TYPES:
        for key, there in (
            ("listeners", bool(message.listeners)),
            ("latestVersionUnstable", message.latest_version_unstable),
        ):
            if there:
                yield Hit(
                    f'{message.name} has "{key}", but is a {message.type}: only a request has it',
                    f'write it at the request; leave it out of "{message.name}"',
                    at=message.written.at(key),
                    discriminator=key,
                )
    for item in walk_fields(message):
        field = item.field
        if field.map_key and not item.within and field.tag is None:
            yield Hit(
                f'{item.path} has "mapKey", but {message.name} itself is no entry of an array',
                "leave it out",
                at=field.written.at("mapKey"),
                path=item.path,
                discriminator="mapKey",
            )
        if field.flexible_versions is None and not field.zero_copy:
            continue
        known = field.element in PRIMITIVES or names_struct(field)
        for key, there, types in (
            ("flexibleVersions", field.flexible_versions is not None, ("string", "bytes")),
            ("zeroCopy", field.zero_copy, ("bytes",)),
        ):
            if there and known and field.type not in types:
                yield Hit(
                    f'{item.path} is of type {field.type} and has "{key}", which is for {" or ".join(types)}',
                    "leave it out",
                    at=field.written.at(key),
                    path=item.path,
                    discriminator=key,
                )
