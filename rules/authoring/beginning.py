"""Creates a request and its response, a header, or a message of another type, next to the other specs."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from wirebook.rules.authoring.opening import newest_level
from wirebook.rules.opened import OpenedProject, specs_here, specs_to_extend
from wirebook.specs.files import create
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.model import Protocol
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES, Profile, header_name
from wirebook.specs.writing.new_specs import NewField, NewSpec, common_licence, next_key, spec_of

HEADER = "header"
KINDS = ("request", "data", HEADER)  # besides the message types of the profile
FOLDER = "messages"  # the place of the first specs, unless the settings name one
_ABOUT = {
    "request": "TODO: what the API is for.",
    "response": "",  # the page of the API shows that of the request
    HEADER: "",
}
_ABOUT_OTHER = "TODO: what the message is for."
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)  # a folder rather than a glob


@dataclass(frozen=True)
class BeginRequest:
    """What to create: one of KINDS or a message type of the profile, the name of the API or message, and the
    current folder. `released_keys` returns the types and API keys that the releases have.
    """

    kind: str
    name: str
    cwd: Path
    released_keys: Callable[[], Iterable[tuple[str, int]]] = tuple


@dataclass(frozen=True)
class Begun:
    """The new files, relative to the current folder, and the API key that they have, if any."""

    files: tuple[str, ...]
    api_key: int | None


def begin(request: BeginRequest) -> Begun:
    """Write the specs, both or none.

    Raises InputError for an unknown kind, for a name that is not CamelCase or is taken, and for a place from
    which no command reads specs; OSError.
    """
    with specs_to_extend(request.cwd) as here:
        return _begun(request, here)


def _begun(request: BeginRequest, here: OpenedProject) -> Begun:
    protocol, profile = here.protocol, here.profile
    kind = request.kind
    if kind not in (*KINDS, *profile.message_types):
        choices = ", ".join((*KINDS, *profile.message_types))
        raise InputError(
            f'"{visible(kind)}" is not a kind of message here: write one of {choices}; message_types of the '
            "profile adds others"
        )
    kinds = HALVES if kind == "request" else (kind,)
    if kind == HEADER:
        names = [_header_name(request.name, profile)]
    else:
        api = _api(request, kinds, profile)
        names = [f"{api}{profile.suffixes.get(each, '')}" for each in kinds]
    for name in names:
        existing = protocol.find(name)
        if existing is not None:
            raise InputError(f"{existing.name} already exists", here.shown(existing.path, request.cwd))
    is_keyed = kind == "request" or kind in profile.keyed_types
    key = next_key(protocol, kinds, request.released_keys()) if is_keyed else None
    if key is not None and key > MAX_INT16:
        raise InputError(f"there is no API key above {MAX_INT16}")
    folder = _folder(protocol, kinds) if protocol.messages else _first_folder(here)
    licence = common_licence(message.written.lines.text for message in protocol)
    level = newest_level(here, protocol, request.cwd) if key is not None else None
    specs = [
        NewSpec(
            name,
            each,
            key,
            _listeners(protocol, each, profile),
            licence,
            level,
            about="" if profile.family else _ABOUT.get(each, _ABOUT_OTHER),
        )
        for name, each in zip(names, kinds, strict=True)
    ]
    if kind == HEADER:
        specs = [_header(spec, profile) for spec in specs]
    texts = {f"{folder}/{spec.name}.json".lstrip("/"): spec_of(spec).encode() for spec in specs}
    shown = {path: here.shown(path, request.cwd) for path in texts}
    files = {here.file(path): text for path, text in texts.items()}
    create(files, check=lambda: _refuse_unread(specs_here(request.cwd), shown))
    return Begun(tuple(shown.values()), key)


def _refuse_unread(here: OpenedProject, paths: Mapping[str, str]) -> None:
    """Raise InputError for a spec that is not among those of the protocol.

    A spec that no command reads would not be checked, and the next one would get the same API key.
    """
    for path, shown in paths.items():
        if path not in here.project.messages:
            raise InputError(
                "it is not written, because no command would read it there: the settings or git leave it "
                "out, or its folder is a link, or one of builds or tests",
                shown,
            )


def _api(request: BeginRequest, kinds: Sequence[str], profile: Profile) -> str:
    """The name without the ending that its type gives it."""
    name = request.name
    for ending in (profile.suffixes.get(each, "") for each in kinds):
        if ending and name.endswith(ending) and name != ending:
            name = name.removesuffix(ending)
            break
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f'"{visible(request.name)}" is not a name such as PlaceOrder: letters and digits, '
            "the first a capital"
        )
    return name


def _header_name(name: str, profile: Profile) -> str:
    """The name of a header, which the type of the messages behind it decides."""
    names = [header_name(each) for each in profile.headers.types]
    if name not in names:
        raise InputError(
            f'"{visible(name)}" is not the name of a header here: write one of {", ".join(names)}'
        )
    return name


def _header(spec: NewSpec, profile: Profile) -> NewSpec:
    """The spec of a header with the versions and the fields that the profile names."""
    headers, roles = profile.headers, profile.header_fields
    kind = next(each for each in headers.types if header_name(each) == spec.name)
    # The versions of a message decide which header it has: a key that none has has no exception.
    plain, flexible = (headers.version_of(kind, None, 0, is_flexible) for is_flexible in (False, True))
    versions = [number for number in (plain, flexible) if number is not None]
    versions += [each.header for each in headers.exceptions if each.type == kind]
    # Nothing answers a message of another type.
    pairs = (
        "Pairs a response with its request." if kind in HALVES else f"TODO: what it means in {kind} messages."
    )
    pairing = NewField(roles.correlation_id, "int32", pairs)
    fields = [
        NewField(roles.api_key, "int16", "The API key of the message."),
        NewField(roles.api_version, "int16", "The version of the message."),
        pairing,
        NewField(roles.client_id, "string", "The name of the client."),
    ]
    if kind == "response":
        fields = [pairing]
    return replace(
        spec,
        versions=(min(versions), max(versions)),
        flexible="none" if plain == flexible else f"{flexible}+",
        fields=[field for field in fields if field.name],
    )


def _first_folder(here: OpenedProject) -> str:
    """The folder of the first specs of a protocol: one that the settings name for it, or `messages`."""
    folders = [folder for folder in map(_named_folder, here.settings.paths) if folder]
    return posixpath.join(here.settings.folder, next(iter(folders), FOLDER))


def _named_folder(glob: str) -> str:
    """The folder that a glob begins with, "" if that is any."""
    parts = glob.strip("/").split("/")
    return "/".join(takewhile(lambda part: _PLAIN.fullmatch(part) and not part.endswith(".json"), parts))


def _folder(protocol: Protocol, kinds: Sequence[str]) -> str:
    """The folder with the most specs of these types, or of any type if there are none of these."""
    alike = [message for message in protocol if message.type in kinds] or list(protocol)
    path, _ = Counter(message.path.rpartition("/")[0] for message in alike).most_common(1)[0]
    return path


def _listeners(protocol: Protocol, kind: str, profile: Profile) -> tuple[str, ...]:
    """The listeners that most requests name; if there are no other requests, the first listener of the
    profile.
    """
    if kind != "request":
        return ()
    used = Counter(message.listeners for message in protocol if message.type == "request")
    if used:
        return used.most_common(1)[0][0]
    return (profile.listeners or ())[:1]
