"""Opens the next version of an API, in its request and its response, or of another message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.opened import OpenedProject, specs_to_extend
from wirebook.specs.files import rewrite
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.writing.versions import next_version, with_version

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class OpenRequest:
    """The API or message whose next version is opened, and the current folder."""

    name: str
    cwd: Path


@dataclass(frozen=True)
class OpenedVersion:
    """The version, the changed files (relative to the current folder), and the level in `history`."""

    version: int
    files: tuple[str, ...]
    level: str | None


def open_version(request: OpenRequest) -> OpenedVersion:
    """Write the version into the specs: into the request and the response of an API, or neither.

    Raises InputError if there is no such message, its halves differ, or it has no next version, OSError.
    """
    with specs_to_extend(request.cwd) as here:
        return _opened(request, here)


def _opened(request: OpenRequest, here: OpenedProject) -> OpenedVersion:
    if not here.project.messages:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    messages = here.select(request.name)
    first, *others = messages
    if not others and first.type in HALVES:
        # The name may be that of the request or the response; both have the same versions.
        messages = here.protocol.api(first.api)
    versions = {message.name: next_version(message) for message in messages}
    if len(set(versions.values())) > 1:
        each = " and ".join(f"{half} {version - 1}" for half, version in versions.items())
        raise InputError(
            f"the halves of this API end at different versions: {each}",
            here.shown(messages[0].path, request.cwd),
        )
    version = next(iter(versions.values()))
    level = newest_level(here, messages, request.cwd)
    texts = {here.file(message.path): _text(message, version, level) for message in messages}
    rewrite(texts)
    return OpenedVersion(version, tuple(here.shown(message.path, request.cwd) for message in messages), level)


def newest_level(here: OpenedProject, keeping: Iterable[Message], cwd: Path) -> str | None:
    """The newest protocol level, which the `history` of a new version names; None if no message has one.

    Raises InputError if one has, but there is no registry next to the specs.
    """
    dated = next((message for message in keeping if message.history), None)
    if dated is None:
        return None
    if here.registry is None or not here.registry.api_versions:
        raise InputError(
            'keeps a "history", but there is no registry of protocol levels beside the specs',
            here.shown(dated.path, cwd),
        )
    return here.registry.api_versions[-1].version


def _text(message: Message, version: int, level: str | None) -> bytes:
    marked = any(problem.kind.value == "byte-order-mark" for problem in message.problems)
    text = with_version(message, version, level).encode()
    return text if not marked or text.startswith(_MARK) else _MARK + text
