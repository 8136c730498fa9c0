"""Reads JSON with comments: values at once, positions and comments when they are needed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from json.decoder import JSONDecodeError, JSONDecoder
from typing import NamedTuple

from wirebook.specs.limits import MAX_NESTING
from wirebook.specs.problems import InputError, Lines, Place

# Like Jackson's ALLOW_COMMENTS, which Kafka uses to read specs.
COMMENT = r"//[^\r\n]*+|/\*(?s:.)*?\*/"
_STRING = r'"(?:[^"\\]|\\.)*+"'
_TOKEN = re.compile(rf"{_STRING}|{COMMENT}|[\w.+-]+|\S")
_COMMENTED = re.compile(rf"{_STRING}|{COMMENT}")
_COMMENT_LINE = re.compile(r"^[ \t]*//[^\r\n]*", re.MULTILINE)
_BRACKET = re.compile(rf"{_STRING}|[][{{}}]")
_SPACE = " \t\r\n"
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class JsonObject(dict[str, object]):
    """A JSON object. If a key is repeated, the last one counts, as in Kafka's own reader.

    `number` counts the objects of a text, or of several, in the order in which they end.
    """

    __slots__ = ("number",)
    number: int


@dataclass(slots=True)
class JsonPlaces:
    """Where an object or an array of a text has its values, by their keys or indexes, as offsets.

    `comments` are the lines of those of an object, with an empty one where another comment begins.
    `duplicates` are repeated keys with offsets, `key` is one whose value has not begun.
    """

    offset: int
    is_object: bool
    key: str | None = None
    keys_at: dict[str, int] = field(default_factory=dict)
    values_at: dict[str | int, int] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    duplicates: list[tuple[str, int]] = field(default_factory=list)
    inner: dict[str | int, JsonPlaces] = field(default_factory=dict)

    def begin_key(self, key: str, at: int) -> None:
        """Note a key that begins at an offset."""
        if key in self.keys_at:
            self.duplicates.append((key, at))
        self.keys_at[key] = at
        self.key = key


@dataclass(eq=False)
class SourcePositions(Lines):
    """The lines of the text of a file, and the places of its objects, computed when first needed.

    `first` is the number of the first object.
    """

    path: str
    first: int = 0

    @cached_property
    def objects(self) -> list[JsonPlaces]:
        """The places of all objects, in the order in which these end."""
        return _walk(self.text)

    def object(self, number: int) -> JsonPlaces:
        """The places of the object with this number."""
        return self.objects[number - self.first]

    def place(self, offset: int) -> Place:
        """The place of the token at an offset: a string, a number, a word, or a whole array or
        object. If it continues on another line, only the part on its first line counts, which is
        enough to quote it."""
        line, column = self.position(offset)
        stop = self.text.find("\n", offset)
        end = end_of_value(self.text, offset, len(self.text) if stop < 0 else stop)
        return Place(self.path, line, column, column + end - offset)

    def error(self, offset: int, words: str) -> InputError:
        """The error for something at an offset."""
        return InputError.at(self.place(offset), words)


class JsonDocument(NamedTuple):
    """A text: its value, where that begins and text follows it, and whether it repeats a key."""

    value: object
    offset: int
    lines: SourcePositions
    rest: int | None
    repeats: bool

    def error(self, words: str) -> InputError:
        """The error for the whole text."""
        return self.lines.error(self.offset, words)


def parse_json(text: str | bytes, path: str, first: int = 0) -> JsonDocument:
    """Parse one JSON value (RFC 8259) with `//` and `/* */` comments, like Kafka's generator.

    Bytes must be UTF-8. Comments before a key or an element belong to it; a comment that begins on
    the line where a value ended belongs to that value. `first` is the number of the first object.
    Raises InputError with line and column.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode("utf-8")
            where = Lines(before).position(len(before))
            byte = error.object[error.start]
            raise InputError(f"byte 0x{byte:02x} is not UTF-8", path, where) from None
    lines = SourcePositions(text, path, first)
    if text.startswith("\ufeff"):
        words = "the text begins with a byte-order mark: save it as UTF-8 without one"
        raise InputError(words, path, lines.position(0))
    plain = _without_comments(text)
    if (deepest := _deepest(plain)) is not None:
        words = f"nested more than {MAX_NESTING} levels deep"
        raise lines.error(deepest, words)
    start = len(plain) - len(plain.lstrip(_SPACE))
    count, repeats = first, False

    def node(pairs: list[tuple[str, object]]) -> JsonObject:
        nonlocal count, repeats
        members = JsonObject(pairs)
        members.number = count
        count += 1
        repeats = repeats or len(members) != len(pairs)
        return members

    def refuse(word: str) -> None:
        raise JSONDecodeError(f"unexpected {word}", plain, plain.index(word, start))

    try:
        decoder = JSONDecoder(object_pairs_hook=node, parse_constant=refuse)
        value, end = decoder.raw_decode(plain, start)
    except JSONDecodeError as error:
        words = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise lines.error(error.pos, words) from None
    except ValueError:
        raise lines.error(start, "a number is too long") from None
    half = _HALF.search(plain)
    if half is not None and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
        words = "this string has half of a surrogate pair, which is not a character"
        raise lines.error(half.start(), words)
    rest = len(plain) - len(plain[end:].lstrip(_SPACE))
    return JsonDocument(value, start, lines, rest if rest < len(plain) else None, repeats)


def end_of_value(text: str, start: int, stop: int | None = None) -> int:
    """The offset after the value or token at an offset, or after its part before `stop`."""
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


def _without_comments(text: str) -> str:
    """A text with spaces in place of its comments, so that offsets stay."""
    if "/*" not in text:
        text = _COMMENT_LINE.sub(lambda match: " " * len(match[0]), text)
    if "//" in text or "/*" in text:
        return _COMMENTED.sub(
            lambda match: match[0] if match[0][0] == '"' else " " * len(match[0]), text
        )
    return text


def _deepest(text: str) -> int | None:
    """Where the first array or object begins that is nested too deeply; None if none is."""
    depth = 0
    if text.count("{") + text.count("[") <= MAX_NESTING:
        return None
    for bracket in _BRACKET.finditer(text):
        depth += (bracket[0] in ("{", "[")) - (bracket[0] in ("}", "]"))
        if depth > MAX_NESTING:
            return bracket.start()
    return None


def _walk(text: str) -> list[JsonPlaces]:
    """The objects of a valid text in the order in which they end.

    Comments wait for the value that follows, or for the end of the object. Those that begin on the
    line where a value ended follow the comments of that value.
    """
    objects: list[JsonPlaces] = []
    opened: list[tuple[JsonPlaces, list[str]]] = []
    waiting: list[str] = []
    into = waiting
    end = 0
    for token in _TOKEN.finditer(text):
        sign, at = token[0], token.start()
        lines = text.count("\n", end, at)
        end = token.end()
        above = opened[-1][0] if opened else None
        if lines or sign == ":":
            into = waiting
        if sign.startswith(("//", "/*")):
            into += _lines_of(sign, is_apart=lines > 1)
            continue
        if sign in (",", ":"):
            continue
        if sign in ("}", "]"):
            closed, into = opened.pop()
            if closed.is_object:
                closed.comments += ["", *waiting]
                objects.append(closed)
            waiting.clear()
        elif above is not None and above.is_object and above.key is None:
            above.begin_key(str(json.loads(sign)) if "\\" in sign else sign[1:-1], at)
        else:
            # A string, a number or a word has no values of its own.
            places = JsonPlaces(at, sign == "{") if sign in ("{", "[") else None
            into = places.comments if places else []
            if above is not None:
                index = len(above.values_at) if above.key is None else above.key
                above.values_at[index], above.key = at, None
                if places:
                    above.inner[index] = places
                into = above.comments if above.is_object else into
                into += ["", *waiting]
            waiting.clear()
            if places:
                opened.append((places, into))
                into = waiting
        if not opened:
            break
    return objects


def _lines_of(comment: str, *, is_apart: bool) -> list[str]:
    """The lines of a comment without its signs, after an empty one if it `is_apart`."""
    empty = [""] if is_apart else []
    if comment.startswith("//"):
        return [*empty, comment[2:].strip()]
    return [*empty, *(line.strip().lstrip("*").strip() for line in comment[2:-2].split("\n"))]
