"""misplaced-key: a key where it has no meaning."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.pairs import OneField, walk_fields
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.words import names_struct
from wirebook.specs.model import MESSAGE_TYPES, PRIMITIVES, Message


@rule(on=Message, category=Category.SPEC, source="message format")
def misplaced_key(message: Message) -> Iterator[Hit]:
    """Keys appear only where they have a meaning.

    ## What it does
    Reports `listeners` and `latestVersionUnstable` on a message that is not a request, and `headerVersions`
    on one whose type has no header, or that has no valid version. On a field,
    reports `flexibleVersions` if the type is neither string nor bytes, `zeroCopy` if it is not
    bytes, and `mapKey` if the field is not in a struct.

    ## Why it breaks
    Strict readers reject the file: the key has no effect there, although it looks as if it did.

    ## When it is fine
    `"latestVersionUnstable": false` and `"zeroCopy": false` have no effect anywhere. What the request
    declares also applies to its response.

    ## Do instead
    Move the key to the request, or delete it.

    ## Example
    ```diff
      { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "fields": [] }
    +   "flexibleVersions": "1+", "listeners": ["gateway"], "fields": [] }
    ```
    """
    yield from _of_message(message)
    for member in walk_fields(message):
        yield from _of_field(member)


def _of_message(message: Message) -> Iterator[Hit]:
    if message.type != "request" and message.type in MESSAGE_TYPES:
        for key, is_set in (
            ("listeners", bool(message.listeners)),
            ("latestVersionUnstable", message.latest_version_unstable),
        ):
            if is_set:
                yield Hit(
                    f'{message.name} has "{key}", but is of type {message.type}; only requests have it',
                    f'move "{key}" to the request, or delete it',
                    at=message.written.at(key),
                    discriminator=key,
                )
    profile = message.profile
    if message.header_versions is not None and message.type in (*MESSAGE_TYPES, *profile.message_types):
        has_header = message.type in profile.headers.types
        if not has_header or not message.valid_versions:
            why = "has no valid version" if has_header else f"is of type {message.type}, which has no header"
            yield Hit(
                f'{message.name} has "headerVersions", but {why}',
                'delete "headerVersions"',
                at=message.written.at("headerVersions"),
                discriminator="headerVersions",
            )


def _of_field(member: OneField) -> Iterator[Hit]:
    field, message = member.field, member.message
    if field.map_key and not member.within and field.tag is None:
        yield Hit(
            f'{member.path} has "mapKey", but {message.name} itself is not an element of an array',
            'delete "mapKey"',
            at=field.written.at("mapKey"),
            path=member.path,
            discriminator="mapKey",
        )
    if field.flexible_versions is None and not field.zero_copy:
        return
    is_defined = field.element in PRIMITIVES or names_struct(field)
    for key, is_set, types in (
        ("flexibleVersions", field.flexible_versions is not None, ("string", "bytes")),
        ("zeroCopy", field.zero_copy, ("bytes",)),
    ):
        if is_set and is_defined and field.type not in types:
            yield Hit(
                f'{member.path} is of type {field.type} and has "{key}", which is for {" or ".join(types)}',
                f'delete "{key}"',
                at=field.written.at(key),
                path=member.path,
                discriminator=key,
            )
