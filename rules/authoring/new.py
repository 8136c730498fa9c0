"""Creates a request and its response, or a message of another type, next to the other specs."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from wirebook.rules.check.releases import released_keys
from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.specs.files import create_files
from wirebook.specs.jsontext import COMMENT
from wirebook.specs.limits import MAX_INT16
from wirebook.specs.model import Message
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES

KINDS = ("request", "data")
FOLDER = "messages"  # the place of the first specs
_ABOUT = {"request": "TODO: what the API is for.", "response": ""}
_ERROR_CODE = ("ErrorCode", "int16", "The error code, or 0 if there was no error.")
_EXAMPLE = ("Name", "string", "TODO: what the field means, its unit, and who sets it.")
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_HEAD = re.compile(rf"\A(?:\s|{COMMENT})*+")


def new_specs(kind: str, name: str, cwd: Path) -> tuple[list[str], int | None]:
    """Write specs of a kind, "request" for both halves of an API; all of them or none.

    Returns their paths from the current folder and their API key, None if they have none. A key
    that a spec or a release has is not taken again. Raises InputError for an unknown kind, for a
    name that is not CamelCase or is taken, and for a place that the settings leave out; OSError.
    """
    here = specs_here(cwd)
    protocol = here.protocol
    if kind not in KINDS:
        words = f"write one of {', '.join(KINDS)}"
        raise InputError(f'"{visible(kind)}" is not a kind of message here: {words}')
    kinds = HALVES if kind == "request" else (kind,)
    stem = name
    if kind == "request":
        stem = name.removesuffix("Request").removesuffix("Response")
    if _NAME.fullmatch(stem) is None:
        words = "is not a name such as PlaceOrder: letters and digits, the first a capital"
        raise InputError(f'"{visible(name)}" {words}')
    key = None
    if kind == "request":
        key = _next_key(protocol, kinds, released_keys(cwd))
    licence = _licence(message.written.lines.text for message in protocol)
    folder = _folder(here, kinds)
    texts: dict[Path, bytes] = {}
    for half in kinds:
        full = f"{stem}{half.capitalize()}" if half in HALVES else stem
        existing = protocol.find(full)
        if existing is not None:
            raise InputError(f"{existing.name} already exists", here.shown(existing.path, cwd))
        path = posixpath.join(folder, f"{full}.json")
        if not here.project.selection.takes(path):
            words = "the settings leave out specs here, so that no command would read it"
            raise InputError(words, here.shown(path, cwd))
        texts[here.file(path)] = (licence + _spec(full, half, key, here)).encode()
    create_files(texts)
    return [here.shown(str(path), cwd) for path in texts], key


def _next_key(
    messages: Iterable[Message], kinds: Iterable[str], former: Iterable[tuple[str, int]]
) -> int:
    """The API key after the highest one that any message of these types has or had."""
    keys = [(message.type, message.api_key) for message in messages]
    taken = [key for kind, key in [*keys, *former] if kind in kinds and key is not None]
    key = max(taken, default=-1) + 1
    if key > MAX_INT16:
        raise InputError(f"there is no API key above {MAX_INT16}")
    return key


def _spec(name: str, kind: str, key: int | None, here: OpenedProject) -> str:
    """The text of a new spec with one example of a field."""
    about = "" if here.profile.family else _ABOUT.get(kind, "TODO: what the message is for.")
    keys = {
        "apiKey": key,
        "type": kind,
        "about": about or None,
        "listeners": (_listeners(here) if kind == "request" else ()) or None,
        "name": name,
        "validVersions": "0",
        "flexibleVersions": "0+",
    }
    texts = {key: json.dumps(value, ensure_ascii=False) for key, value in keys.items()}
    lines = [f'"{key}": {text}' for key, text in texts.items() if text != "null"]
    field, of, what = _ERROR_CODE if kind == "response" else _EXAMPLE
    example = f'{{ "name": "{field}", "type": "{of}", "versions": "0+",\n      "about": "{what}" }}'
    lines.append(f'"fields": [\n    {example}\n  ]')
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def _licence(texts: Iterable[str]) -> str:
    """The comment at the beginning of most specs; empty if there is none in common."""
    # A comment may contain braces, too.
    heads = Counter("".join(_HEAD.findall(text)) for text in texts)
    head, count = next(iter(heads.most_common(1)), ("", 0))
    return head if count * 2 > heads.total() and head.lstrip().startswith("/") else ""


def _folder(here: OpenedProject, kinds: Iterable[str]) -> str:
    """The folder with the most specs of these types, or of any type; FOLDER for the first spec."""
    messages = list(here.protocol)
    alike = [message for message in messages if message.type in kinds] or messages
    folders = Counter(message.path.rpartition("/")[0] for message in alike)
    first = posixpath.join(here.settings.folder, FOLDER)
    return folders.most_common(1)[0][0] if folders else first


def _listeners(here: OpenedProject) -> tuple[str, ...]:
    """The listeners that most requests name; without requests, the first listener of the
    profile."""
    used = Counter(message.listeners for message in here.protocol if message.type == "request")
    return used.most_common(1)[0][0] if used else (here.profile.listeners or ())[:1]
