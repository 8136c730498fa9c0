"""Finds the files of structs that a spec imports, and appends their texts to that of the spec.

A spec names them under `imports`, as paths from its own folder. All that reads a spec gets one text, which
has what it imports at its end: so two specs are the same only if all that they import is, wherever their
texts are compared, kept or sent. `read_message` splits it again.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from wirebook.specs.problems import InputError, Position
from wirebook.specs.reading.discovery import (
    IMPORTED,
    STRUCTS,
    may_import,
)
from wirebook.specs.syntax.jsontext import JsonArray, JsonDocument, JsonObject, parse_json

# The text of a file of structs by its path; None if there is none.
StructTextOf = Callable[[str], bytes | InputError | None]


class ImportedText(NamedTuple):
    """A file of structs that a spec imports: its path from the folder of the spec, and its text."""

    path: str
    text: str


def with_imports(text: bytes, path: str, opened: StructTextOf) -> bytes:
    """The text of the spec at a path, with the texts that it imports at the end.

    `opened` returns that of a file by its path, which begins like that of the spec. If one is missing or
    wrong, the error is at the end instead, and reading the spec raises it. A text without imports stays as it
    is, and so does one that cannot be read: its reader reports that.
    """
    if not may_import(text):
        return text
    try:
        document = parse_json(text, path)
    except InputError:
        return text
    if not imports_of(document):
        return text
    closure = _Closure(opened)
    content: object
    try:
        if IMPORTED in text:
            raise InputError("this has imported texts at its end: delete them", path)
        closure.follow(path, document, ())
        folder = posixpath.dirname(path) or "."
        content = [[posixpath.relpath(place, folder), found] for place, found in closure.texts.items()]
    except InputError as error:
        content = {"message": error.message, "path": error.path, "at": error.position}
    return text + IMPORTED + json.dumps(content).encode()


def imported_texts(appended: bytes, path: str) -> list[ImportedText]:
    """The texts that `with_imports` appended to the text of the spec at a path. Raises the InputError that it
    met.
    """
    try:
        content = json.loads(appended)
        if isinstance(content, dict):
            at = content["at"]
            raise InputError(content["message"], content["path"], None if at is None else Position(*at))
        folder = posixpath.dirname(path)
        return [ImportedText(posixpath.join(folder, place), text) for place, text in content]
    except (ValueError, TypeError, KeyError):
        raise InputError("the imported texts at its end are damaged", path) from None


def imports_of(document: JsonDocument) -> Sequence[str]:
    """The paths under `imports`; none if the key is absent or its value is not a list of strings."""
    names = document.value.get("imports") if isinstance(document.value, JsonObject) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return ()
    return names


def import_at(document: JsonDocument, number: int) -> Position:
    """The position of one of the paths under `imports`."""
    assert isinstance(document.value, JsonObject)
    names = document.value["imports"]
    assert isinstance(names, JsonArray)
    return document.lines.position(names.values_at[number])


def structs_document(text: bytes | str, path: str) -> JsonDocument:
    """The JSON of a file of structs. Raises InputError if it is none, or defines a struct twice."""
    document = parse_json(text, path)
    value = document.value
    if not isinstance(value, JsonObject) or value.get("type") != STRUCTS:
        at = document.lines.position(
            value.values_at.get("type", value.offset) if isinstance(value, JsonObject) else document.offset
        )
        raise InputError(f'this is not a file of structs: its "type" must be "{STRUCTS}"', path, at)
    if document.rest is not None:
        at = document.lines.position(document.rest)
        raise InputError("there is text after the end of the file of structs", path, at)
    if not isinstance(value.get("commonStructs"), list):
        at = document.lines.position(value.values_at.get("commonStructs", value.offset))
        raise InputError('a file of structs has an array "commonStructs"', path, at)
    if "imports" in value and not imports_of(document) and value["imports"] != []:
        at = document.lines.position(value.values_at["imports"])
        raise InputError('"imports" must be an array of strings', path, at)
    names: set[str] = set()
    for struct in _structs(document):
        name = str(struct["name"])
        if name in names:
            at = document.lines.position(struct.values_at["name"])
            raise InputError(f"the struct {name} is defined twice in this file", path, at)
        names.add(name)
    return document


def _structs(document: JsonDocument) -> Iterable[JsonObject]:
    """The structs of a file that have a name."""
    return [
        each
        for each in _listed(document)
        if isinstance(each, JsonObject) and isinstance(each.get("name"), str)
    ]


def _listed(document: JsonDocument) -> list[object]:
    """What a file of structs lists under `commonStructs`."""
    assert isinstance(document.value, JsonObject)
    structs = document.value["commonStructs"]
    assert isinstance(structs, list)
    return structs


def place_of_import(path: str, name: str) -> str:
    """The path of the file that the file at a path imports under a name.

    Raises InputError for a name that leads out of the folder of the file: then a source that has the file
    would not always have what it imports.
    """
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ".." in parts:
        raise InputError(f'"{name}" leaves the folder of this file: it can import files in it and below it')
    if not name.endswith(".json") or {"", "."} & set(parts):
        raise InputError(f'"{name}" is not the path of a file of structs: "Common.json"')
    return posixpath.join(posixpath.dirname(path), name)


class _Closure:
    """All that a spec imports, by path."""

    def __init__(self, opened: StructTextOf) -> None:
        self.opened = opened
        self.texts: dict[str, str] = {}
        self.defined: dict[str, str] = {}

    def follow(self, path: str, document: JsonDocument, within: tuple[str, ...]) -> None:
        """Add what a file imports; `within` are the files of structs that lead to it, and itself."""
        for number, name in enumerate(imports_of(document)):
            at = import_at(document, number)
            try:
                target = place_of_import(path, name)
                if target in within:
                    circle = (*within[within.index(target) :], target)
                    names = " -> ".join(posixpath.basename(each) for each in circle)
                    raise InputError(f"these files import each other: {names}")
                if target in self.texts:
                    continue
                text = self.opened(target)
                if text is None:
                    raise InputError(f'there is no file of structs "{name}" here')
                if isinstance(text, InputError):
                    raise InputError(f'"{name}" cannot be read: {text.message}')
            except InputError as error:
                raise InputError(error.message, path, at) from None
            self._add(target, text, (*within, target))

    def _add(self, place: str, text: bytes, within: tuple[str, ...]) -> None:
        document = structs_document(text, place)
        self.texts[place] = document.lines.text
        for struct in _structs(document):
            name = str(struct["name"])
            first = self.defined.setdefault(name, place)
            if first != place:
                at = document.lines.position(struct.values_at["name"])
                raise InputError(f"the struct {name} is defined twice: in {first} too", place, at)
        self.follow(place, document, within)
