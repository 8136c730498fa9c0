"""The exact form of a change, in one line: what a finding is about, so that a waiver accepts nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from wirebook.rules.pairs.kinds import FieldPair, LoneField, LoneMessage, MessagePair, StructPair
from wirebook.rules.released import history_of
from wirebook.specs.digests import text_digest
from wirebook.specs.model import Field, Message
from wirebook.specs.printable import visible

if TYPE_CHECKING:
    # Most findings are not about a break.
    from wirebook.rules.agreement.breaks import Break

LONGEST = 160  # characters; what is longer ends in its digest

_Form = Mapping[str, str]


def form_of(part: object) -> str:
    """The change that a part of a comparison is, such as "type: int32 -> int64"; "" for a single spec.

    It has every key that differs and affects peers or generated code. Comments and places are not part of it.
    Parts with many keys, such as the fields of a struct, have a digest.
    """
    if isinstance(part, FieldPair):
        if part.old.is_struct_like(part.new):
            # What is inside both is judged on its own.
            return _change(_plain(part.old), _plain(part.new))
        return _change(_field(part.messages.old, part.old), _field(part.messages.new, part.new))
    if isinstance(part, LoneField):
        message = part.messages.old if part.gone else part.messages.new
        return _alone(_placed(message, part.field, part.struct.sent_after[0 if part.gone else 1]), part.gone)
    if isinstance(part, StructPair):
        olds, news = ([pair[side] for pair in part.pairs] for side in (0, 1))
        before, after = (
            {"fields": _digest([_field(message, field) for field in _in_order(fields)])}
            for message, fields in ((part.messages.old, olds), (part.messages.new, news))
        )
        return _change(before, after)
    if isinstance(part, MessagePair):
        before, after = _message(part.old), _message(part.new)
        if part.old.profile != part.new.profile:
            before["headers"], after["headers"] = _headers(part.old), _headers(part.new)
        if before == after:
            return whole_form(part.old, part.new)
        return _change(before, after)
    if isinstance(part, LoneMessage):
        form = _whole(part.message)
        return _alone({"validVersions": form["validVersions"], "message": _digest(form)}, part.gone)
    return ""


def form_of_break(part: Break) -> str:
    """Like `form_of`, for an edit that breaks versions."""
    old, new = part.old.field, part.new.field
    if old is None and new is None:
        return form_of(MessagePair(part.base, part.message))
    if old is None or new is None:
        message, side = (part.message, new) if old is None else (part.base, old)
        assert side is not None
        return _alone(_placed(message, side, part.matching.sent_after[0 if new is None else 1]), new is None)
    forms = _field(part.base, old), _field(part.message, new)
    if old.is_struct_like(new):
        forms = _plain(old), _plain(new)
    if forms[0] == forms[1]:
        # It is moved: its place is all that differs.
        forms = (
            _placed(part.base, old, part.matching.sent_after[0]),
            _placed(part.message, new, part.matching.sent_after[1]),
        )
    return _change(*forms)


def whole_form(old: Message, new: Message) -> str:
    """The change of a message with everything in it."""
    return _change(_whole(old), _whole(new))


def short(text: str) -> str:
    """A form on one line of limited length."""
    line = visible(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]}... ({_digest(line)})"


def _change(before: _Form, after: _Form) -> str:
    """The keys that differ; all keys of the new side if it differs only from a release."""
    keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    if not keys:
        return short(_shown(after))
    return short(
        "; ".join(f"{key}: {before.get(key, 'absent')} -> {after.get(key, 'absent')}" for key in keys)
    )


def _alone(form: _Form, gone: bool) -> str:
    return short(f"{'removed' if gone else 'added'}: {_shown(form)}")


def _shown(form: _Form) -> str:
    return ", ".join(f"{key} {text}" for key, text in form.items())


def _in_order(fields: Iterable[Field | None]) -> list[Field]:
    return sorted((field for field in fields if field is not None), key=lambda field: field.written.order)


def _placed(message: Message, field: Field, sent_after: Mapping[int, str]) -> dict[str, str]:
    """The keys of a field, and after which field of its struct it is sent.

    Tagged fields have no place.
    """
    form, after = _field(message, field), sent_after.get(field.written.order)
    if after is not None:
        form |= {"after": after} if after else {"place": "first"}
    return form


def _field(message: Message, field: Field) -> dict[str, str]:
    """The keys of a field that are set; for a struct, with a digest of its fields."""
    form = _plain(field)
    if field.is_struct:
        form["fields"] = _digest(list(_inside(message, field, set())))
    return form


def _plain(field: Field) -> dict[str, str]:
    """The keys of a field that are set, without what is inside it."""
    form = {"name": field.name, "type": field.type}
    for key, versions in (
        ("versions", field.versions),
        ("nullableVersions", field.nullable_versions or None),
        ("taggedVersions", field.tagged_versions or None),
        ("flexibleVersions", field.flexible_versions),
    ):
        if versions is not None:
            form[key] = str(versions)
    if field.tag is not None:
        form["tag"] = str(field.tag)
    if field.has_default:
        form["default"] = json.dumps(field.default)
    for key, is_set in (
        ("ignorable", field.ignorable),
        ("mapKey", field.map_key),
        ("zeroCopy", field.zero_copy),
    ):
        if is_set:
            form[key] = "true"
    if field.entity_type is not None:
        form["entityType"] = field.entity_type
    return form


def _inside(message: Message, holder: Field, structs: set[str]) -> Iterator[object]:
    """The fields of a struct at every depth; a struct that several fields name appears once."""
    inner = message.fields_of(holder)
    if inner is None or (not holder.fields and holder.element in structs):
        return
    structs.add(holder.element)
    for field in inner:
        yield [_plain(field), list(_inside(message, field, structs))]


def _message(message: Message) -> dict[str, str]:
    """The keys of a message that are set, without its fields."""
    form = {"name": message.name, "type": message.type, "validVersions": str(message.valid_versions)}
    if message.api_key is not None:
        form["apiKey"] = str(message.api_key)
    form["flexibleVersions"] = str(message.flexible_versions)
    if message.deprecated_versions:
        form["deprecatedVersions"] = str(message.deprecated_versions)
    if message.latest_version_unstable:
        form["latestVersionUnstable"] = "true"
    if message.listeners:
        form["listeners"] = ", ".join(sorted(message.listeners))
    if message.header_versions is not None:
        form["headerVersions"] = ", ".join(
            f"{part.versions}: {part.header}" for part in message.header_versions
        )
    if message.history:
        form["history"] = _digest(list(history_of(message).items()))
    return form


def _headers(message: Message) -> str:
    """A digest of what the profile of a message puts around it."""
    profile = message.profile
    *usual, others = profile.headers
    # The digests of protocols without others are older.
    stated = [*usual, others] if others else usual
    return _digest([*map(repr, stated), profile.frame_length])


def _whole(message: Message) -> dict[str, str]:
    """The keys of a message, with a digest of its fields."""
    fields = [[_plain(field), list(_inside(message, field, set()))] for field in message.fields]
    return {**_message(message), "headers": _headers(message), "fields": _digest(fields)}


def _digest(value: object) -> str:
    return text_digest(json.dumps(value, sort_keys=True), 16)
