"""The addresses of APIs, messages and snapshots, and the checks of names that become addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirebook.rules.parts import walk_fields
from wirebook.rules.validity.words import bad_names, names_struct
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError

# The plural of an abbreviation is one word: "IDs".
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))")


def slug_of(name: str) -> str:
    """The address of an API: "ListOffsets" is "list-offsets"."""
    parted = re.sub(r"[^A-Za-z0-9]+", "-", _CAPITALS.sub("-", name)).strip("-").lower()
    return parted or "unnamed"


def snapshot_slug(name: str) -> str:
    """The address of a snapshot or a level, by its name; dots stay."""
    return "".join(c if c.isalnum() or c in ".-_" else "-" for c in name).strip(".") or "x"


def check_names(message: Message) -> None:
    """Raise InputError if a name or the type of a field is not an identifier, as the check does:
    names become addresses, ids and titles."""
    for what, name, written, _ in bad_names(message):
        reason = f'the {what} name "{name}" is not a CamelCase identifier'
        raise written.error(reason, "name")
    for field in walk_fields(message):
        if field.field.is_struct and not names_struct(field.field):
            reason = (
                f'the type "{field.field.type}" is neither a primitive type nor the name of a '
                "struct"
            )
            raise field.field.written.error(reason, "type")


def check_addresses(releases: Iterable[str], where: str) -> None:
    """Raise InputError if two releases have one address. Windows and macOS take addresses that
    differ only in case for one file."""
    names: dict[str, str] = {}
    for name in releases:
        first = names.setdefault(snapshot_slug(name).casefold(), name)
        if first != name:
            reason = f'the releases "{first}" and "{name}" have the same address'
            raise InputError(f'{reason}, "{snapshot_slug(name)}"', where)
