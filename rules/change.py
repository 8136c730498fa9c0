"""The exact change that a finding is about, in one line, so that a waiver accepts nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256

from wirebook.rules.released import history_of
from wirebook.specs.model import Field, Message
from wirebook.specs.printable import visible

LONGEST = 160  # characters; what is longer ends in its digest


def short(text: str) -> str:
    """A change on one line of limited length."""
    line = visible(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]}... ({_digest(line)})"


def differing(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> str:
    """The keys that differ, or those of a side that has no other one: "type: int32 -> int64"."""
    if before is None or after is None:
        keys_of_side = before or after or {}
        return short(
            f"{'added' if before is None else 'removed'}: "
            + ", ".join(f"{key} {text}" for key, text in keys_of_side.items())
        )
    # Where only a release differs, the keys of head are what the finding is about.
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if not keys:
        return short(", ".join(f"{key} {text}" for key, text in after.items()))
    return short(
        "; ".join(
            f"{key}: {before.get(key, 'absent')} -> {after.get(key, 'absent')}" for key in keys
        )
    )


def field_keys(message: Message, field: Field, *, placed: bool = False) -> dict[str, str]:
    """The keys of a field that are set, with a digest of what is inside it.

    If it is `placed`, also the untagged field before it.
    """
    form = _plain(field)
    if message.fields_of(field) is not None:
        form["fields"] = _digest([*_inside(message, field, ())])
    if placed:
        form |= _place(message, field)
    return form


def _plain(field: Field) -> dict[str, str]:
    """The keys of a field that are set, but for what is inside it."""
    keys = {
        "name": field.name,
        "type": field.type,
        "versions": field.versions,
        "nullableVersions": field.nullable_versions or None,
        "taggedVersions": field.tagged_versions or None,
        "flexibleVersions": field.flexible_versions,
        "tag": field.tag,
        "default": json.dumps(field.default) if field.has_default else None,
        "ignorable": field.ignorable or None,
        "mapKey": field.map_key or None,
        "zeroCopy": field.zero_copy or None,
        "entityType": field.entity_type,
    }
    return {key: str(value) for key, value in keys.items() if value is not None}


def _inside(message: Message, holder: Field, within: tuple[str, ...]) -> Iterator[list[object]]:
    """The fields of a struct at every depth, each with the struct that it is in."""
    if holder.element in within:
        return
    for field in message.fields_of(holder) or ():
        yield [holder.element, *_plain(field).items()]
        yield from _inside(message, field, (*within, holder.element))


def _place(message: Message, field: Field) -> dict[str, str]:
    """The untagged field before a field in its struct; tagged fields have no place."""
    if field.tag is not None:
        return {}
    queue = [message.fields, *(struct.fields for struct in message.common_structs)]
    while queue:
        fields = queue.pop()
        for index, each in enumerate(fields):
            if each is field:
                before = [other.name for other in fields[:index] if other.tag is None]
                return {"after": before[-1]} if before else {"place": "first"}
        queue += [each.fields for each in fields if each.fields]
    return {}


def message_keys(message: Message) -> dict[str, str]:
    """The keys of a message that are set, and what is around and inside it."""
    keys = {
        "name": message.name,
        "type": message.type,
        "validVersions": message.valid_versions,
        "apiKey": message.api_key,
        "flexibleVersions": message.flexible_versions,
        "deprecatedVersions": message.deprecated_versions or None,
        "latestVersionUnstable": message.latest_version_unstable or None,
        "listeners": ", ".join(sorted(message.listeners)) or None,
        "headerVersions": message.header_versions
        and ", ".join(f"{each.versions}: {each.header}" for each in message.header_versions),
        "history": _digest([*history_of(message).items()]) if message.history else None,
        "headers": _headers(message) or None,
    }
    return {key: str(value) for key, value in keys.items() if value is not None}


def _headers(message: Message) -> str:
    """What the profile says of the header of a message; "" if it says nothing."""
    others = message.profile.headers.exceptions_of(message.type, message.api_key)
    return ", ".join(f"{each.versions}: {each.header}" for each in others)


def struct_keys(message: Message) -> dict[str, str]:
    """A digest of the fields of a message."""
    return {"fields": _digest([[*_plain(field).items()] for field in message.fields])}


def _digest(value: object) -> str:
    return digest(json.dumps(value, sort_keys=True))


def digest(text: str) -> str:
    """16 hex digits of the SHA-256 of a text in UTF-8, which name findings, never for security; a
    lone surrogate counts as its three bytes."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
