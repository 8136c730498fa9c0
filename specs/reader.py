"""Reads the text of a spec into the model; loose or invalid values are collected as problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from wirebook.specs.discovery import IMPORTED, STRUCTS
from wirebook.specs.imports import imported_texts
from wirebook.specs.jsontext import (
    JsonDocument,
    JsonObject,
    JsonPlaces,
    parse_json,
)
from wirebook.specs.limits import MAX_INT16, MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.model import (
    STANDING,
    Field,
    HistoryEntry,
    Json,
    Message,
    SourceNode,
    Struct,
)
from wirebook.specs.numbers import read_field_values
from wirebook.specs.problems import InputError, Problem, ProblemKind
from wirebook.specs.profile import NEUTRAL, HeaderRange, Profile
from wirebook.specs.table import nearest
from wirebook.specs.versions import Versions, VersionsError

EXTENSION = "x-"
_TYPES = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
    list: "an array",
}
_ABSENT = object()
_T = TypeVar("_T")


def read_message(
    text: str | bytes, path: str, *, strict: bool = True, profile: Profile = NEUTRAL
) -> Message:
    """Read one spec file of a protocol.

    Loose or invalid parts that the model can represent are listed in `Message.problems`, in text
    order. What the spec imports is at the end of the text (see `imports.py`). Raises InputError,
    with line and column, for broken JSON, for a text that is not a message spec, for imports that
    are missing or wrong, for input above the limits of `specs/limits.py`, and, unless `strict` is
    false, for the first value that the model cannot represent.
    """
    appended = None
    if isinstance(text, bytes) and IMPORTED in text:
        text, _, appended = text.rpartition(IMPORTED)
    document = parse_json(text, path)
    node, lines = document.value, document.lines
    if not isinstance(node, JsonObject):
        raise InputError.at(lines.place(document.offset), "a message spec must be a JSON object")
    if not {"name", "validVersions", "fields"} & node.keys():
        words = 'this is not a message spec: it has neither "name", "validVersions" nor "fields"'
        raise InputError.at(lines.place(document.offset), words)
    reader = _Reader(document, profile)
    rest = document.rest
    if appended is not None and not node.get("imports"):
        # Nothing is imported: what looks like it is part of the file.
        rest = len(lines.text) if rest is None else rest
    if rest is not None:
        words = "there is text after the end of the spec"
        reader.report(ProblemKind.TRAILING_TEXT, words, rest, severity="warning")
    message = reader.message(node, appended)
    _refuse_too_large(message)
    for problem in message.problems if strict else ():
        if problem.severity == "unusable":
            raise InputError.at(problem.place, problem.message)
    return message


class _FaultError(Exception):
    """Why the model cannot represent a value; `meant` is what a loose one means all the same."""

    def __init__(self, kind: ProblemKind, words: str, meant: object = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.meant = meant


def _wrong(key: str, value: object, expected: str) -> _FaultError:
    kind = _TYPES.get(type(value), "an object")
    words = f'"{key}" must be {expected}, not {kind}'
    return _FaultError(ProblemKind.WRONG_TYPE, words)


def _of_type(kind: type[_T], expected: str) -> Callable[[str, object], _T]:
    def read(key: str, value: object) -> _T:
        if isinstance(value, kind):
            return value
        raise _wrong(key, value, expected)

    return read


_text = _of_type(str, "a string")
_array = _of_type(list, "an array")
_object = _of_type(JsonObject, "an object")


def _filled(key: str, value: object) -> str:
    if value == "":
        raise _FaultError(ProblemKind.EMPTY_VALUE, f'"{key}" is empty')
    return _text(key, value)


def _optional(key: str, value: object) -> str | None:
    return _text(key, value) or None


def _flag(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        # Kafka's specs used to have these.
        raise _in_quotes(key, value, value == "true")
    raise _wrong(key, value, "true or false")


def _int16(key: str, value: object) -> int:
    return _number(key, value, MAX_INT16)


def _tag(key: str, value: object) -> int:
    return _number(key, value, 2**31 - 1)


def _number(key: str, value: object, highest: int) -> int:
    """An integer from 0 to `highest`; digits in quotes are read as such."""
    if isinstance(value, str) and _is_whole(value):
        raise _in_quotes(key, value, _within(key, int(value), highest))
    if isinstance(value, int) and not isinstance(value, bool):
        return _within(key, value, highest)
    raise _wrong(key, value, "a whole number")


def _in_quotes(key: str, value: object, meant: object) -> _FaultError:
    words = f'"{key}" is a string; write {value} without quotes'
    return _FaultError(ProblemKind.WRONG_TYPE, words, meant)


def _quoted(key: str, value: object) -> int:
    """A header version, which is in quotes."""
    if not isinstance(value, str) or not _is_whole(value.strip()):
        raise _wrong(key, value, "a whole number in quotes")
    return _within(key, int(value), MAX_INT16)


def _within(key: str, number: int, highest: int) -> int:
    if 0 <= number <= highest:
        return number
    words = f'"{key}" must be between 0 and {highest}'
    raise _FaultError(ProblemKind.NUMBER_OUT_OF_RANGE, words)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _versions(key: str, value: object) -> Versions:
    if not isinstance(value, str):
        raise _wrong(key, value, "a version range in quotes")
    try:
        return Versions.parse(value)
    except VersionsError as error:
        raise _FaultError(ProblemKind.BAD_VERSION_RANGE, str(error)) from None


def _scalar(key: str, value: object) -> Json:
    if isinstance(value, list | dict):
        raise _wrong(key, value, "a string, a number, true, false or null")
    return value


def _words(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise _wrong(key, value, "an array of texts")


def _header_ranges(key: str, value: object) -> tuple[HeaderRange, ...]:
    """The entries of `headerVersions`, by version."""
    ranges: list[HeaderRange] = []
    for text, header in _object(key, value).items():
        versions = _versions(text, text)
        if not versions:
            raise _FaultError(ProblemKind.BAD_VERSION_RANGE, f'"{text}" contains no version')
        ranges.append(HeaderRange(versions, _quoted(text, header)))
    return tuple(sorted(ranges, key=lambda item: item.versions.lowest))


def _texts_by_name(key: str, value: object) -> dict[str, str]:
    return {name: _text(name, text) for name, text in _object(key, value).items()}


# The keys of each kind of object, and how the value of each is read: by a function, or as an array
# of objects of a kind. Some are read where they are needed (None).
_Read = Callable[[str, object], object] | str | None
_KEYS: Mapping[str, Mapping[str, _Read]] = {
    "message": {
        "$schema": None,
        "apiKey": _int16,
        "type": _filled,
        "listeners": _words,
        "name": _filled,
        "validVersions": _versions,
        "deprecatedVersions": _versions,
        "flexibleVersions": _versions,
        "headerVersions": _header_ranges,
        "latestVersionUnstable": _flag,
        "about": _text,
        "imports": _words,
        "commonStructs": "struct",
        "fields": "field",
        "history": "history entry",
    },
    "field": {
        "name": _filled,
        "type": _filled,
        "versions": _versions,
        "nullableVersions": _versions,
        "taggedVersions": _versions,
        "flexibleVersions": _versions,
        "tag": _tag,
        "default": _scalar,
        "ignorable": _flag,
        "mapKey": _flag,
        "zeroCopy": _flag,
        "entityType": _text,
        "about": _text,
        "fields": "field",
        "values": None,
        "flags": None,
    },
    "struct": {
        "name": _filled,
        "versions": _versions,
        "deprecatedVersions": _versions,
        "about": _text,
        "fields": "field",
    },
    "file of structs": {
        "$schema": None,
        "type": None,
        "about": _text,
        "imports": _words,
        "commonStructs": "struct",
    },
    "history entry": {
        "version": _int16,
        **dict.fromkeys(STANDING, _optional),
        "fields": _texts_by_name,
        "about": _text,
    },
}
# The keys that must be there, with the value that an absent one has.
_REQUIRED: Mapping[str, Mapping[str, object]] = {
    "message": {"validVersions": Versions.NONE, "name": "", "type": ""},
    "field": {"name": "", "type": ""},
    "struct": {"name": "", "versions": Versions.NONE},
    "file of structs": {},
    "history entry": {"version": 0},
}
# Kafka's generator does not know these, so a protocol of its family has none of them.
_NOT_OF_FAMILIES = {
    "message": {"about", "imports"},
    "field": {"values", "flags"},
    "struct": {"about"},
}


class _Reader:
    """Builds the model from the nodes of a spec, or of a file of structs that it imports.

    Each value that is loose or invalid is a problem; the model then has what an absent key means.
    The path of a field or struct is "" for the message.
    """

    def __init__(self, document: JsonDocument, profile: Profile) -> None:
        self.lines = document.lines
        self.repeats = document.repeats
        self.profile = profile
        self.lists_values = False
        self.files: list[str] = []
        self.problems: list[Problem] = []

    def places(self, node: JsonObject) -> JsonPlaces:
        """Where a node has its values."""
        return self.lines.object(self.lines.base + node.number)

    def report(
        self,
        kind: ProblemKind,
        words: str,
        offset: int,
        path: str = "",
        key: str = "",
        severity: str = "unusable",
        meant: str = "",
    ) -> None:
        """Add a problem at an offset of the text."""
        at = self.lines.place(offset)
        self.problems.append(Problem(kind, severity, words, at, path, key, meant))

    def missing(self, node: JsonObject, key: str, what: str, path: str) -> None:
        """Report that a node, described by `what`, lacks a key."""
        words = f'this {what} has no "{key}"'
        self.report(ProblemKind.MISSING_KEY, words, self.places(node).offset, path, key)

    def value(
        self,
        node: JsonObject,
        key: str,
        read: Callable[[str, object], object],
        path: str,
        absent: Any = None,
    ) -> Any:
        """The value of a key; `absent` if the model cannot represent it."""
        try:
            return read(key, node[key])
        except _FaultError as fault:
            at, is_loose = self.places(node).values_at[key], fault.meant is not None
            severity = "warning" if is_loose else "unusable"
            self.report(fault.kind, str(fault), at, path, key, severity)
            return fault.meant if is_loose else absent

    def values(self, node: JsonObject, what: str, path: str = "") -> dict[str, Any]:
        """The values of a node by the names that they have in the model, without wrong ones."""
        required = _REQUIRED[what]
        for key in required:
            if key not in node:
                self.missing(node, key, what, path)
        given: dict[str, Any] = {_attribute(key): absent for key, absent in required.items()}
        for key, read in _KEYS[what].items():
            if isinstance(read, str) and key in node:
                given[_attribute(key)] = self.objects(node, key, read, path)
            elif callable(read) and key in node:
                value = self.value(node, key, read, path, _ABSENT)
                if value is not _ABSENT:
                    given[_attribute(key)] = value
        given["written"] = self.written(node, what, path)
        return given

    def written(self, node: JsonObject, what: str, path: str) -> SourceNode:
        """The places and comments of a node; reports repeated and unknown keys.

        Keys that begin with "x-" are for other tools: they are kept like unknown ones, and only
        Kafka's generator refuses them.
        """
        known = set(_KEYS[what])
        if self.profile.family:
            known -= _NOT_OF_FAMILIES.get(what, set())
        unknown = {key: value for key, value in node.items() if key not in known}
        for key in unknown:
            if self.profile.family or not key.startswith(EXTENSION):
                near = nearest(key, known)
                hint = f'; did you mean "{near}"?' if near else ""
                words = f'a {what} has no key "{key}"{hint}'
                at = self.places(node).keys_at[key]
                self.report(ProblemKind.UNKNOWN_KEY, words, at, path, key, "warning", near)
        if self.repeats:
            # Those that are nodes themselves report their own.
            plain = [node[key] for key in node if not isinstance(_KEYS[what].get(key), str)]
            for inner in (node, *_objects(plain)):
                for key, again in self.places(inner).duplicates:
                    words = f'the key "{key}" is repeated'
                    self.report(ProblemKind.DUPLICATE_KEY, words, again, path, key, "error")
        return SourceNode(self.lines, self.lines.base + node.number, tuple(node), unknown)

    def objects(self, node: JsonObject, key: str, what: str, path: str) -> tuple[Any, ...]:
        """The objects of an array."""
        make = {"field": self.field, "struct": self.struct, "history entry": self.history}[what]
        made: list[Any] = []
        for index, item in enumerate(self.value(node, key, _array, path, ())):
            if isinstance(item, JsonObject):
                name = item.get("name") if what != "history entry" else None
                own = name if isinstance(name, str) else ""
                made.append(make(item, f"{path}.{own}" if path else own))
                continue
            at = self.places(node).inner[key].values_at[index]
            self.report(ProblemKind.WRONG_TYPE, f"a {what} is an object", at, path, key)
        return tuple(made)

    def message(self, node: JsonObject, appended: bytes | None) -> Message:
        path = self.lines.path
        given = self.values(node, "message")
        given["purpose"] = given.pop("about", "")
        own = given.get("common_structs", ())
        imported = self.imported(node, appended) if given.pop("imports", ()) else ()
        given["common_structs"] = (*own, *imported)
        # Those of imported files come after all others.
        problems = sorted(self.problems, key=lambda each: (each.place.path != path, each.place))
        return Message(
            **given,
            path=path,
            profile=self.profile,
            imports=tuple(self.files),
            lists_values=self.lists_values,
            problems=tuple(problems),
        )

    def imported(self, node: JsonObject, appended: bytes | None) -> tuple[Struct, ...]:
        """The structs of the files that `imports` names, whose texts are at the end of the spec."""
        if appended is None and self.profile.family:
            # What a family does not have is reported, and read all the same: a change of the
            # profile, which may be the same patch, does not make structs disappear.
            return ()
        if appended is None:
            words = (
                "what this spec imports was not read with it: read the folder or the revision "
                "that has it"
            )
            raise InputError.at(self.lines.place(self.places(node).values_at["imports"]), words)
        structs: list[Struct] = []
        base = node.number + 1
        for path, text in imported_texts(appended, self.lines.path):
            document = parse_json(text, path)
            document.lines.base = base
            top = _file_of_structs(document)
            reader = _Reader(document, self.profile)
            self.files.append(path)
            found = reader.values(top, "file of structs")["common_structs"]
            structs += (replace(struct, path=path) for struct in found)
            self.problems += reader.problems
            self.lists_values |= reader.lists_values
            base += top.number + 1
        return tuple(structs)

    def field(self, node: JsonObject, path: str) -> Field:
        result = Field(**self.values(node, "field", path), has_default="default" in node)
        if "versions" not in node and str(node.get("taggedVersions", "none")).strip() == "none":
            self.missing(node, "versions", "field", path)
        if ("values" in node or "flags" in node) and not self.profile.family:
            self.lists_values = True
            values = read_field_values(node, self.lines, result.type, result.present)
            return replace(result, values=values)
        return result

    def struct(self, node: JsonObject, path: str) -> Struct:
        return Struct(**self.values(node, "struct", path))

    def history(self, node: JsonObject, path: str) -> HistoryEntry:
        return HistoryEntry(**self.values(node, "history entry", path))


def _file_of_structs(document: JsonDocument) -> JsonObject:
    """The object of a file of structs. Raises InputError for any other text."""
    top = document.value
    is_one = isinstance(top, JsonObject) and top.get("type") == STRUCTS and document.rest is None
    if isinstance(top, JsonObject) and is_one and isinstance(top.get("commonStructs"), list):
        return top
    words = f'this is not a file of structs: an object with "type": "{STRUCTS}" and "commonStructs"'
    raise InputError.at(document.lines.place(document.offset), words)


def _refuse_too_large(message: Message) -> None:
    """Raise InputError, with the position, if a message is above the limits of
    `specs/limits.py`."""
    versions = message.valid_versions
    most = MAX_LAID_OUT // max(len(versions), 1)

    def count(fields: Iterable[Field], within: tuple[str, ...], before: int) -> int:
        """How many fields there are with all inside them, after those before them."""
        for field in fields:
            before += 1
            if len(within) > MAX_STRUCT_DEPTH:
                words = f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn"
                raise InputError.at(field.written.at(), words)
            if before > most:
                words = f"there are more than {most:,} fields in {len(versions):,} versions"
                words += '; name the last version, as in "0-9"' if versions.open else ""
                raise InputError.at(message.written.at("validVersions"), words)
            if field.element not in within:
                inner = message.fields_of(field) or ()
                before = count(inner, (*within, field.element), before)
        return before

    count(message.fields, (), 0)
    for struct in message.common_structs:
        count(struct.fields, (struct.name,), 0)


@cache
def _attribute(key: str) -> str:
    """The name that the model has for a key: `api_key` for "apiKey"."""
    return re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", key)


def _objects(value: object) -> Iterator[JsonObject]:
    """The objects in a value, including the value itself."""
    if isinstance(value, JsonObject):
        yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from _objects(item)
