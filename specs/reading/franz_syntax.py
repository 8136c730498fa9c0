"""Parses a definition file of franz-go into definitions and enums with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wirebook.specs.limits import MAX_STRUCT_DEPTH
from wirebook.specs.problems import InputError, Lines
from wirebook.specs.versions import MAX_VERSION, Versions

REQUEST = re.compile(r"(\w+Request) => (key .*)", re.ASCII)
RESPONSE = re.compile(r"(\w+Response) =>", re.ASCII)
STRUCT = re.compile(r"(\w+) => not top level(?:, (.*))?", re.ASCII)
ENUM = re.compile(r"(\w+) (\w+)(?: camelcase)? \(", re.ASCII)
_VALUE = re.compile(r"  -?\d{1,10}: \w+", re.ASCII)
_FIELD = re.compile(r"([A-Za-z]\w*): (\S.*?)(?: // (.*))?", re.ASCII)
# The two fields that are written without a type, and their values if a writer leaves them unchanged.
_UNTYPED = re.compile(r"(ThrottleMillis|TimeoutMillis)(?:\((\d{1,10})\))?(?: // (.*))?", re.ASCII)
_TIMEOUT = "15000"
_PRESENCE = re.compile(r"(?:v(\d{1,5})(?:\+|-v(\d{1,5}))(?:, )?)?(?:(?<!v)tag (\d{1,10}))?", re.ASCII)
_NUMBERED = re.compile(r"(key|max version) (\d{1,5})|flexible v(\d{1,5})\+", re.ASCII)
# Which broker answers a request, and how Go code is generated: neither affects the wire.
_ROUTES = frozenset(f"{name} coordinator" for name in ("group", "txn", "share")) | {"admin"}
_ENCODINGS = frozenset(("with version field", "no encoding"))


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field: the text of its type, its versions (None: those of its struct), and its fields.

    `offset` and `type_at` are offsets in the text, `comment` the lines above without their slashes.
    """

    name: str
    type: str
    offset: int
    type_at: int
    versions: Versions | None = None
    tag: int | None = None
    comment: str = ""
    fields: tuple[FieldLine, ...] = ()


@dataclass(frozen=True, slots=True)
class FranzDefinition:
    """A request, a response, or a struct that others refer to; only requests have `key` and `highest`.

    `flexible` is the first flexible version, None if there is none.
    """

    name: str
    kind: str
    offset: int
    fields: tuple[FieldLine, ...]
    key: int = 0
    highest: int = 0
    flexible: int | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Enum:
    """A name for the values of a type."""

    name: str
    type: str
    offset: int


@dataclass(frozen=True, slots=True)
class DefinitionFile:
    """A file: its definitions and enums in order, and the lines of its text."""

    path: str
    lines: Lines
    definitions: tuple[FranzDefinition, ...]
    enums: tuple[Enum, ...]


def read_definitions(text: bytes, path: str) -> DefinitionFile:
    """Parse a file. Raises InputError, with line and column, for invalid syntax."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        where = Lines(before).position(len(before))
        raise InputError(f"byte 0x{error.object[error.start]:02x} is not UTF-8", path, where) from None
    return _Reader(decoded, path).file()


class _Reader:
    """Reads a text line by line; `number` is that of the next line."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.lines = Lines(text)
        self.found = [(m.start(), m[0].rstrip("\r")) for m in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", text)]
        self.number = 0

    def fail(self, message: str, offset: int) -> InputError:
        return InputError(message, self.path, self.lines.position(offset))

    def peeked(self) -> tuple[int, str] | None:
        return self.found[self.number] if self.number < len(self.found) else None

    def file(self) -> DefinitionFile:
        definitions: list[FranzDefinition] = []
        enums: list[Enum] = []
        comment: list[str] = []
        while (here := self.peeked()) is not None:
            offset, line = here
            self.number += 1
            if not line.strip():
                comment = []
            elif line.startswith("//"):
                comment.append(line.lstrip("/").strip())
            elif match := ENUM.fullmatch(line):
                self.values(offset)
                enums.append(Enum(match[1], match[2], offset))
                comment = []
            else:
                last = definitions[-1] if definitions else None
                definitions.append(self.definition(offset, line, "\n".join(comment), last))
                comment = []
        return DefinitionFile(self.path, self.lines, tuple(definitions), tuple(enums))

    def values(self, start: int) -> None:
        """Skip the values of an enum, which only name numbers and are not on the wire."""
        while (here := self.peeked()) is not None:
            offset, line = here
            self.number += 1
            if line == ")":
                return
            if not (line.startswith("  //") or _VALUE.fullmatch(line)):
                raise self.fail('write a value of an enum like "  1: NAME"', offset)
        raise self.fail('this enum has no ")" at its end', start)

    def definition(
        self, offset: int, line: str, comment: str, last: FranzDefinition | None
    ) -> FranzDefinition:
        if match := RESPONSE.fullmatch(line):
            request = match[1].removesuffix("Response") + "Request"
            if last is None or last.name != request:
                raise self.fail(f"{match[1]} comes directly after {request}", offset)
            fields = self.fields(1)
            flexible = last.flexible
            return FranzDefinition(
                match[1], "response", offset, fields, last.key, last.highest, flexible, comment
            )
        if match := STRUCT.fullmatch(line):
            modifiers = self.modifiers(match[2], offset + match.start(2), _ENCODINGS) if match[2] else {}
            fields = self.fields(1)
            return FranzDefinition(
                match[1], "struct", offset, fields, flexible=modifiers.get("flexible"), comment=comment
            )
        match = REQUEST.fullmatch(line)
        if match is None:
            words = 'a definition begins with "NameRequest => key 0, max version 0", "NameResponse =>" or '
            raise self.fail(f'{words}"Name => not top level"', offset)
        modifiers = self.modifiers(match[2], offset + match.start(2), _ROUTES)
        for word in ("key", "max version"):
            if word not in modifiers:
                raise self.fail(f'this request has no "{word}"', offset)
        return FranzDefinition(
            match[1],
            "request",
            offset,
            self.fields(1),
            modifiers["key"],
            modifiers["max version"],
            modifiers.get("flexible"),
            comment,
        )

    def modifiers(self, text: str, offset: int, marks: frozenset[str]) -> dict[str, int]:
        """The numbers among the modifiers of a definition, by keyword."""
        numbers: dict[str, int] = {}
        for part in text.split(", "):
            match = _NUMBERED.fullmatch(part)
            if match is None and part not in marks:
                raise self.fail(f'"{part[:40]}" is not a modifier here', offset)
            if match is not None:
                word, number = match[1] or "flexible", int(match[2] or match[3])
                if word in numbers:
                    raise self.fail(f'"{word}" is repeated', offset)
                if number > MAX_VERSION:
                    raise self.fail(f"{number} is above {MAX_VERSION}, the highest an INT16 can hold", offset)
                numbers[word] = number
            offset += len(part) + 2
        return numbers

    def fields(self, depth: int) -> tuple[FieldLine, ...]:
        """The fields at an indentation depth; a blank line ends the definition."""
        fields: list[FieldLine] = []
        comment: list[str] = []
        indent = "  " * depth
        while (here := self.peeked()) is not None:
            offset, line = here
            if not line.strip() or not line.startswith(indent):
                break
            text, offset = line[len(indent) :], offset + len(indent)
            if depth > MAX_STRUCT_DEPTH:
                raise self.fail(f"structs are nested more than {MAX_STRUCT_DEPTH} deep", offset)
            if text.startswith(" "):
                raise self.fail("a field is indented by two spaces more than its struct", offset)
            self.number += 1
            if text.startswith("//"):
                comment.append(text.lstrip("/").strip())
                continue
            fields.append(self.field(text, offset, "\n".join(comment), depth))
            comment = []
        return tuple(fields)

    def field(self, text: str, offset: int, comment: str, depth: int) -> FieldLine:
        if match := _UNTYPED.fullmatch(text):
            # In ThrottleMillis, the number is the first version that is throttled after its response.
            default = match[2] or _TIMEOUT if match[1] == "TimeoutMillis" else "0"
            kind, type_at = f"int32({default})", offset
        elif match := _FIELD.fullmatch(text):
            kind, type_at = match[2], offset + match.start(2)
        else:
            raise self.fail('write a field like "Name: type" or "Name: type // v1+, tag 0"', offset)
        if kind.endswith(" "):
            raise self.fail("this line ends with a space", offset + len(text) - 1)
        versions, tag = None, None
        if match[3] is not None:
            versions, tag = self.presence(match[3], offset + match.start(3))
        holds = "=>" in kind and not kind.startswith("length-field-minus")
        fields = self.fields(depth + 1) if holds else ()
        return FieldLine(match[1], kind, offset, type_at, versions, tag, comment, fields)

    def presence(self, text: str, offset: int) -> tuple[Versions | None, int | None]:
        """The versions and the tag in the comment after a field."""
        match = _PRESENCE.fullmatch(text)
        if match is None or not text or text.endswith(" ") or (match[1] and match[3] and ", " not in text):
            words = 'write the comment after a field like "// v1+", "// v1-v3", "// tag 0" or both'
            raise self.fail(words, offset)
        versions = None
        if match[1] is not None:
            lowest, highest = int(match[1]), int(match[2]) if match[2] else MAX_VERSION
            if not lowest <= highest <= MAX_VERSION:
                raise self.fail(f'"{text[:40]}" is not a range of versions', offset)
            versions = Versions(lowest, highest)
        tag = None if match[3] is None else int(match[3])
        if tag is not None and tag >= 2**31:
            raise self.fail(f"{tag} is above {2**31 - 1}, the highest tag", offset)
        return versions, tag


def names_of(head: str) -> Iterator[re.Match[str]]:
    """The first lines of definitions and enums in the beginning of a text."""
    for line in head.splitlines():
        for pattern in (REQUEST, STRUCT, ENUM):
            if match := pattern.fullmatch(line):
                yield match
