"""Finds the files of structs that a spec imports, and appends their texts to that of the spec.

A spec names them under `imports`, as paths from its own folder. All that reads a spec gets one
text, which has what it imports at its end: so two specs are the same only if all that they import
is, wherever their texts are compared, kept or sent. `read_message` splits it again.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable

from wirebook.specs.discovery import IMPORTED, may_import
from wirebook.specs.jsontext import JsonObject, parse_json
from wirebook.specs.problems import InputError

_NAME = re.compile(r"([^/\\]+/)*[^/\\]+\.json")
# The content of a file by its path; None if there is none. Raises InputError if it cannot be read.
TextOf = Callable[[str], bytes | None]


def with_imports(text: bytes, path: str, text_of: TextOf) -> bytes:
    """The text of the spec at a path, with the texts that it imports at the end.

    Raises InputError, with the position, if one of them is missing or cannot be read. A text
    without imports stays as it is.
    """
    if not may_import(text):
        return text
    if IMPORTED in text:
        raise InputError("this has imported texts at its end: delete them", path)
    found: dict[str, str] = {}
    waiting = [(path, text)]
    for place, content in waiting:
        for target in _imports_of(content, place, text_of):
            if target[0] not in found and target[0] != path:
                found[target[0]] = target[1].decode("utf-8", "replace")
                waiting.append(target)
    if not found:
        return text
    folder = posixpath.dirname(path) or "."
    appended = [[posixpath.relpath(place, folder), imported] for place, imported in found.items()]
    return text + IMPORTED + json.dumps(appended).encode()


def imported_texts(appended: bytes, path: str) -> list[tuple[str, str]]:
    """The paths and the texts that `with_imports` appended to the text of the spec at a path."""
    folder = posixpath.dirname(path)
    return [(posixpath.join(folder, place), text) for place, text in json.loads(appended)]


def _imports_of(text: bytes, path: str, text_of: TextOf) -> list[tuple[str, bytes]]:
    """The paths and the contents of the files that a file imports itself."""
    document = parse_json(text, path)
    value = document.value
    names = value.get("imports") if isinstance(value, JsonObject) else None
    if not isinstance(value, JsonObject) or not isinstance(names, list):
        return []
    places = document.lines.object(value.number).inner["imports"]
    found = []
    for name, offset in zip(names, places.values_at.values(), strict=True):
        if not isinstance(name, str):
            continue
        try:
            found.append(_opened(path, name, text_of))
        except InputError as error:
            raise InputError.at(document.lines.place(offset), error.message) from None
    return found


def _opened(path: str, name: str, text_of: TextOf) -> tuple[str, bytes]:
    """The path and the content of a file that the file at a path imports under a name.

    A name that leads out of the folder of the file is refused: then a source that has the file
    would not always have what it imports.
    """
    if _NAME.fullmatch(name) is None or {".", ".."} & set(name.split("/")):
        words = "is not the path of a file in the folder of this one or below it"
        raise InputError(f'"{name}" {words}: "Common.json"')
    target = posixpath.join(posixpath.dirname(path), name)
    text = text_of(target)
    if text is None:
        raise InputError(f'there is no file of structs "{name}" here')
    return target, text
