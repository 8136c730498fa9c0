"""Creates a request and its response, or a message of another type, next to the other specs."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

from wirebook.rules.opened import specs_here
from wirebook.specs.files import create_files
from wirebook.specs.jsontext import COMMENT
from wirebook.specs.model import Message
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES

FOLDER = "messages"  # the place of the first specs
_ABOUT = {"request": "TODO: what the API is for.", "data": "TODO: what the message is for."}
_ERROR_CODE = (
    '"name": "ErrorCode", "type": "int16", "versions": "0+",\n'
    '      "about": "The error code, or 0 if there was no error."'
)
_EXAMPLE = (
    '"name": "Name", "type": "string", "versions": "0+",\n'
    '      "about": "TODO: what the field means, its unit, and who sets it."'
)
_SPEC = """\
{{{given}
  "type": "{type}",
  "name": "{name}",
  "validVersions": "0",
  "flexibleVersions": "0+",
  "fields": [
    {{ {field} }}
  ]
}}
"""
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_LICENCE = re.compile(rf"(?:\s|{COMMENT})*+")


def new_specs(kind: str, name: str, cwd: Path) -> tuple[list[str], int | None]:
    """Write specs of a kind, "data", or "request" for both halves of an API; all of them or none.

    Folder, licence and listeners are those of the newest message of the kind. Returns the paths
    from the current folder and the API key, None if they have none. Raises InputError for a name
    that is not CamelCase or is taken, and for a place that the settings leave out; OSError.
    """
    here = specs_here(cwd)
    protocol = here.protocol
    kinds = HALVES if kind == "request" else (kind,)
    stem = name
    if kind == "request":
        stem = name.removesuffix("Request").removesuffix("Response")
    if _NAME.fullmatch(stem) is None:
        words = "is not a name such as PlaceOrder: letters and digits, the first a capital"
        raise InputError(f'"{visible(name)}" {words}')
    # Without a message of the kind, another one shows where specs are.
    alike = [each for each in protocol if each.type == kind] or list(protocol)
    newest = max(alike, key=_key_of, default=None)
    key = None
    if kind == "request":
        key = max((_key_of(each) for each in protocol if each.type in kinds), default=-1) + 1
    folder = posixpath.join(here.settings.folder, FOLDER)
    licence = ""
    listeners = (here.profile.listeners or ())[:1]
    if newest is not None:
        folder = newest.path.rpartition("/")[0]
        listeners = newest.listeners
        comments = _LICENCE.match(newest.written.lines.text)
        licence = comments[0] if comments is not None else ""
    texts: dict[Path, bytes] = {}
    for half in kinds:
        full = f"{stem}{half.capitalize()}" if half in HALVES else stem
        existing = protocol.find(full)
        if existing is not None:
            raise InputError(f"{existing.name} already exists", here.shown(existing.path, cwd))
        path = posixpath.join(folder, f"{full}.json")
        if not here.project.selection.takes(path):
            raise InputError(
                "the settings leave out specs here, so that no command would read it",
                here.shown(path, cwd),
            )
        given = "" if key is None else f'\n  "apiKey": {key},'
        if half in _ABOUT and not here.profile.family:
            given += f'\n  "about": "{_ABOUT[half]}",'
        if half == "request" and listeners:
            given += f'\n  "listeners": {json.dumps(listeners)},'
        field = _ERROR_CODE if half == "response" else _EXAMPLE
        text = _SPEC.format(type=half, name=full, given=given, field=field)
        texts[here.file(path)] = f"{licence}{text}".encode()
    create_files(texts)
    return [here.shown(str(path), cwd) for path in texts], key


def _key_of(message: Message) -> int:
    return -1 if message.api_key is None else message.api_key
