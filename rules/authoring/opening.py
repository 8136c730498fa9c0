"""Opens the next version of an API, in its request and its response, or of another message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.project.workspace import Workspace
from wirebook.specs.files import rewrite
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.selection import select
from wirebook.specs.writing.versions import next_version, with_version

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class OpenRequest:
    """The API or message whose next version is opened, and the current folder."""

    name: str
    cwd: Path
    protocol: str | None = None


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
    with Workspace.written(request.cwd) as here:
        return _opened(request.name, here)


def _opened(name: str, here: Workspace) -> OpenedVersion:
    if not here.texts:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    messages = select(here.protocol, name, "the specs here")
    first, *others = messages
    if not others and first.type in HALVES:
        # The name may be that of the request or the response; both have the same versions.
        messages = here.protocol.api(first.api)
    _refuse_links(here, messages)
    versions = {message.name: next_version(message) for message in messages}
    if len(set(versions.values())) > 1:
        each = " and ".join(f"{half} {version - 1}" for half, version in versions.items())
        raise InputError(
            f"the halves of this API end at different versions: {each}", here.shown(messages[0].path)
        )
    version = next(iter(versions.values()))
    level = here.newest_level(messages)
    texts = {here.file(message.path): _text(message, version, level) for message in messages}
    rewrite(texts)
    return OpenedVersion(version, tuple(here.shown(message.path) for message in messages), level)


def _refuse_links(here: Workspace, messages: Sequence[Message]) -> None:
    """Raise InputError for a spec that is a link, or whose other half is one.

    Replacing the link would leave its target unchanged, and a link that points outside the specs is not read.
    """
    files = {here.file(message.path).resolve() for message in messages}
    for message in messages:
        own = here.file(message.path)
        halves = (own.with_name(f"{message.api}{message.profile.suffixes[kind]}.json") for kind in HALVES)
        others = [half for half in halves if message.api_key is not None and half.resolve() not in files]
        for path in (own, *others):
            if path.is_symlink():
                name = here.shown(here.path_of(path))
                raise InputError("this is a link: open the version where the file is", name)


def _text(message: Message, version: int, level: str | None) -> bytes:
    marked = any(problem.kind.value == "byte-order-mark" for problem in message.problems)
    text = with_version(message, version, level).encode()
    return text if not marked or text.startswith(_MARK) else _MARK + text
