"""Finds the files of structs that a spec imports: its key `imports` has paths from its folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from wirebook.specs.jsontext import JsonObject, parse_json
from wirebook.specs.problems import InputError, Place

_NAME = re.compile(r"([^/\\]+/)*[^/\\]+\.json")
# The content of a file by its path; None if there is none. Raises InputError if it cannot be read.
TextOf = Callable[[str], bytes | None]


def may_import(text: bytes) -> bool:
    """Whether a spec may import structs: only those of which this is true pay for it."""
    # A key that is written with escapes is the same key.
    return b'"imports"' in text or b"\\u" in text


def imported(text: bytes, path: str, text_of: TextOf) -> dict[str, bytes]:
    """The files that the spec at a path imports, directly or through others, by their paths.

    Raises InputError, with the position, if one of them is missing or cannot be read.
    """
    found: dict[str, bytes] = {}
    waiting = [(path, text)]
    for file, content in waiting:
        for name, place in _imports(content, file):
            try:
                target = _target(file, name)
                of_target = text_of(target)
                if of_target is None:
                    raise InputError(f'there is no file of structs "{name}" here')
            except InputError as error:
                raise InputError.at(place, error.message) from None
            if target not in found and target != path:
                found[target] = of_target
                waiting.append((target, of_target))
    return found


def _imports(text: bytes, path: str) -> Iterator[tuple[str, Place]]:
    """What a file names under `imports`, each with its place."""
    document = parse_json(text, path)
    value = document.value
    names = value.get("imports") if isinstance(value, JsonObject) else None
    if not isinstance(value, JsonObject) or not isinstance(names, list):
        return
    places = document.lines.object(value.number).inner["imports"]
    for index, name in enumerate(names):
        if isinstance(name, str):
            yield name, document.lines.place(places.values_at[index])


def _target(path: str, name: str) -> str:
    """The path of a file that the file at a path imports under a name.

    A source that has the file has what it imports: a name that leads out of its folder is refused.
    """
    if _NAME.fullmatch(name) is None or {".", ".."} & set(name.split("/")):
        raise InputError(
            f'"{name}" is not the path of a file in the folder of this one or below it: '
            '"Common.json"'
        )
    return posixpath.join(posixpath.dirname(path), name)
