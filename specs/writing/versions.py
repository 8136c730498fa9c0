"""Opens the next version of a message in the text of its spec."""

from __future__ import annotations

from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.editing import append, apply, set_key
from wirebook.specs.syntax.jsontext import JsonArray, JsonObject
from wirebook.specs.versions import MAX_VERSION, Versions
from wirebook.specs.writing.formatting import formatted


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
    text, holder = message.written.lines.text, message.written.lines.object(message.written.order)
    assert isinstance(holder, JsonObject)
    valid = Versions(message.valid_versions.lowest, version)
    edits = set_key(text, holder, "validVersions", str(valid), "name")
    history = holder.get("history")
    if level is not None and isinstance(history, JsonArray) and history:
        edits += append(text, history, [{"version": version, "added": level, "about": ""}])
    changed = apply(text, edits)
    path = message.path
    return formatted(changed, path) if formatted(text, path) == text else changed
