"""Opens the next version of an API, in its request and its response, or of another message."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.authoring.specs_here import specs_here
from wirebook.specs.files import rewrite
from wirebook.specs.load import select
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.writing.versions import next_version, with_version

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class OpenRequest:
    """The API or message of which the next version is opened, and the folder one works in."""

    name: str
    cwd: Path
    protocol: str | None = None


@dataclass(frozen=True)
class Opened:
    """The version, the files that have it now, as they are from where one works, and the protocol level that
    a `history` names.
    """

    version: int
    files: tuple[str, ...]
    level: str | None


def open_version(request: OpenRequest) -> Opened:
    """Write the version into the specs, into both halves of an API or none.

    Raises InputError where there is no such message, its halves differ, or it has no next version, OSError.
    """
    here = specs_here(request.cwd, request.protocol).having(request.name)
    if not here.texts:
        raise InputError("there are no message specs here; `wirebook init` begins with an example")
    found = select(here.protocol, request.name, "the specs here")
    if len(found) == 1 and found[0].type in ("request", "response"):
        # Either half may be named; the versions of both are the same.
        found = here.protocol.api(found[0].api)
    versions = {message.name: next_version(message) for message in found}
    if len(set(versions.values())) > 1:
        each = " and ".join(f"{name} {version - 1}" for name, version in versions.items())
        raise InputError(
            f"the halves of this API end at different versions: {each}", here.shown(found[0].path)
        )
    version = next(iter(versions.values()))
    level = here.newest_level(found)
    texts = {here.file(message.path): _text(message, version, level) for message in found}
    rewrite(texts)
    return Opened(version, tuple(here.shown(message.path) for message in found), level)


def _text(message: Message, version: int, level: str | None) -> bytes:
    marked = any(problem.kind.value == "byte-order-mark" for problem in message.problems)
    text = with_version(message, version, level).encode()
    return text if not marked or text.startswith(_MARK) else _MARK + text
