"""Reads JSON with comments: the values at once, positions and comments when something needs
them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from json.decoder import JSONDecodeError, JSONDecoder
from typing import NamedTuple, NoReturn

from wirebook.specs.limits import MAX_NESTING, MAX_NUMBER
from wirebook.specs.problems import InputError, Lines, Position

COMMENT = (
    r"//[^\r\n]*+|/\*(?s:.)*?\*/"  # like Jackson's ALLOW_COMMENTS, which Kafka uses to read specs
)
_STRING = r'"(?:[^"\\]|\\.)*+"'
_TOKEN = re.compile(rf"{_STRING}|{COMMENT}|[\w.+-]+|\S")
_COMMENTED = re.compile(rf"{_STRING}|{COMMENT}")
_COMMENT_LINE = re.compile(r"^[ \t]*//[^\r\n]*", re.MULTILINE)
_BRACKET = re.compile(rf"{_STRING}|[][{{}}]")
_SPACE = re.compile(r"[ \t\r\n]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
# What the scanner of the standard library reports, in our words.
_FAULTS = {
    "Expecting value": "expected a value",
    "Expecting property name enclosed in double quotes": "expected a key in double quotes",
    "Expecting ':' delimiter": 'expected ":"',
    "Expecting ',' delimiter": 'expected ","',
    "Unterminated string starting at": "this string is never closed",
    "Invalid control character at": "a control character must be escaped inside a string",
    "Invalid \\escape": "there is no such escape in JSON",
    "Invalid \\uXXXX escape": "\\u takes four hexadecimal digits",
}


class JsonObject(dict[str, object]):
    """A JSON object. If a key is repeated, the last one counts, as in Kafka's own reader.

    `number` counts the objects of a text in the order in which they end; `repeats` is whether a key
    is repeated.
    """

    __slots__ = ("number", "repeats")
    number: int
    repeats: bool


class JsonPlaces:
    """Where an object or an array of a text has its values, by their keys or indexes, as offsets.

    `comments` are those of each key; `before` belong to the object itself as an element of an
    array, and `trailing` are before its end. `duplicates` are repeated keys, with the offsets of
    the first and of the repeated one.
    """

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.keys_at: dict[str, int] = {}
        self.values_at: dict[str | int, int] = {}
        self.comments: dict[str, list[str]] = {}
        self.before: list[str] = []
        self.trailing: list[str] = []
        self.duplicates: list[tuple[str, int, int]] = []
        self.inner: dict[str | int, JsonPlaces] = {}


class SourcePositions(Lines):
    """The lines of a text, and the places of its objects, computed when first needed.

    `path` is that of a file that a spec imports, "" for the spec itself. `base` is added to the
    numbers of objects, so that those of a spec and of all that it imports differ.
    """

    def __init__(self, text: str, path: str = "", base: int = 0) -> None:
        super().__init__(text)
        self.path = path
        self.base = base
        self._objects: list[JsonPlaces] | None = None

    def object(self, number: int) -> JsonPlaces:
        """The places of the object with this number."""
        if self._objects is None:
            self._objects = _Walk(self.text).objects
        return self._objects[number - self.base]

    def position(self, offset: int) -> Position:
        """The line and column of the character at `offset`; in an imported file, they know that."""
        at = super().position(offset)
        if not self.path:
            return at
        imported = ImportedPosition(*at)
        imported.lines = self
        return imported

    def end_of(self, at: Position) -> Position:
        """Where the token that begins at a position ends: the position of the character after it.

        A token is a string, a number, a word, or a whole array or object. If it continues on
        another line, only the part on its first line counts, which is enough to quote it.
        """
        start = self.offset(at)
        stop = self.text.find("\n", start)
        end = end_of_value(self.text, start, len(self.text) if stop < 0 else stop)
        return Position(at.line, at.column + end - start)


class ImportedPosition(Position):
    """A position in a file that a spec imports."""

    lines: SourcePositions

    @property
    def imported(self) -> str:
        """The path of the file."""
        return self.lines.path


class JsonDocument(NamedTuple):
    """A text: its value, the comments before it, and where text continues after it (or None)."""

    value: object
    offset: int
    lines: SourcePositions
    header: tuple[str, ...]
    rest: int | None
    byte_order_mark: bool


class _RefusedError(ValueError):
    """A number or a word that JSON does not have, or that is too long."""


def parse_json(text: str | bytes, path: str) -> JsonDocument:
    """Parse one JSON value (RFC 8259) with `//` and `/* */` comments, as Kafka's generator reads
    specs.

    Bytes must be UTF-8. Comments before a key or an element belong to it; a comment that begins on
    the line where a value ended belongs to that value. Raises InputError with line and column.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode("utf-8")
            where = Lines(before).position(len(before))
            byte = error.object[error.start]
            raise InputError(f"byte 0x{byte:02x} is not UTF-8", path, where) from None
    mark = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    lines = SourcePositions(text)
    plain = _without_comments(text)
    start = _space(plain, 0)
    try:
        value, end = _scanned(plain, start)
    except JSONDecodeError as error:
        raise InputError(error.msg, path, lines.position(error.pos)) from None
    rest = _space(plain, end)
    return JsonDocument(
        value, start, lines, header_of(text[:start]), rest if rest < len(text) else None, mark
    )


def end_of_value(text: str, start: int, stop: int | None = None) -> int:
    """The offset after the value, or other token, that begins at an offset, or of its part before
    `stop`."""
    end, depth = start, 0
    for token in _TOKEN.finditer(text, start, len(text) if stop is None else stop):
        sign = token[0]
        if sign.startswith("/"):
            continue
        end = token.end()
        depth += (sign in ("{", "[")) - (sign in ("}", "]"))
        if depth <= 0:
            break
    return end


def paragraphs(comments: list[str]) -> tuple[str, ...]:
    """Join comment lines into paragraphs; an empty line separates paragraphs."""
    paragraphs: list[str] = []
    lines: list[str] = []
    for line in [*comments, ""]:
        if line.strip():
            lines.append(line.strip())
        elif lines:
            paragraphs.append("\n".join(lines))
            lines = []
    return tuple(paragraphs)


@lru_cache(maxsize=16)
def header_of(text: str) -> tuple[str, ...]:
    """The paragraphs of a text that consists of comments; most specs begin with the same ones."""
    return paragraphs(_Walk(text).comments)


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _without_comments(text: str) -> str:
    """A text with spaces in place of its comments, so that offsets stay."""
    if "/*" not in text:
        text = _COMMENT_LINE.sub(lambda match: " " * len(match[0]), text)
    if "//" in text or "/*" in text:
        return _COMMENTED.sub(
            lambda match: match[0] if match[0][0] == '"' else " " * len(match[0]), text
        )
    return text


def _scanned(text: str, start: int) -> tuple[object, int]:
    """The value that begins at an offset, and where it ends. Raises JSONDecodeError, in our
    words."""
    count = 0

    def node(pairs: list[tuple[str, object]]) -> JsonObject:
        nonlocal count
        members = JsonObject(pairs)
        members.number, members.repeats = count, len(members) != len(pairs)
        count += 1
        return members

    scanner = JSONDecoder(
        object_pairs_hook=node, parse_int=_whole, parse_float=_real, parse_constant=_refuse
    )
    too_deep = f"nested more than {MAX_NESTING} levels deep"
    try:
        value, end = scanner.raw_decode(text, start)
    except RecursionError:
        raise JSONDecodeError(too_deep, text, _deepest(text)) from None
    except JSONDecodeError as error:
        raise _explained(error, text) from None
    except _RefusedError as error:
        word, words = error.args
        raise JSONDecodeError(words, text, text.index(word, start)) from None
    if text.count("{") + text.count("[") > MAX_NESTING and _deepest(text) >= 0:
        raise JSONDecodeError(too_deep, text, _deepest(text))
    half = _HALF.search(text)
    if half is not None and any(
        "\ud800" <= letter <= "\udfff" for word in _strings(value) for letter in word
    ):
        words = "this string has half of a surrogate pair, which is not a character"
        raise JSONDecodeError(words, text, half.start())
    return value, end


def _whole(word: str) -> int:
    if len(word) > MAX_NUMBER:
        _refuse(word, "this number is too long")
    return int(word)


def _real(word: str) -> float:
    if len(word) > MAX_NUMBER:
        _refuse(word, "this number is too long")
    return float(word)


def _refuse(word: str, words: str = "") -> NoReturn:
    raise _RefusedError(word, words or f"expected a value, found '{word}'")


def _explained(error: JSONDecodeError, text: str) -> JSONDecodeError:
    """The error of the scanner in our words, with what it found."""
    at = min(error.pos, len(text))
    comma = text.rfind(",", 0, at + 1)
    close = _space(text, comma + 1)
    if comma >= 0 and at in (comma, close) and text[close : close + 1] in ("}", "]"):
        return JSONDecodeError(f'a "," is not allowed before "{text[close]}"', text, comma)
    words = _FAULTS.get(error.msg.removesuffix(": "), error.msg)
    if words.startswith("expected"):
        token = _TOKEN.match(text, at)
        sign = token[0][:20] if token else ""
        shown = f"{sign!r}" if sign.isprintable() else f"the character U+{ord(sign[0]):04X}"
        words += f", found {shown}" if sign else ", the text ends"
    return JSONDecodeError(words, text, at)


def _deepest(text: str) -> int:
    """Where the first array or object begins that is nested too deeply; -1 if none is."""
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += (bracket[0] in ("{", "[")) - (bracket[0] in ("}", "]"))
        if depth > MAX_NESTING:
            return bracket.start()
    return -1


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


class _Open:
    """An array or object that has not ended yet, with its current key, and the comments before
    it."""

    def __init__(self, places: JsonPlaces, is_object: bool, comments: list[str]) -> None:
        self.places = places
        self.is_object = is_object
        self.comments = comments
        self.key: str | None = None


class _Walk:
    """Walks over the tokens of a valid text, and notes where its values are and which comments they
    have.

    `objects` are in the order in which they end. `comments` are those since the last value; `own`
    are those of the value that ended on the same line.
    """

    def __init__(self, text: str) -> None:
        self.objects: list[JsonPlaces] = []
        self.comments: list[str] = []
        self.own: list[str] | None = None
        self.open: list[_Open] = []
        last: list[str] | None = None
        end = 0
        for token in _TOKEN.finditer(text):
            sign, at = token[0], token.start()
            lines = text.count("\n", end, at)
            end = token.end()
            if sign.startswith(("//", "/*")):
                self.own = None if lines else self.own
                self.comment(sign, lines)
                continue
            self.own = last if sign == "," else None
            if sign in ("{", "["):
                self.begin(JsonPlaces(at), sign == "{")
            elif sign in ("}", "]"):
                last = self.close()
            elif (
                sign[0] == '"'
                and self.open
                and self.open[-1].is_object
                and self.open[-1].key is None
            ):
                self.begin_key(sign, at)
            elif sign not in (":", ","):
                last = self.end(self.begin_value(at))
            if not self.open:
                return

    def comment(self, sign: str, lines: int) -> None:
        into = self.comments if self.own is None else self.own
        if into and lines > 1:
            into.append("")
        if sign.startswith("//"):
            into.append(sign[2:].strip())
        else:
            into += [line.strip().lstrip("*").strip() for line in sign[2:-2].split("\n")]

    def begin_key(self, sign: str, at: int) -> None:
        above = self.open[-1]
        above.key = key = str(JSONDecoder().decode(sign))
        if key in above.places.keys_at:
            above.places.duplicates.append((key, above.places.keys_at[key], at))
        above.places.keys_at[key] = at

    def begin_value(self, at: int, places: JsonPlaces | None = None) -> list[str]:
        """Note a value; returns the comments before it."""
        if self.open:
            above = self.open[-1]
            index = len(above.places.values_at) if above.key is None else above.key
            above.places.values_at[index] = at
            if places is not None:
                above.places.inner[index] = places
        comments, self.comments = self.comments, []
        return comments

    def begin(self, places: JsonPlaces, is_object: bool) -> None:
        comments = self.begin_value(places.offset, places)
        self.open.append(_Open(places, is_object, comments))

    def close(self) -> list[str]:
        closed = self.open.pop()
        if closed.is_object:
            closed.places.trailing = self.comments
            self.objects.append(closed.places)
            if self.open and not self.open[-1].is_object:
                closed.places.before = closed.comments
        self.comments = []
        return self.end(closed.comments)

    def end(self, comments: list[str]) -> list[str]:
        """A value ends: comments on the rest of its line belong to it, too."""
        if self.open and self.open[-1].key is not None:
            self.open[-1].places.comments[self.open[-1].key] = comments
            self.open[-1].key = None
        self.own = comments
        return comments
