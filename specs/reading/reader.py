"""From the text of a spec to the model, with the place of every node and every loose thing reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from wirebook.specs.model import Field, HistoryEntry, Json, Message, Protocol, Struct, Written
from wirebook.specs.problems import InputError, Position, Problem, ProblemKind
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.reading.jsontext import Document, JsonArray, JsonObject, Node, Places, parse_json
from wirebook.specs.reading.quickjson import read_quickly
from wirebook.specs.versions import Versions, VersionsError

MESSAGE_KEYS = frozenset((
    "$schema", "apiKey", "type", "listeners", "name", "validVersions", "deprecatedVersions",
    "flexibleVersions", "latestVersionUnstable", "commonStructs", "fields", "history",
))  # fmt: skip
FIELD_KEYS = frozenset((
    "name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag", "default",
    "ignorable", "mapKey", "zeroCopy", "entityType", "about", "fields",
))  # fmt: skip
STRUCT_KEYS = frozenset(("name", "versions", "deprecatedVersions", "fields"))
_STANDING = ("added", "deprecated", "undeprecated", "removed", "returned")
HISTORY_KEYS = frozenset(("version", *_STANDING, "fields", "about"))
# Without these no message, struct, field or entry of the history can be built.
REQUIRED_KEYS = frozenset(("name", "type", "validVersions", "versions", "version"))

_KINDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}
_Made = TypeVar("_Made")


def read_message(text: str | bytes, path: str, *, strict: bool = True) -> Message:
    """Read one spec file.

    What is loose or wrong but can be held by the model is listed in `Message.problems`, in the order of
    the text. Raises InputError, with line and column, for broken JSON, for a text that is no message spec,
    and, unless `strict` is off, for the first value that the model cannot hold.
    """
    document = _document(text, path)
    if not isinstance(document.value, Node):
        raise InputError("a message spec is a JSON object", path, document.lines.position(document.offset))
    reader = _Reader(path, document.lines)
    if document.byte_order_mark:
        reader.report(ProblemKind.BYTE_ORDER_MARK, "warning", "the text begins with a byte-order mark", 0, "")
    if document.rest is not None:
        reader.report(
            ProblemKind.TRAILING_TEXT, "warning", "text goes on after the end of the spec", document.rest, ""
        )
    message = reader.message(document.value, document.header)
    if strict:
        for problem in message.problems:
            if problem.severity == "unusable":
                raise InputError(problem.message, path, problem.position)
    return message


def read_protocol(texts: Iterable[SpecText], name: str = "") -> Protocol:
    """Read all the specs of one snapshot; raises InputError also where two files define one message."""
    messages = [read_message(text.text, text.path) for text in texts]
    seen: dict[tuple[str, int | str], Message] = {}
    for message in messages:
        other = seen.setdefault(message.identity, message)
        if other is not message:
            what = f"{message.type} with API key {message.api_key}"
            if message.identity[1] == message.name:
                what = f"{message.type} named {message.name}"
            raise InputError(
                f"{message.name} is the second {what}; the first is {other.name} in {other.path}",
                message.path,
                message.written.at("name"),
            )
    return Protocol.of(messages, name)


def _document(text: str | bytes, path: str) -> Document:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            return parse_json(text, path)
    return read_quickly(text) or parse_json(text, path)


class _Reader:
    """Collects the problems of one file while its nodes are turned into the model."""

    def __init__(self, path: str, lines: Places) -> None:
        self.path = path
        self.lines = lines
        self.problems: list[tuple[int, Problem]] = []

    def report(
        self,
        kind: ProblemKind,
        severity: str,
        message: str,
        offset: int,
        key: str,
        earlier: Position | None = None,
    ) -> None:
        problem = Problem(kind, severity, message, self.path, self.lines.position(offset), key, earlier)
        self.problems.append((offset, problem))

    def at(self, node: Node, key: str) -> int:
        """Where the value of a key stands."""
        return self.lines.object(node.number).values_at[key]

    def written(self, node: Node, known: frozenset[str], what: str) -> Written:
        """The places and comments of a node; repeated and unknown keys are reported here."""
        self.repeated(node)
        if node.keys() <= known:
            return Written(self.lines, node.number, tuple(node))
        unknown = {key: value for key, value in node.items() if key not in known}
        for key, value in unknown.items():
            at = self.lines.object(node.number).keys_at[key]
            self.report(ProblemKind.UNKNOWN_KEY, "warning", f'a {what} has no key "{key}"', at, key)
            for inner in _objects(value):
                self.repeated(inner)
        return Written(self.lines, node.number, tuple(node), unknown)

    def repeated(self, node: Node) -> None:
        """Report the keys that stand twice in a node."""
        for key, first, again in node.duplicates if isinstance(node, JsonObject) else ():
            message = f'the key "{key}" stands here again'
            earlier = self.lines.position(first)
            self.report(ProblemKind.DUPLICATE_KEY, "error", message, again, key, earlier)

    def wrong(self, node: Node, key: str, expected: str) -> None:
        kind = _KINDS.get(type(node[key]), "an array" if isinstance(node[key], list) else "an object")
        self.report(
            ProblemKind.WRONG_TYPE, "unusable", f'"{key}" is {expected}, not {kind}', self.at(node, key), key
        )

    def missing(self, node: Node, key: str, what: str) -> None:
        at = self.lines.object(node.number).offset
        self.report(ProblemKind.MISSING_KEY, "unusable", f'this {what} has no "{key}"', at, key)

    def text(self, node: Node, key: str, default: str = "") -> str:
        value = node.get(key, default)
        if isinstance(value, str):
            return value
        self.wrong(node, key, "a text")
        return default

    def optional_text(self, node: Node, key: str) -> str | None:
        return self.text(node, key) or None if key in node else None

    def required(self, node: Node, key: str, what: str) -> str:
        if key not in node:
            self.missing(node, key, what)
            return ""
        value = self.text(node, key)
        if not value and isinstance(node[key], str):
            self.report(ProblemKind.EMPTY_VALUE, "unusable", f'"{key}" is empty', self.at(node, key), key)
        return value

    def flag(self, node: Node, key: str) -> bool:
        value = node.get(key, False)
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in ("true", "false"):
            self.report(
                ProblemKind.WRONG_TYPE,
                "warning",
                f'"{key}" is a text; write {value} without quotes',
                self.at(node, key),
                key,
            )
            return value == "true"
        self.wrong(node, key, "true or false")
        return False

    def number(self, node: Node, key: str, highest: int) -> int | None:
        value = node.get(key)
        if value is None and key not in node:
            return None
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
            self.report(
                ProblemKind.WRONG_TYPE,
                "warning",
                f'"{key}" is a text; write {value} without quotes',
                self.at(node, key),
                key,
            )
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(node, key, "a whole number")
            return None
        if not 0 <= value <= highest:
            self.report(
                ProblemKind.NUMBER_OUT_OF_RANGE,
                "unusable",
                f'"{key}" lies between 0 and {highest}',
                self.at(node, key),
                key,
            )
            return None
        return value

    def versions(self, node: Node, key: str) -> Versions | None:
        if key not in node:
            return None
        value = node[key]
        if not isinstance(value, str):
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 32767:
                self.report(
                    ProblemKind.WRONG_TYPE,
                    "warning",
                    f'"{key}" is a number; write "{value}"',
                    self.at(node, key),
                    key,
                )
                return Versions(value, value)
            self.wrong(node, key, "a version range in quotes")
            return None
        try:
            return Versions.parse(value)
        except VersionsError as error:
            self.report(ProblemKind.BAD_VERSION_RANGE, "unusable", str(error), self.at(node, key), key)
            return None

    def range(self, node: Node, key: str) -> Versions:
        found = self.versions(node, key)
        return Versions.NONE if found is None else found

    def required_range(self, node: Node, key: str, what: str) -> Versions:
        if key not in node:
            self.missing(node, key, what)
        return self.range(node, key)

    def objects(self, node: Node, key: str, what: str, make: Callable[[Node], _Made]) -> tuple[_Made, ...]:
        """What `make` builds of every object in the array under `key`; () where the key is absent."""
        value = node.get(key)
        if not isinstance(value, list):
            if key in node:
                self.wrong(node, key, "an array")
            return ()
        made: list[_Made] = []
        for index, item in enumerate(value):
            if isinstance(item, Node):
                made.append(make(item))
            else:
                placed = self.lines.object(node.number)[key]
                at = placed.values_at[index] if isinstance(placed, JsonArray) else self.at(node, key)
                self.report(ProblemKind.WRONG_TYPE, "unusable", f"a {what} is an object", at, key)
        return tuple(made)

    def message(self, node: Node, header: tuple[str, ...]) -> Message:
        if "name" not in node and "validVersions" not in node and "fields" not in node:
            raise InputError(
                'this is no message spec: it has neither "name", "validVersions" nor "fields"',
                self.path,
                self.lines.position(self.lines.object(node.number).offset),
            )
        made = Message(
            name=self.required(node, "name", "message"),
            type=self.required(node, "type", "message"),
            valid_versions=self.required_range(node, "validVersions", "message"),
            written=self.written(node, MESSAGE_KEYS, "message"),
            api_key=self.number(node, "apiKey", 32767),
            flexible_versions=self.range(node, "flexibleVersions"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            listeners=self.words(node, "listeners"),
            latest_version_unstable=self.flag(node, "latestVersionUnstable"),
            fields=self.objects(node, "fields", "field", self.field),
            common_structs=self.objects(node, "commonStructs", "struct", self.struct),
            history=self.objects(node, "history", "history entry", self.history),
            path=self.path,
            header=header,
        )
        in_order = tuple(problem for _, problem in sorted(self.problems, key=lambda pair: pair[0]))
        return replace(made, problems=in_order)

    def words(self, node: Node, key: str) -> tuple[str, ...]:
        value = node.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            self.wrong(node, key, "an array of texts")
            return ()
        return tuple(word for word in value if isinstance(word, str))

    def field(self, node: Node) -> Field:
        default = node.get("default")
        if isinstance(default, list | dict):
            self.wrong(node, "default", "a text, a number, true, false or null")
            default = None
        made = Field(
            name=self.required(node, "name", "field"),
            type=self.required(node, "type", "field"),
            written=self.written(node, FIELD_KEYS, "field"),
            versions=self.versions(node, "versions"),
            nullable_versions=self.range(node, "nullableVersions"),
            tagged_versions=self.range(node, "taggedVersions"),
            flexible_versions=self.versions(node, "flexibleVersions"),
            tag=self.number(node, "tag", 2**31 - 1),
            default=default,
            has_default="default" in node,
            ignorable=self.flag(node, "ignorable"),
            map_key=self.flag(node, "mapKey"),
            zero_copy=self.flag(node, "zeroCopy"),
            entity_type=self.text(node, "entityType") if "entityType" in node else None,
            about=self.text(node, "about"),
            fields=self.objects(node, "fields", "field", self.field) if "fields" in node else None,
        )
        if "versions" not in node and str(node.get("taggedVersions", "none")).strip() == "none":
            self.missing(node, "versions", "field")
        return made

    def struct(self, node: Node) -> Struct:
        return Struct(
            name=self.required(node, "name", "struct"),
            versions=self.required_range(node, "versions", "struct"),
            deprecated_versions=self.range(node, "deprecatedVersions"),
            fields=self.objects(node, "fields", "field", self.field),
            written=self.written(node, STRUCT_KEYS, "struct"),
        )

    def history(self, node: Node) -> HistoryEntry:
        version = self.number(node, "version", 32767)
        if version is None and "version" not in node:
            self.missing(node, "version", "history entry")
        words: Mapping[str, str | None] = {key: self.optional_text(node, key) for key in _STANDING}
        return HistoryEntry(
            version=version or 0,
            written=self.written(node, HISTORY_KEYS, "history entry"),
            fields=self.texts(node, "fields"),
            about=self.text(node, "about"),
            **words,
        )

    def texts(self, node: Node, key: str) -> Mapping[str, str]:
        """An object of texts; {} where the key is absent."""
        value = node.get(key, {})
        if not isinstance(value, dict):
            self.wrong(node, key, "an object")
            return {}
        for inner in _objects(value):
            self.repeated(inner)
        for name, text in value.items():
            if not isinstance(text, str) and isinstance(value, Node):
                self.wrong(value, name, "a text")
        return {name: text for name, text in value.items() if isinstance(text, str)}


def _objects(value: object) -> Iterator[Node]:
    """The objects in a value, itself included."""
    if isinstance(value, Node):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)


def plain(value: Json) -> Json:
    """A JSON value without the places: plain dicts and lists, ready to be written."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
