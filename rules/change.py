"""The exact change that a finding is about, in one line, so that a waiver accepts nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from wirebook.rules.breaks import Break
from wirebook.rules.pairs import FieldPair, LoneField, LoneMessage, MessagePair, StructPair
from wirebook.rules.released import history_of
from wirebook.specs.digests import text_digest
from wirebook.specs.model import Field, Message
from wirebook.specs.printable import visible

LONGEST = 160  # characters; what is longer ends in its digest


def change_of(part: object) -> str:
    """The change that a part of a comparison is: "type: int32 -> int64"; "" for a single spec.

    It has every key that differs and affects peers or generated code; for a field that is added or
    removed, all keys that are set, and the field before it.
    """
    if isinstance(part, Break):
        one, other = part.base.field, part.head.field
        if one is None and other is None:
            return _differing(_message(part.base_message), _message(part.head_message))
        moved = part.rule == "field-moved"
        before = (
            None if one is None else _field(part.base_message, one, placed=moved or other is None)
        )
        after = (
            None if other is None else _field(part.head_message, other, placed=moved or one is None)
        )
        return _differing(before, after)
    if isinstance(part, FieldPair):
        messages = part.messages
        return _differing(_field(messages.old, part.old), _field(messages.new, part.new))
    if isinstance(part, LoneField):
        message = part.messages.old if part.is_removed else part.messages.new
        form = _field(message, part.field, placed=True)
        return _differing(form, None) if part.is_removed else _differing(None, form)
    if isinstance(part, StructPair):
        return _differing(_fields(part.messages.old), _fields(part.messages.new))
    if isinstance(part, MessagePair):
        return _differing(_message(part.old), _message(part.new))
    if isinstance(part, LoneMessage):
        form = _message(part.message)
        return _differing(form, None) if part.is_removed else _differing(None, form)
    return ""


def short(text: str) -> str:
    """A change on one line of limited length."""
    line = visible(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]}... ({_digest(line)})"


def _differing(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> str:
    if before is None or after is None:
        form = before or after or {}
        return short(
            f"{'added' if before is None else 'removed'}: "
            + ", ".join(f"{key} {text}" for key, text in form.items())
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


def _field(message: Message, field: Field, *, placed: bool = False) -> dict[str, str]:
    """The keys of a field that are set, with a digest of what is inside it.

    If it is `placed`, also the untagged field before it.
    """
    form = _plain(field)
    inner = message.fields_of(field)
    if inner is not None:
        form["fields"] = _digest([*_inside(message, field, ())])
    if placed:
        form |= _place(message, field)
    return form


def _plain(field: Field) -> dict[str, str]:
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


def _message(message: Message) -> dict[str, str]:
    """The keys of a message that are set, and what is around and inside it."""
    headers = message.header_versions
    keys = {
        "name": message.name,
        "type": message.type,
        "validVersions": message.valid_versions,
        "apiKey": message.api_key,
        "flexibleVersions": message.flexible_versions,
        "deprecatedVersions": message.deprecated_versions or None,
        "latestVersionUnstable": message.latest_version_unstable or None,
        "listeners": ", ".join(sorted(message.listeners)) or None,
        "headerVersions": headers
        and ", ".join(f"{each.versions}: {each.header}" for each in headers),
        "history": _digest([*history_of(message).items()]) if message.history else None,
        "headers": _digest([*map(repr, message.profile.headers), message.profile.frame_length]),
    }
    return {key: str(value) for key, value in keys.items() if value is not None}


def _fields(message: Message) -> dict[str, str]:
    return {"fields": _digest([[*_plain(field).items()] for field in message.fields])}


def _digest(value: object) -> str:
    return text_digest(json.dumps(value, sort_keys=True), 16)
