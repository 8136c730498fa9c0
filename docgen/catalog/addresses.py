"""The addresses of APIs, messages and snapshots, and the checks of names that become addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wirebook.rules.pairs import walk_fields
from wirebook.rules.validity.words import bad_names, names_struct
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError

# With the ending of its file, below the 255 bytes that file systems allow.
MAX_SLUG = 240
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
    """Raise InputError if a name or the type of a field is not an identifier, as the check does.

    Names become addresses, ids and titles. An address becomes the name of a file, which is limited
    too.
    """
    for what, name, written, _ in bad_names(message):
        reason = f'the {what} name "{name}" is not a CamelCase identifier'
        raise InputError(reason, message.path, written.at("name"))
    for field in walk_fields(message):
        if field.field.is_struct and not names_struct(field.field):
            reason = (
                f'the type "{field.field.type}" is neither a primitive type nor the name of a '
                "struct"
            )
            raise InputError(reason, message.path, field.field.written.at("type"))
    # Only a wrong name has its position looked up, for which the text is parsed again.
    if reason := _too_long(slug_of(message.api)):
        raise InputError(reason, message.path, message.written.at("name"))


def check_addresses(releases: Iterable[str], where: str) -> None:
    """Raise InputError if two releases have one address, or one is too long for a file.

    Windows and macOS take addresses that differ only in case for one file.
    """
    names: dict[str, str] = {}
    for name in releases:
        slug = snapshot_slug(name)
        if reason := _too_long(slug):
            raise InputError(reason, where)
        first = names.setdefault(slug.casefold(), name)
        if first != name:
            reason = f'the releases "{first}" and "{name}" have the same address, "{slug}"'
            raise InputError(reason, where)


def _too_long(slug: str) -> str:
    """What is wrong with an address that no file can have; "" for a shorter one."""
    length = len(slug.encode())
    if length <= MAX_SLUG:
        return ""
    return (
        f"the name is too long: it makes an address of {length} bytes, and the limit is {MAX_SLUG}"
    )
