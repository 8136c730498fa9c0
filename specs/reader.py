"""Reads the text of a spec into the model; loose or invalid values are collected as problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from wirebook.specs.discovery import STRUCTS
from wirebook.specs.jsontext import JsonDocument, JsonObject, JsonPlaces, parse_json
from wirebook.specs.keys import (
    FaultError,
    Read,
    array,
    filled,
    flag,
    is_whole,
    json_object,
    many,
    nearest,
    optional,
    text,
    versions,
    whole,
    within,
    wrong,
)
from wirebook.specs.limits import MAX_INT16, MAX_LAID_OUT, MAX_STRUCT_DEPTH
from wirebook.specs.model import (
    STANDING,
    Field,
    FieldValue,
    HistoryEntry,
    Json,
    Message,
    SourceNode,
    Struct,
)
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError, Problem, ProblemKind
from wirebook.specs.profile import NEUTRAL, HeaderRange, Profile
from wirebook.specs.versions import SPACES, Versions

EXTENSION = "x-"
_ABSENT = object()
_NO_FILES: Mapping[str, bytes] = {}
_INTEGER = r"(?:\[\])?(u?)int(8|16|32|64)"


def read_message(
    content: str | bytes,
    path: str,
    imports: Mapping[str, bytes] = _NO_FILES,
    *,
    strict: bool = True,
    profile: Profile = NEUTRAL,
) -> Message:
    """Read one spec file of a protocol; `imports` are the files that it imports (`imports.py`).

    Loose or invalid parts that the model can represent are listed in `Message.problems`, in text
    order. Raises InputError, with line and column, for broken JSON, for what is not a message spec,
    for missing or wrong imports, for input above the limits of `specs/limits.py`, and, if `strict`,
    for the first value that the model cannot represent.
    """
    document = parse_json(content, path)
    node = document.value
    if not isinstance(node, JsonObject):
        raise document.error("a message spec must be a JSON object")
    if not {"name", "validVersions", "fields"} & node.keys():
        words = 'this is not a message spec: it has neither "name", "validVersions" nor "fields"'
        raise document.error(words)
    reader = _Reader(document, profile)
    if document.rest is not None:
        words = "there is text after the end of the spec"
        reader.report(ProblemKind.TRAILING_TEXT, words, document.rest, severity="warning")
    message = reader.message(node, imports)
    _refuse_too_large(message)
    for problem in message.problems if strict else ():
        if problem.severity == "unusable":
            raise InputError.at(problem.place, problem.message)
    return message


def _quoted(key: str, value: object) -> int:
    """A header version, which is in quotes."""
    if not isinstance(value, str) or not is_whole(value.strip(SPACES)):
        raise wrong(key, value, "a whole number in quotes")
    return within(key, int(value), 0, MAX_INT16)


def _scalar(key: str, value: object) -> Json:
    if isinstance(value, list | dict):
        raise wrong(key, value, "a string, a number, true, false or null")
    return value


def _header_ranges(key: str, value: object) -> tuple[HeaderRange, ...]:
    """The entries of `headerVersions`, by version."""
    ranges: list[HeaderRange] = []
    for name, header in json_object(key, value).items():
        of = versions(name, name)
        if not of:
            raise FaultError(ProblemKind.BAD_VERSION_RANGE, f'"{name}" contains no version')
        ranges.append(HeaderRange(of, _quoted(name, header)))
    return tuple(sorted(ranges, key=lambda item: item.versions.lowest))


def _texts_by_name(key: str, value: object) -> dict[str, str]:
    return {name: text(name, each) for name, each in json_object(key, value).items()}


_INT16, _WORDS = whole(0, MAX_INT16), many(text)
# The keys of a number with a meaning.
_NUMBER: Mapping[str, Read] = {
    "name": filled,
    "about": text,
    "versions": versions,
    "deprecatedVersions": versions,
    "formerNames": _WORDS,
}
# The keys of each kind of object, and how the value of each is read: by a function, or as an array
# of objects of a kind. Some are read where they are needed (None).
_KEYS: Mapping[str, Mapping[str, Read | str | None]] = {
    "message": {
        "$schema": None,
        "apiKey": _INT16,
        "type": filled,
        "listeners": _WORDS,
        "name": filled,
        "validVersions": versions,
        "deprecatedVersions": versions,
        "flexibleVersions": versions,
        "headerVersions": _header_ranges,
        "latestVersionUnstable": flag,
        "about": text,
        "imports": _WORDS,
        "commonStructs": "struct",
        "fields": "field",
        "history": "history entry",
    },
    "field": {
        "name": filled,
        "type": filled,
        "versions": versions,
        "nullableVersions": versions,
        "taggedVersions": versions,
        "flexibleVersions": versions,
        "tag": whole(0, 2**31 - 1),
        "default": _scalar,
        "ignorable": flag,
        "mapKey": flag,
        "zeroCopy": flag,
        "entityType": text,
        "about": text,
        "fields": "field",
        "values": "value",
        "flags": "flag",
    },
    "value": {"value": whole(-(1 << 63), (1 << 64) - 1), **_NUMBER},
    "flag": {"bit": whole(0, 63), **_NUMBER},
    "struct": {
        "name": filled,
        "versions": versions,
        "deprecatedVersions": versions,
        "about": text,
        "fields": "field",
    },
    "file of structs": {
        "$schema": None,
        "type": None,
        "about": text,
        "imports": _WORDS,
        "commonStructs": "struct",
    },
    "history entry": {
        "version": _INT16,
        **dict.fromkeys(STANDING, optional),
        "fields": _texts_by_name,
        "about": text,
    },
}
# The keys that must be there, with the value that an absent one has.
_REQUIRED: Mapping[str, Mapping[str, object]] = {
    "message": {"validVersions": Versions.NONE, "name": "", "type": ""},
    "field": {"name": "", "type": ""},
    "value": {"value": 0, "name": ""},
    "flag": {"bit": 0, "name": ""},
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
        self.problems: list[Problem] = []

    def places(self, node: JsonObject) -> JsonPlaces:
        """Where a node has its values."""
        return self.lines.object(node.number)

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

    def value(self, node: JsonObject, key: str, read: Read, path: str, absent: Any = None) -> Any:
        """The value of a key; `absent` if the model cannot represent it."""
        try:
            return read(key, node[key])
        except FaultError as fault:
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
        for key in node:
            read = _KEYS[what].get(key)
            if isinstance(read, str):
                given[_attribute(key)] = self.objects(node, key, read, path)
            elif read is not None:
                value = self.value(node, key, read, path, _ABSENT)
                if value is not _ABSENT:
                    given[_attribute(key)] = value
        given["written"] = self.written(node, what, path)
        return given

    def written(self, node: JsonObject, what: str, path: str) -> SourceNode:
        """The places and comments of a node; reports repeated and unknown keys.

        Keys that begin with "x-", for other tools, are kept; only Kafka's generator refuses them.
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
        return SourceNode(self.lines, node.number, tuple(node), unknown)

    def objects(self, node: JsonObject, key: str, what: str, path: str) -> tuple[Any, ...]:
        """The objects of an array: fields and structs have paths."""
        made: list[Any] = []
        for index, item in enumerate(self.value(node, key, array, path, ())):
            if not isinstance(item, JsonObject):
                at = self.places(node).inner[key].values_at[index]
                self.report(ProblemKind.WRONG_TYPE, f"a {what} is an object", at, path, key)
            elif what in ("field", "struct"):
                name = item.get("name")
                own = name if isinstance(name, str) else ""
                inner = f"{path}.{own}" if path else own
                is_field = what == "field"
                made.append(self.field(item, inner) if is_field else self.struct(item, inner))
            else:
                made.append(self.values(item, what, path))
        return tuple(made)

    def message(self, node: JsonObject, imports: Mapping[str, bytes]) -> Message:
        path = self.lines.path
        given = self.values(node, "message")
        given["purpose"] = given.pop("about", "")
        given["history"] = tuple(HistoryEntry(**each) for each in given.pop("history", ()))
        recorded: set[int] = set()
        for entry in given["history"]:
            if entry.version in recorded:
                raise entry.written.error(f"the history has version {entry.version} twice")
            recorded.add(entry.version)
        if given.pop("imports", ()):
            shared = self.imported(node, imports)
            given["common_structs"] = (*given.get("common_structs", ()), *shared)
        # Those of imported files come after all others.
        problems = sorted(self.problems, key=lambda each: (each.place.path != path, each.place))
        return Message(
            **given,
            path=path,
            profile=self.profile,
            lists_values=self.lists_values,
            problems=tuple(problems),
        )

    def imported(self, node: JsonObject, imports: Mapping[str, bytes]) -> Iterator[Struct]:
        """The structs of the files that the spec imports."""
        if not imports and not self.profile.family:
            raise self.lines.error(
                self.places(node).values_at["imports"],
                "what this spec imports was not read with it: read the folder or the revision "
                "that has it",
            )
        # What a family lacks is reported, and read: a change of profile does not remove structs.
        last = node.number
        for path, content in imports.items():
            document = parse_json(content, path, last + 1)
            top = _file_of_structs(document)
            last = top.number
            reader = _Reader(document, self.profile)
            found = reader.values(top, "file of structs")["common_structs"]
            yield from (replace(struct, path=path) for struct in found)
            self.problems += reader.problems
            self.lists_values |= reader.lists_values

    def field(self, node: JsonObject, path: str) -> Field:
        given = self.values(node, "field", path)
        rows = {key: given.pop(key, ()) for key in ("values", "flags")}
        field = Field(**given, has_default="default" in node)
        if (
            "versions" not in node
            and str(node.get("taggedVersions", "none")).strip(SPACES) == "none"
        ):
            self.missing(node, "versions", "field", path)
        if self.profile.family or not ("values" in node or "flags" in node):
            return field
        self.lists_values = True
        key = "values" if "values" in node else "flags"
        values = tuple(self.numbers(field, key, rows[key], path))
        self.problems += (each._replace(path=path) for each in repeated(values, key))
        return replace(field, values=values)

    def struct(self, node: JsonObject, path: str) -> Struct:
        return Struct(**self.values(node, "struct", path))

    def numbers(
        self, field: Field, key: str, rows: Iterable[dict[str, Any]], path: str
    ) -> Iterator[FieldValue]:
        """The values of a field, or its flags; reports what does not fit the field."""
        places = field.written.offsets
        if {"values", "flags"} <= {*field.written.keys}:
            words = 'a field has either "values" or "flags"'
            self.report(ProblemKind.WRONG_TYPE, words, places["flags"], path, "flags")
        integer = re.fullmatch(_INTEGER, field.type)
        if integer is None:
            words = (
                f'"{key}" lists what an integer means, or the integers of an array: the type is '
                f"{field.type[:40]}"
            )
            self.report(ProblemKind.WRONG_TYPE, words, places[key], path, key)
            return
        bits = int(integer[2])
        lowest = 0 if integer[1] or key == "flags" else -1 << bits - 1
        for row in rows:
            at, own = row["written"].offsets, row.get("versions", field.present)
            row["meaning"] = row.pop("about", "")
            row["deprecated"] = row.pop("deprecated_versions", Versions.NONE)
            value = FieldValue(**{"value": 1 << row.get("bit", 0), "versions": own, **row})
            if not lowest <= value.value < lowest + (1 << bits):
                words = f"{value.words} does not fit {field.type}"
                number = "bit" if key == "flags" else "value"
                self.report(ProblemKind.NUMBER_OUT_OF_RANGE, words, at[number], path, number)
            # An open range may go on after those of the field.
            reach = Versions(own.lowest, own.lowest if own.open else own.highest)
            if "versions" in row and not (reach and field.present.covers(reach)):
                words = f'"versions" are {own}, and the field has versions {field.present}'
                self.report(ProblemKind.BAD_VERSION_RANGE, words, at["versions"], path, "versions")
            yield value


def repeated(entries: Iterable[Any], what: str = "values") -> Iterator[Problem]:
    """The numbers and names that two entries have in one of their versions; `what` they are.

    An entry is a value of a field, or a code of a table, which has all versions.
    """
    known: dict[tuple[str, object], list[tuple[Versions, int]]] = {}
    for each in entries:
        own = getattr(each, "versions", Versions.ALL)
        for key in ("code", "value", "bit", "name"):
            value = getattr(each, key, None)
            if value is None or key not in each.written.keys:
                continue
            at = each.written.at(key)
            places = known.setdefault((key, value), [])
            line = next((line for others, line in places if own & others), None)
            if line is not None:
                both = f'"{visible(value)}"' if isinstance(value, str) else value
                words = f"two {what} have the {key} {both}; the first is in line {line}"
                yield Problem(ProblemKind.REPEATED_VALUE, "unusable", words, at, key=key)
            places.append((own, at.line))


def _file_of_structs(document: JsonDocument) -> JsonObject:
    """The object of a file of structs. Raises InputError for any other text."""
    top = document.value
    if (
        isinstance(top, JsonObject)
        and (top.get("type"), document.rest) == (STRUCTS, None)
        and isinstance(top.get("commonStructs"), list)
    ):
        return top
    words = f'this is not a file of structs: an object with "type": "{STRUCTS}" and "commonStructs"'
    raise document.error(words)


def _refuse_too_large(message: Message) -> None:
    """Raise InputError, with the position, if a message is above the limits of input."""
    versions = message.valid_versions
    most = MAX_LAID_OUT // max(len(versions), 1)

    def count(fields: Iterable[Field], within: tuple[str, ...], before: int) -> int:
        """How many fields there are with all inside them, after those before them."""
        for field in fields:
            before += 1
            if len(within) > MAX_STRUCT_DEPTH:
                words = f"more than {MAX_STRUCT_DEPTH} structs contain each other in turn"
                raise field.written.error(words)
            if before > most:
                words = f"there are more than {most:,} fields in {len(versions):,} versions"
                words += '; name the last version, as in "0-9"' if versions.open else ""
                raise message.written.error(words, "validVersions")
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
