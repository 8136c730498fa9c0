"""Creates a request and its response, or a data record, next to the other specs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wirebook.rules.project.workspace import Workspace
from wirebook.specs.files import create
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.writing.texts import NewSpec, common_licence, next_key, spec_of

KINDS = ("request", "data")
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)


@dataclass(frozen=True)
class BeginRequest:
    """What to create: a `kind` of KINDS, the name of the API or message, and the current folder."""

    kind: str
    name: str
    cwd: Path
    protocol: str | None = None


@dataclass(frozen=True)
class Begun:
    """The new files, relative to the current folder, and the API key of the pair."""

    files: tuple[str, ...]
    api_key: int | None


def begin(request: BeginRequest) -> Begun:
    """Write the specs, both or none.

    Raises InputError for a name that is not CamelCase or is taken, and if there are no other specs; OSError.
    """
    with Workspace.written(request.cwd, request.protocol) as here:
        return _begun(request, here)


def _begun(request: BeginRequest, here: Workspace) -> Begun:
    if not here.texts:
        raise InputError("there are no message specs here; start with an example: `wirebook init`")
    api = _api(request)
    kinds = ("request", "response") if request.kind == "request" else (request.kind,)
    names = [f"{api}{kind.capitalize()}" if kind != "data" else api for kind in kinds]
    for name in names:
        existing = here.protocol.find(name)
        if existing is not None:
            raise InputError(f"{existing.name} already exists", here.shown(existing.path))
    key = next_key(here.protocol) if request.kind == "request" else None
    if key is not None and key > MAX_INT16:
        raise InputError(f"there is no API key above {MAX_INT16}")
    folder = _folder(here, kinds)
    licence = common_licence(message.written.lines.text for message in here.protocol)
    level = here.newest_level(here.protocol) if key is not None else None
    texts = {
        folder / f"{name}.json": spec_of(
            NewSpec(name, kind, key, _listeners(here, kind), licence, level)
        ).encode()
        for name, kind in zip(names, kinds, strict=True)
    }
    create(texts)
    paths = [here.shown(here.path_of(path)) for path in texts]
    return Begun(tuple(paths), key)


def _api(request: BeginRequest) -> str:
    name = request.name
    if request.kind == "request":
        name = re.sub(r"(?<=.)(Request|Response)$", "", name)
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f'"{visible(request.name)}" is not a name such as PlaceOrder: letters and digits, '
            "the first a capital"
        )
    return name


def _folder(here: Workspace, kinds: tuple[str, ...]) -> Path:
    """The folder with the most specs of these types, or of any type if there are none of these."""
    alike = [message for message in here.protocol if message.type in kinds] or list(here.protocol)
    path, _ = Counter(message.path.rpartition("/")[0] for message in alike).most_common(1)[0]
    return here.file(path)


def _listeners(here: Workspace, kind: str) -> tuple[str, ...]:
    """The listeners that most requests name; if there are no other requests, the first listener of the
    profile.
    """
    if kind != "request":
        return ()
    used = Counter(message.listeners for message in here.protocol if message.type == "request")
    if used:
        return used.most_common(1)[0][0]
    return (here.profile.listeners or ())[:1]
