"""Opens the next version of an API, in its request and its response, or of another message."""

from __future__ import annotations

import json
from pathlib import Path

from wirebook.rules.opened import specs_here
from wirebook.specs.files import write_files
from wirebook.specs.jsontext import end_of_value
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.versions import Versions


def open_version(name: str, cwd: Path) -> tuple[int, list[str]]:
    """Write the version into the specs: into the request and the response of an API, or neither.

    Returns the version and the changed files, relative to the current folder. Comments and
    formatting stay. Raises InputError if there is no such message, its halves differ, or it has no
    next version, OSError.
    """
    here = specs_here(cwd)
    if not here.project.messages:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    messages = here.select(name)
    if messages[0].type in HALVES:
        # The name may be that of the request or the response; both have the same versions.
        messages = here.protocol.api(messages[0].api)
    versions = {message.name: _next_version(message) for message in messages}
    version = max(versions.values())
    if set(versions.values()) != {version}:
        each = " and ".join(f"{half} {last - 1}" for half, last in versions.items())
        words = f"the halves of this API end at different versions: {each}"
        raise InputError(words, here.shown(messages[0].path, cwd))
    write_files({here.file(each.path): _with_version(each, version) for each in messages})
    return version, [here.shown(message.path, cwd) for message in messages]


def _next_version(message: Message) -> int:
    """The version after the highest valid one. Raises InputError if there is none."""
    highest = message.valid_versions.highest
    if not message.valid_versions:
        raise InputError(f"{message.name} has no valid versions: it was removed", message.path)
    if message.latest_version_unstable:
        still = f"version {highest} of {message.name} is unstable, so it is still open"
        words = f'{still}: change that one, or remove "latestVersionUnstable"'
        raise InputError.at(message.written.at("latestVersionUnstable"), words)
    return highest + 1


def _with_version(message: Message, version: int) -> bytes:
    """The text of a message's spec with one more valid version."""
    text = message.written.lines.text
    start = message.written.offsets["validVersions"]
    valid = json.dumps(str(Versions(message.valid_versions.lowest, version)))
    return f"{text[:start]}{valid}{text[end_of_value(text, start) :]}".encode()
