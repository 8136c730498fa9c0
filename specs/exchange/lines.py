"""Messages as lines of text, JSON values and hex: of one message, or of one per line in a batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol as Interface

from wirebook.specs.exchange.envelope import Envelope, MessageReading, named_layout
from wirebook.specs.exchange.named import Names
from wirebook.specs.model import Json, Protocol
from wirebook.specs.printable import quiet_json
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import HEX, WireError

InputLines = Iterable[bytes]

_BINARY = "this is binary, not hex: add --binary"


class Readable(Interface):
    """What reads the messages of lines: an envelope, bare records, or messages that nobody named."""

    may_be_empty: bool

    def split(self, data: bytes) -> list[bytes]:
        """The messages in some bytes."""

    def read(self, data: bytes) -> MessageReading:
        """A message, as far as it can be read."""


def values(lines: InputLines, takes: type = dict) -> Iterator[tuple[str, Json]]:
    """The JSON values of lines, with their places in words: one over all lines (""), or one for each line.

    Raises InputError with line and column.
    """
    texts = list(_texts(lines))
    if not texts:
        raise InputError("standard input is empty: a JSON value is expected")
    try:
        yield "", _loaded("\n".join(text for _, text in texts))
        return
    except json.JSONDecodeError as error:
        if not any(_is_one(text, takes) for _, text in texts):
            place = f"line {texts[error.lineno - 1][0]}, column {error.colno}"
            raise InputError(f"{place}: invalid JSON ({error.msg})") from None
    except _RepeatedKeyError as error:
        if not _is_one(texts[0][1], takes):
            raise InputError(f"invalid JSON ({error})") from None
    except (ValueError, RecursionError):
        pass
    for number, text in texts:
        yield f"line {number}: ", json_value(text, f"line {number}")


def readings(lines: InputLines, of: Readable) -> Iterator[tuple[str, bytes, MessageReading]]:
    """The messages in lines of hex, each with its place in words and its bytes.

    A line may hold several frames. Raises InputError for what is not hex, and if a package for records is
    missing.
    """
    for number, data in _hex_lines(lines, of.may_be_empty):
        frames = of.split(data)
        for count, frame in enumerate(frames, 1):
            place = f"line {number}, frame {count}" if len(frames) > 1 else f"line {number}"
            yield place, frame, of.read(frame)


def batch(
    lines: InputLines,
    protocol: Protocol,
    where: str,
    *,
    records: bool = False,
    header: bool = False,
    frame: bool = False,
    names: Names | None = None,
) -> Iterator[dict[str, Json]]:
    """Answer each line of JSON: {"hex"} for a value, {"value"} for hex, {"error"} for bad input.

    A line is {"message", "version", "value"} or {"message", "version", "hex"}. The options are those of an
    `Envelope`.
    """

    @lru_cache(maxsize=4096)
    def of(name: str, version: str) -> Envelope:
        chosen = named_layout(protocol, where, name, version)
        return Envelope(chosen, protocol, header=header, frame=frame, records=records, names=names)

    for number, line in enumerate(lines, 1):
        try:
            request = json_value(line.decode(), f"line {number}")
            if not isinstance(request, dict) or not isinstance(request.get("message"), str):
                raise InputError('an object with "message", "version" and "value" or "hex" is expected')
            version = request.get("version")
            if not isinstance(version, int | str):
                raise InputError('"version" must be a number')
            yield _answer(request, of(request["message"], str(version)))
        except UnicodeDecodeError:
            yield {"error": f"line {number}: this is not UTF-8"}
        except (InputError, WireError) as error:
            yield {"error": str(error)}


def _answer(request: dict[str, Json], of: Envelope) -> dict[str, Json]:
    if ("hex" in request) == ("value" in request):
        raise InputError('either "value" or "hex" is expected')
    if "value" in request:
        return {"hex": of.encode(request["value"]).hex()}
    if not isinstance(request["hex"], str):
        raise InputError('"hex" must be a string of hex digits')
    reading = of.read(unhex(request["hex"]))
    if reading.error is not None:
        raise reading.error
    return {"value": reading.value, **({"note": reading.notes[0]} if reading.notes else {})}


def compact_json(value: Json) -> str:
    """A value as JSON on one line, without spaces, that can control neither a terminal nor a CI runner."""
    text = quiet_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1] for character in text
    )


def _texts(
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


def _is_one(text: str, takes: type) -> bool:
    try:
        return isinstance(json.loads(text), takes)
    except (ValueError, RecursionError):
        return False


def json_value(text: str, place: str) -> Json:
    """The value of a JSON text. Raises InputError with its place."""
    try:
        return _loaded(text)
    except RecursionError:
        raise InputError(f"{place}: this is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{place}, column {error.colno}: invalid JSON ({error.msg})") from None
    except ValueError as error:
        # Python does not convert integers of thousands of digits.
        why = "a number has too many digits" if str(error).startswith("Exceeds the limit") else error
        raise InputError(f"{place}: invalid JSON ({why})") from None


class _RepeatedKeyError(ValueError):
    """Raised if an object names a key twice."""


def _loaded(text: str) -> Json:
    """Parse a JSON text. Raises ValueError, also for a repeated key, and RecursionError."""
    value: Json = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for key, value in pairs:
        if key in members:
            raise _RepeatedKeyError(f'the key "{key[:40]}" is repeated')
        members[key] = value
    return members


def _refuse(name: str) -> Json:
    raise ValueError(f'{name} is not JSON; write "{name}"')


def _hex_lines(lines: InputLines, may_be_empty: bool) -> Iterator[tuple[int, bytes]]:
    """The bytes of each line; a blank line counts only if a message may be empty."""
    number = 0
    for number, text in _texts(lines, blank=may_be_empty, other=_BINARY):
        yield number, unhex(text, f"line {number}: ")
    if not number and may_be_empty:
        yield 1, b""
    elif not number:
        raise InputError("standard input is empty: bytes in hex are expected")


def unhex(text: str, place: str = "") -> bytes:
    """The bytes of hex digits, with or without spaces. Raises InputError."""
    digits = "".join(text.split())
    bad = next((at for at, digit in enumerate(digits) if digit not in HEX), None)
    if bad is not None and not digits[bad].isprintable():
        raise InputError(f"{place}{_BINARY}")
    if bad is not None:
        raise InputError(f"{place}{digits[bad]!a} at digit {bad + 1} is not a hex digit")
    if len(digits) % 2:
        raise InputError(f"{place}{len(digits)} hex digits are not a whole number of bytes")
    return bytes.fromhex(digits)
