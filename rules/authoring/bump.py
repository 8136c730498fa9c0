"""Opens the next version of an API, in its request and its response, or of another message."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.specs.files import write_files
from wirebook.specs.jsontext import end_of_value
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import MAX_VERSION, Versions

_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?(?:\r?\n)?")


class OpenedVersion(NamedTuple):
    """The version, the changed files (relative to the current folder), and the level in
    `history`."""

    version: int
    files: list[str]
    level: str | None


def open_version(name: str, cwd: Path) -> OpenedVersion:
    """Write the version into the specs: into the request and the response of an API, or neither.

    Raises InputError if there is no such message, its halves differ, or it has no next version,
    OSError.
    """
    here = specs_here(cwd)
    if not here.project.messages:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    messages = here.select(name)
    first, *others = messages
    if not others and first.type in HALVES:
        # The name may be that of the request or the response; both have the same versions.
        messages = here.protocol.api(first.api)
    versions = {message.name: _next_version(message) for message in messages}
    version = versions[messages[0].name]
    if set(versions.values()) != {version}:
        each = " and ".join(f"{half} {last - 1}" for half, last in versions.items())
        words = f"the halves of this API end at different versions: {each}"
        raise InputError(words, here.shown(messages[0].path, cwd))
    level = newest_level(here, messages, cwd)
    texts = {here.file(message.path): with_version(message, version, level) for message in messages}
    write_files({path: text.encode() for path, text in texts.items()})
    return OpenedVersion(version, [here.shown(message.path, cwd) for message in messages], level)


def newest_level(here: OpenedProject, keeping: Iterable[Message], cwd: Path) -> str | None:
    """The newest protocol level, which the `history` of a new version names; None if no message has
    one.

    Raises InputError if one has, but there is no registry next to the specs.
    """
    dated = next((message for message in keeping if message.history), None)
    if dated is None:
        return None
    if here.registry is None or not here.registry.api_versions:
        words = 'keeps a "history", but there is no registry of protocol levels beside the specs'
        raise InputError(words, here.shown(dated.path, cwd))
    return here.registry.api_versions[-1].version


def _next_version(message: Message) -> int:
    """The version after the highest valid one. Raises InputError if there is none."""
    highest = message.valid_versions.highest
    if message.valid_versions.empty:
        raise InputError(f"{message.name} has no valid versions: it was removed", message.path)
    if message.latest_version_unstable:
        words = (
            f"version {highest} of {message.name} is unstable, so it is still open: change that "
            "one, or"
        )
        at = message.written.at("latestVersionUnstable")
        raise InputError(f'{words} remove "latestVersionUnstable"', message.path, at)
    if highest >= MAX_VERSION:
        words = (
            f"{message.name} has version {MAX_VERSION} already, the highest that an INT16 can hold"
        )
        raise InputError(words, message.path, message.written.at("validVersions"))
    return highest + 1


def with_version(message: Message, version: int, level: str | None) -> str:
    """The text of a message's spec with one more valid version.

    With `level`, its `history` gets an entry with this protocol level as the one in which the
    version was added; its `about` is empty, which the check reports until somebody describes the
    change. Comments and formatting stay.
    """
    text, places = message.written.lines.text, message.written.lines.object(message.written.order)
    start = places.values_at["validVersions"]
    valid = json.dumps(str(Versions(message.valid_versions.lowest, version)))
    edits = [(start, end_of_value(text, start), valid)]
    if level is not None and message.history:
        last = max(places.inner["history"].values_at.values())
        end = end_of_value(text, last)
        # A comment on the line of the last entry stays with it.
        rest = _REST_OF_LINE.match(text, end)
        assert rest is not None  # it also matches nothing
        indent = " " * (last - text.rfind("\n", 0, last) - 1)
        head = f'{indent}{{ "version": {version}, "added": {json.dumps(level)},'
        entry = f'{head}\n{indent}  "about": "" }}\n'
        kept = rest[0] or "\n"
        edits.append((end, rest.end(), f",{kept}{entry}"))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text
