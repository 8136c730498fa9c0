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
    formatting stay. Raises InputError if there is no such message, or if it was removed or its last
    version is unstable, OSError.
    """
    here = specs_here(cwd)
    if not here.project.messages:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    messages = here.select(name)
    if messages[0].type in HALVES:
        # The name may be that of the request or the response.
        messages = here.protocol.api(messages[0].api)
    for message in messages:
        if not message.valid_versions:
            raise InputError(f"{message.name} has no valid versions: it was removed", message.path)
        if message.latest_version_unstable:
            raise message.written.error(
                f"the last version of {message.name} is unstable, so it is still open",
                "latestVersionUnstable",
            )
    version = max(message.valid_versions.highest for message in messages) + 1
    write_files({here.file(each.path): _with_version(each, version) for each in messages})
    return version, [here.shown(message.path, cwd) for message in messages]


def _with_version(message: Message, version: int) -> bytes:
    """The text of a message's spec with one more valid version."""
    text = message.written.lines.text
    start = message.written.offsets["validVersions"]
    valid = json.dumps(str(Versions(message.valid_versions.lowest, version)))
    return f"{text[:start]}{valid}{text[end_of_value(text, start) :]}".encode()
