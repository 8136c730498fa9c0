"""Messages as lines of text, JSON values and hex: of one message, or of one per line in a batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

from wirebook.specs.exchange.bare_records import BareRecords
from wirebook.specs.exchange.envelope import Envelope, MessagesByHeader, named_layout, version_of
from wirebook.specs.model import Json, Protocol
from wirebook.specs.printable import quiet_json
from wirebook.specs.problems import InputError
from wirebook.specs.selection import select_message
from wirebook.specs.texts.model import TableValues
from wirebook.specs.wire.codec import WireError

InputLines = Iterable[bytes]

_T = TypeVar("_T")
_R = TypeVar("_R")

WireOfLine = Envelope | BareRecords
Input = WireOfLine | MessagesByHeader

_BINARY = "this is binary, not hex: add --binary"


class PartlyReadError(InputError):
    """Bytes that do not decode; `lines` are those of what precedes the error."""

    def __init__(self, message: str, lines: list[str]) -> None:
        super().__init__(message)
        self.lines = lines


def encoded(lines: InputLines, envelope: WireOfLine, show: Callable[[bytes], str] = bytes.hex) -> list[str]:
    """Encode JSON values, one value over all lines or one per line; `show` renders the bytes.

    Raises InputError with line and column.
    """

    def shown(value: Json) -> str:
        return show(envelope.encode(value))

    return [_placed(number, shown, value) for number, value in _values(lines, envelope.takes)]


def decoded(lines: InputLines, envelope: Input, show: Callable[[bytes], str] | None = None) -> list[str]:
    """Decode lines of hex to JSON values, or render the bytes with `show`. Raises InputError."""

    def value(of: WireOfLine, data: bytes, place: str) -> str:
        return compact_json(of.decode(data)) if show is None else show(data)

    return rendered(lines, envelope, value, value_until)


def decoded_records(lines: InputLines, envelope: Input) -> tuple[list[str], list[str]]:
    """Decode lines of hex to JSON values whose records are batches, and collect the errors in records.

    Raises InputError.
    """
    problems: list[str] = []

    def value(of: WireOfLine, data: bytes, place: str) -> str:
        result = of.opened(data)
        problems.extend(f"{place}: {path}: {error}" for path, error in result.problems)
        return compact_json(result.value)

    return rendered(lines, envelope, value, value_until), problems


def value_until(of: WireOfLine, data: bytes, error: WireError) -> str:
    """The value of what precedes an error, as JSON; "" if that is nothing."""
    value = of.value_until(data, error)
    return "" if value is None else compact_json(value)


def rendered(
    lines: InputLines,
    envelope: Input,
    whole: Callable[[WireOfLine, bytes, str], str],
    until: Callable[[WireOfLine, bytes, WireError], str],
) -> list[str]:
    """Render the bytes of each message in lines of hex; `whole` also receives its place in words.

    Raises PartlyReadError for an error in a message, with what `until` renders of it; and for records whose
    compression needs a missing package, with the message in which they are hex.
    """
    done: list[str] = []
    for place, data in _messages(lines, envelope):
        of: WireOfLine | None = None
        try:
            of = envelope.reading(data)
            done.append(whole(of, data, place))
        except WireError as error:
            before = "" if of is None else until(of, data, error)
            raise PartlyReadError(f"{place}: {error}", [*done, *filter(None, [before])]) from None
        except InputError as error:
            # Only a package for compressed records is missing.
            closed = [compact_json(of.decode(data))] if isinstance(of, Envelope) else []
            raise PartlyReadError(str(error), [*done, *closed]) from None
    return done


def _messages(lines: InputLines, envelope: Input) -> Iterator[tuple[str, bytes]]:
    """The bytes of each message, with its place: a line may hold several frames."""
    for number, data in _hex_lines(lines, envelope):
        messages = list(envelope.messages(data))
        for count, message in enumerate(messages, 1):
            yield f"line {number}, frame {count}" if len(messages) > 1 else f"line {number}", message


def batch(
    lines: InputLines,
    protocol: Protocol,
    where: str,
    *,
    records: bool = False,
    header: bool = False,
    frame: bool = False,
    tabled: TableValues | None = None,
) -> Iterator[dict[str, Json]]:
    """Answer each line of JSON: {"hex"} for a value, {"value"} for hex, {"error"} for bad input.

    A line is {"message", "version", "value"} or {"message", "version", "hex"}. With `records`, the records in
    a value are lists of batches; `header`, `frame` and `tabled` are those of an `Envelope`.
    """

    @cache
    def of(name: str, version: int) -> Found:
        message_layout = named_layout(protocol, where, name, version)
        surroundings = {"header": header, "frame": frame, "strict": True}
        return Found(Envelope(message_layout, protocol, **surroundings, tabled=tabled), records)

    # Different spellings may name the same message; codecs are large, so they are cached by message.
    @lru_cache(maxsize=4096)
    def find(name: str, version: int | str) -> Found:
        message = select_message(protocol, name, where)
        return of(message.name, version_of(message, name, version))

    for number, line in enumerate(lines, 1):
        try:
            yield _answer(_json(number, line.decode()), find)
        except UnicodeDecodeError:
            yield {"error": f"line {number}: this is not UTF-8"}
        except (InputError, WireError) as error:
            yield {"error": str(error)}


def compact_json(value: Json) -> str:
    """A value as JSON on one line, without spaces, that can control neither a terminal nor a CI runner."""
    text = quiet_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1] for character in text
    )


class Found(NamedTuple):
    """The envelope of the message that a line of a batch names, and how it reads records."""

    envelope: Envelope
    records: bool

    def decode(self, data: bytes) -> dict[str, Json]:
        """Decode all of `data`; the answer has a note if it is read in another version. Raises WireError,
        InputError.
        """
        of = self.envelope.reading(data)
        value = of.opened(data).value if self.records and of.body.has_records else of.decode(data)
        notes, self.envelope.notes[:] = [*self.envelope.notes], []
        return {"value": value, "note": notes[0]} if notes else {"value": value}


def _answer(request: Json, find: Callable[[str, int | str], Found]) -> dict[str, Json]:
    if not isinstance(request, dict) or not isinstance(request.get("message"), str):
        raise InputError('an object with "message", "version" and "value" or "hex" is expected')
    version = request.get("version")
    if not isinstance(version, int | str):
        raise InputError('"version" must be a number')
    # In a cache, 1 and True are the same key.
    chosen = find(str(request["message"]), str(version))
    if ("hex" in request) == ("value" in request):
        raise InputError('either "value" or "hex" is expected')
    if "value" in request:
        return {"hex": chosen.envelope.encode(request["value"]).hex()}
    if not isinstance(request["hex"], str):
        raise InputError('"hex" must be a string of hex digits')
    return chosen.decode(_unhex(request["hex"]))


def _placed(number: int, render: Callable[[_T], _R], value: _T) -> _R:
    """Return the result of `render`; its error gets the line, unless the value covers all lines (0)."""
    try:
        return render(value)
    except WireError as error:
        raise InputError(f"line {number}: {error}" if number else str(error)) from None


def _text(
    lines: InputLines, *, blank: bool = False, other: str = "this is not UTF-8"
) -> Iterator[tuple[int, str]]:
    """The lines by number, blank ones only on request. Raises InputError for text that is not UTF-8, which
    says what else it is.
    """
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip()
        except UnicodeDecodeError:
            raise InputError(f"line {number}: {other}") from None
        if text or blank:
            yield number, text


def _values(lines: InputLines, takes: type = dict) -> Iterator[tuple[int, Json]]:
    """The values: one over all lines, with number 0, or one per line, with its number."""
    texts = list(_text(lines))
    if not texts:
        raise InputError("standard input is empty: a JSON value is expected")
    try:
        yield 0, _loaded("\n".join(text for _, text in texts))
        return
    except RepeatedKeyError as error:
        if not _is_one(texts[0][1], takes):
            raise InputError(f"invalid JSON ({error})") from None
    except json.JSONDecodeError as error:
        if not any(_is_one(text, takes) for _, text in texts):
            place = f"line {texts[error.lineno - 1][0]}, column {error.colno}"
            raise InputError(f"{place}: invalid JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        pass
    for number, text in texts:
        yield number, _json(number, text)


def _is_one(text: str, takes: type) -> bool:
    try:
        return isinstance(json.loads(text), takes)
    except (ValueError, RecursionError):
        return False


def _json(number: int, text: str) -> Json:
    try:
        value = _loaded(text)
    except RecursionError:
        raise InputError(f"line {number}: this is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InputError(f"line {number}, column {error.colno}: invalid JSON ({error.msg})") from None
    except ValueError as error:
        # Python does not convert integers of thousands of digits.
        why = "a number has too many digits" if str(error).startswith("Exceeds the limit") else error
        raise InputError(f"line {number}: invalid JSON ({why})") from None
    return value


class RepeatedKeyError(ValueError):
    """Raised if an object names a key twice."""


def _loaded(text: str) -> Json:
    """Parse a JSON text. Raises ValueError, also for a repeated key, and RecursionError."""
    value: Json = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        earlier: set[str] = set()
        twice = next(key for key, _ in pairs if key in earlier or earlier.add(key))  # type: ignore[func-returns-value]
        raise RepeatedKeyError(f'the key "{twice[:40]}" is repeated')
    return members


def _refuse(name: str) -> Json:
    raise ValueError(f'{name} is not JSON; write "{name}"')


def _hex_lines(lines: InputLines, envelope: Input) -> Iterator[tuple[int, bytes]]:
    """The bytes of each line; a blank line counts only if a message may be empty."""
    empty = envelope.may_be_empty
    number = 0
    for number, text in _text(lines, blank=empty, other=_BINARY):
        yield number, _unhex(text, f"line {number}: ")
    if not number and empty:
        yield 0, b""
    elif not number:
        raise InputError("standard input is empty: bytes in hex are expected")


def _unhex(text: str, place: str = "") -> bytes:
    digits = "".join(text.split())
    bad = next((at for at, digit in enumerate(digits) if digit not in "0123456789abcdefABCDEF"), None)
    if bad is not None and not digits[bad].isprintable():
        raise InputError(f"{place}{_BINARY}")
    if bad is not None:
        raise InputError(f"{place}{digits[bad]!a} at digit {bad + 1} is not a hex digit")
    if len(digits) % 2:
        raise InputError(f"{place}{len(digits)} hex digits are not a whole number of bytes")
    return bytes.fromhex(digits)
