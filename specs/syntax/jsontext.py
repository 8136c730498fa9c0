"""Parses JSON with comments in one pass: Python values, with the position and comments of each."""

import re
from functools import lru_cache
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from wirebook.specs.limits import MAX_NESTING, MAX_NUMBER
from wirebook.specs.problems import InputError, Lines, Position

_SPACE = re.compile(r"[ \t\r\n]*")
_LINE = re.compile(r"[^\r\n]*")
# Most keys and commas have no escapes and no comments beside them, and are read in one step.
_KEY = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:[ \t\r\n]*+(?!/)')
_COMMA = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+(?![]/}])")
# Few texts need these: they serve unusual texts and values whose position is requested.
_NUMBER = r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?"
_WORD = r"[\w.+-]+"
_WORDS = {"true": True, "false": False, "null": None}


class JsonMembers(dict[str, object]):
    """A JSON object by its values; `number` counts the objects of a text in the order in which they end."""

    __slots__ = ("number",)
    number: int


class JsonObject(JsonMembers):
    """A JSON object with its positions. If a key is repeated, the last one counts, as in Kafka's own reader.

    `before` are the comments that belong to it as an element of an array.
    """

    __slots__ = ("before", "comments", "duplicates", "keys_at", "offset", "trailing", "values_at")

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset
        self.keys_at: dict[str, int] = {}
        self.values_at: dict[str, int] = {}
        self.comments: dict[str, list[str]] = {}
        self.before: list[str] = []
        self.trailing: list[str] = []
        self.duplicates: list[tuple[str, int, int]] = []  # key, offset of the first, offset of the repeat


class JsonArray(list[object]):
    """A JSON array."""

    __slots__ = ("offset", "values_at")

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset
        self.values_at: list[int] = []


class SourcePositions(Lines):
    """The lines of a text, and the positions and comments of its objects, computed when first needed."""

    __slots__ = ("_ends", "_objects")

    def __init__(self, text: str, objects: list[JsonObject] | None = None) -> None:
        super().__init__(text)
        self._objects = objects
        self._ends: dict[int, int] = {}

    def object(self, number: int) -> JsonObject:
        """The object with this number."""
        if self._objects is None:
            parser = _Parser(self.text, "")
            parser.document(False)
            self._objects = parser.objects
        return self._objects[number]

    def end_of(self, at: Position) -> Position:
        """Where the token that begins at a position ends: the position of the character after it.

        A token is a string, a number, a word, or a whole array or object. If it continues on another line,
        only the part on its first line counts, which is enough to quote it.
        """
        start = self.offset(at)
        if start not in self._ends:
            stop = self.text.find("\n", start)
            self._ends[start] = _end(self.text, start, len(self.text) if stop < 0 else stop)
        return Position(at.line, at.column + self._ends[start] - start)

    def __reduce__(self) -> tuple[type[Lines], tuple[Any, ...]]:
        return (SourcePositions, (self.text,))


class ImportedPosition(Position):
    """A position in a file that a spec imports."""

    lines: "ImportedPositions"

    @property
    def imported(self) -> str:
        """The path of the file."""
        return self.lines.path


class ImportedPositions(SourcePositions):
    """The positions of a text that a spec imports; `base` is added to the numbers of its objects.

    So the objects of a spec and of all that it imports have different numbers.
    """

    __slots__ = ("base", "path")

    def __init__(self, text: str, path: str, base: int) -> None:
        super().__init__(text)
        self.path = path
        self.base = base

    def object(self, number: int) -> JsonObject:
        """The object with this number."""
        return super().object(number - self.base)

    def position(self, offset: int) -> Position:
        """The line and column of the character at `offset`, which know their file."""
        at = ImportedPosition(*super().position(offset))
        at.lines = self
        return at

    def __reduce__(self) -> tuple[type[Lines], tuple[Any, ...]]:
        return (ImportedPositions, (self.text, self.path, self.base))


def _end(text: str, start: int, stop: int) -> int:
    """The end of the token at an offset of a line, which ends at `stop`."""
    if text[start : start + 1] not in ("{", "["):
        # Compiled here because a check without findings never gets here.
        token = re.compile(r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S').match(text, start, stop)
        return start + len(token[0].rstrip()) if token else start
    depth = 0
    for sign in re.compile(r'"(?:[^"\\]|\\.)*"?|//|[][{}]').finditer(text, start, stop):
        if sign[0] == "//":
            stop = sign.start()
            break
        depth += 1 if sign[0] in ("{", "[") else -1 if sign[0] in ("}", "]") else 0
        if not depth:
            return sign.end()
    return start + len(text[start:stop].rstrip())


class JsonDocument(NamedTuple):
    """A text: its value, the comments before it, and where text continues after it (or None)."""

    value: object
    offset: int
    lines: SourcePositions
    header: tuple[str, ...]
    rest: int | None
    byte_order_mark: bool


def parse_json(text: str | bytes, path: str) -> JsonDocument:
    """Parse one JSON value (RFC 8259) with `//` and `/* */` comments, as Kafka's generator reads specs.

    Bytes must be UTF-8. Comments before a key or an element belong to it; a comment that begins on the line
    where a value ended belongs to that value. Raises InputError with line and column.
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
    if mark:
        text = text[1:]
    return _Parser(text, path).document(mark)


@lru_cache(maxsize=16)
def header_of(text: str) -> tuple[str, ...]:
    """The paragraphs of a text that consists of comments; most specs begin with the same ones."""
    header: list[str] = []
    _Parser(text, "").skip(0, header)
    return paragraphs(header)


def end_of_value(text: str, offset: int) -> int:
    """The offset after the JSON value that begins at an offset. Raises InputError if there is none."""
    return _Parser(text, "").value(offset, 0)[1]


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


class _Parser:
    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.objects: list[JsonObject] = []
        self.lines = SourcePositions(text, self.objects)

    def document(self, mark: bool) -> JsonDocument:
        header: list[str] = []
        start = self.skip(0, header)
        value, end = self.value(start, 0)
        try:
            rest = self.skip(end, [])
        except InputError:
            # A slash, or an unterminated comment, is reported like any other text.
            rest = _SPACE.match(self.text, end).end()  # type: ignore[union-attr]
        return JsonDocument(
            value, start, self.lines, paragraphs(header), rest if rest < len(self.text) else None, mark
        )

    def fail(self, message: str, offset: int) -> InputError:
        return InputError(message, self.path, self.lines.position(offset))

    def found(self, offset: int) -> str:
        if offset >= len(self.text):
            return "the text ends"
        word = re.compile(_WORD).match(self.text, offset)
        token = word[0][:20] if word else self.text[offset]
        return f"found {token!r}" if token.isprintable() else f"found the character U+{ord(token[0]):04X}"

    def skip(self, at: int, comments: list[str], own: list[str] | None = None) -> int:
        """Skip space and comments; lines are added to `comments`, with "" for a blank line between two.

        Comments that begin on the line of `at` are added to `own`, if given.
        """
        text = self.text
        end = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        while text.startswith("/", end):
            if own is not None and "\n" in text[at:end]:
                own = None
            into = comments if own is None else own
            if into and text.count("\n", at, end) > 1:
                into.append("")
            if text.startswith("//", end):
                # Jackson, with which Kafka reads specs, also treats a single carriage return as a line end.
                line = _LINE.match(text, end)
                stop = line.end() if line else len(text)
                into.append(text[end + 2 : stop].strip())
            elif text.startswith("/*", end):
                stop = text.find("*/", end + 2)
                if stop < 0:
                    raise self.fail("this comment is never closed", end)
                into.extend(line.strip().lstrip("*").strip() for line in text[end + 2 : stop].split("\n"))
                stop += 2
            else:
                raise self.fail("a single slash does not begin a comment; write //", end)
            at = stop
            end = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        return end

    def value(self, at: int, depth: int) -> tuple[object, int]:
        text = self.text
        character = text[at : at + 1]
        if character == '"':
            return self.string(at)
        if character in ("{", "["):
            if depth >= MAX_NESTING:
                raise self.fail(f"nested more than {MAX_NESTING} levels deep", at)
            return self.object(at, depth) if character == "{" else self.array(at, depth)
        number = re.compile(_NUMBER, re.ASCII).match(text, at)
        if number is not None:
            end = number.end()
            if end - at > MAX_NUMBER:
                raise self.fail("this number is too long", at)
            if text[end : end + 1].isalnum() or text[end : end + 1] in ("_", ".", "+", "-"):
                word = re.compile(_WORD).match(text, at)
                assert word is not None  # a number begins with a sign or a digit
                raise self.fail(f"{word[0][:40]!r} is not a JSON number", at)
            whole = number[1] is None and number[2] is None
            return (int(number[0]) if whole else float(number[0])), end
        word = re.compile(_WORD).match(text, at)
        if word is not None and word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        raise self.fail(f"expected a value, {self.found(at)}", at)

    def string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as error:
            raise self.fail(
                _STRING_FAULTS.get(error.msg, error.msg), min(error.pos, len(self.text))
            ) from None
        if "\\u" in self.text[at:end] and any("\ud800" <= character <= "\udfff" for character in value):
            raise self.fail("this string has half of a surrogate pair, which is not a character", at)
        return value, end

    def object(self, at: int, depth: int) -> tuple[JsonObject, int]:
        result, end = self.members(at, depth)
        result.number = len(self.objects)
        self.objects.append(result)
        return result, end

    def members(self, at: int, depth: int) -> tuple[JsonObject, int]:
        text, result = self.text, JsonObject(at)
        before: list[str] = []
        key_at = self.skip(at + 1, before)
        if text.startswith("}", key_at):
            result.trailing = before
            return result, key_at + 1
        while True:
            plain = _KEY.match(text, key_at)
            key, value_at = (plain[1], plain.end()) if plain else self.key(key_at, before)
            value, end = self.value(value_at, depth + 1)
            if key in result:
                result.duplicates.append((key, result.keys_at[key], key_at))
            result[key] = value
            result.keys_at[key] = key_at
            result.values_at[key] = value_at
            own, before = before, []
            comma = _COMMA.match(text, end)
            key_at, closed = (comma.end(), False) if comma else self.separator(end, "}", before, own)
            if own:
                result.comments[key] = own
            if closed:
                result.trailing = before
                return result, key_at

    def key(self, at: int, before: list[str]) -> tuple[str, int]:
        """A key, and where its value begins."""
        if not self.text.startswith('"', at):
            raise self.fail(f"expected a key in double quotes, {self.found(at)}", at)
        key, end = self.string(at)
        end = self.skip(end, before)
        if not self.text.startswith(":", end):
            raise self.fail(f'expected ":" after the key "{key[:40]}", {self.found(end)}', end)
        return key, self.skip(end + 1, before)

    def array(self, at: int, depth: int) -> tuple[JsonArray, int]:
        text, result = self.text, JsonArray(at)
        before: list[str] = []
        value_at = self.skip(at + 1, before)
        if text.startswith("]", value_at):
            return result, value_at + 1
        while True:
            value, end = self.value(value_at, depth + 1)
            result.append(value)
            result.values_at.append(value_at)
            own, before = before, []
            comma = _COMMA.match(text, end)
            value_at, closed = (comma.end(), False) if comma else self.separator(end, "]", before, own)
            if own and isinstance(value, JsonObject):
                value.before = own
            if closed:
                return result, value_at

    def separator(self, at: int, close: str, before: list[str], own: list[str]) -> tuple[int, bool]:
        """Where the next member begins, or where its object or array ends, and whether it ends."""
        end = self.skip(at, before, own)
        if self.text.startswith(close, end):
            return end + 1, True
        if not self.text.startswith(",", end):
            kind = "object" if close == "}" else "array"
            raise self.fail(f'expected "," or "{close}" in this {kind}, {self.found(end)}', end)
        following = self.skip(end + 1, before, own)
        if self.text.startswith(close, following):
            raise self.fail(f'a "," is not allowed before "{close}"', end)
        return following, False


_STRING_FAULTS = {
    "Unterminated string starting at": "this string is never closed",
    "Invalid control character at": "a control character must be escaped inside a string",
    "Invalid \\escape": "there is no such escape in JSON",
    "Invalid \\uXXXX escape": "\\u takes four hexadecimal digits",
}
