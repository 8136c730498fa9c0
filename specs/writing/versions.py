"""Opens the next version of a message in the text of its spec."""

from __future__ import annotations

import json
import re

from wirebook.specs.jsontext import JsonPlaces, end_of_value
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import MAX_VERSION, Versions

_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r?\n)")
_INDENT = re.compile(r"[ \t]*")


def next_version(message: Message) -> int:
    """The version after the highest valid one.

    Raises InputError for a message without valid versions, for one whose highest version is still open, and
    for one that has the highest possible version.
    """
    if message.valid_versions.empty:
        raise InputError(f"{message.name} has no valid versions: it was removed", message.path)
    highest = message.valid_versions.highest
    if message.latest_version_unstable:
        raise InputError(
            f"version {highest} of {message.name} is unstable, so it is still open: change that one, or "
            'remove "latestVersionUnstable"',
            message.path,
            message.written.at("latestVersionUnstable"),
        )
    if highest >= MAX_VERSION:
        raise InputError(
            f"{message.name} has version {MAX_VERSION} already, the highest that an INT16 can hold",
            message.path,
            message.written.at("validVersions"),
        )
    return highest + 1


def with_version(message: Message, version: int, level: str | None) -> str:
    """The text of a message's spec with one more valid version.

    With `level`, its `history` gets an entry with this protocol level as the one in which the version was
    added; its `about` is empty, which the check reports until somebody describes the change. Comments and
    formatting stay.
    """
    text, places = message.written.lines.text, message.written.lines.object(message.written.order)
    valid = Versions(message.valid_versions.lowest, version)
    start = places.values_at["validVersions"]
    edits = [(start, end_of_value(text, start), json.dumps(str(valid)))]
    if level is not None and message.history:
        edits.append(
            _added(text, places.inner["history"], f'"version": {version}, "added": {json.dumps(level)},')
        )
    changed = text
    for start, end, written in sorted(edits, reverse=True):
        changed = changed[:start] + written + changed[end:]
    return changed


def _added(text: str, array: JsonPlaces, members: str) -> tuple[int, int, str]:
    """The place in a text and what to write there to add an entry after the last one, written like it."""
    start = array.values_at[len(array.values_at) - 1]
    end = end_of_value(text, start)
    rest = _REST_OF_LINE.match(text, end)
    indent = _INDENT.match(text, text.rfind("\n", 0, start) + 1)
    assert indent is not None  # it also matches nothing
    if rest is None or indent.end() != start:
        return end, end, f', {{ {members} "about": "" }}'
    newline = "\r\n" if text.startswith("\r\n", rest.end()) else "\n"
    written = f'{{ {members}{newline}{indent[0]}  "about": "" }}'
    return end, rest.end(), f",{rest[0]}{newline}{indent[0]}{written}"
