"""Messages as lines of text, JSON values and hex: of one message, or of one per line in a batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from wirebook.specs.codec import HEX
from wirebook.specs.envelope import Envelope, MessageReading
from wirebook.specs.layout import Layout, layout
from wirebook.specs.model import Json, Protocol
from wirebook.specs.names import Names
from wirebook.specs.printable import quiet_json
from wirebook.specs.problems import InputError
from wirebook.specs.selection import select_message
from wirebook.specs.spans import WireError
from wirebook.specs.unnamed import BareRecords, UnnamedMessages

_BINARY = "this is binary, not hex: add --binary"


Readable = Envelope | BareRecords | UnnamedMessages


def values(data: bytes) -> Iterator[tuple[int, Json]]:
    """The JSON values in some bytes, each with the number of its first line.

    Raises InputError with line and column.
    """
    text = _text(data).removeprefix("\ufeff")
    at = _begin(text, 0)
    if at == len(text):
        raise InputError("standard input is empty: a JSON value is expected")
    while at < len(text):
        start = at
        value, at = _value(text, start)
        yield text.count("\n", 0, start) + 1, value
        at = _begin(text, at)


def readings(
    lines: Iterable[bytes], of: Readable, *, described: bool = False
) -> Iterator[tuple[str, bytes, MessageReading]]:
    """The messages in lines of hex, each with its place in words and its bytes.

    A line may hold several frames. Raises InputError for what is not hex, and if a package for
    records is missing.
    """
    for number, data in _hex_lines(lines):
        frames = of.split(data)
        for count, frame in enumerate(frames, 1):
            place = f"line {number}, frame {count}" if len(frames) > 1 else f"line {number}"
            yield place, frame, of.read(frame, described=described)


def batch(
    lines: Iterable[bytes],
    protocol: Protocol,
    where: str,
    *,
    records: bool = False,
    header: bool = False,
    frame: bool = False,
    names: Names | None = None,
) -> Iterator[dict[str, Json]]:
    """Answer each line of JSON: {"hex"} for a value, {"value"} for hex, {"error"} for bad input.

    A line is {"message", "version", "value"} or {"message", "version", "hex"}. The options are
    those of an `Envelope`.
    """

    @lru_cache(maxsize=4096)
    def of(name: str, version: str) -> Envelope:
        chosen = named_layout(protocol, where, name, version)
        return Envelope(chosen, protocol, header=header, frame=frame, records=records, names=names)

    for number, line in enumerate(lines, 1):
        try:
            text = _text(line)
            request, end = _value(text, _begin(text, 0), number)
            if _begin(text, end) < len(text) or not isinstance(request, dict):
                keys = '"message", "version" and "value" or "hex"'
                raise InputError(f"an object with {keys} is expected")
            name, version = str(request.get("message", "")), str(request.get("version", ""))
            yield _answer(request, of(name, version))
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


def named_layout(protocol: Protocol, where: str, name: str, version: object) -> Layout:
    """The layout of a message at a version, an int or its digits; `where` describes the protocol in
    errors.

    Raises InputError if there is no such message or version, and for an API, which has several
    messages.
    """
    message = select_message(protocol, name, where)
    digits = str(version)
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 5:
        raise InputError(f'"{digits[:40]}" is not a version; {name} has {message.valid_versions}')
    return layout(message, int(digits))


def compact_json(value: Json) -> str:
    """A value as JSON on one line, without spaces, that can control neither a terminal nor a CI
    runner."""
    text = quiet_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1] for character in text
    )


def _text(data: bytes) -> str:
    """UTF-8 as text. Raises InputError, which names the line."""
    try:
        return data.decode()
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise InputError(f"line {line}: this is not UTF-8") from None


def _begin(text: str, at: int) -> int:
    """Where what follows blanks begins."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _value(text: str, at: int, first: int = 1) -> tuple[Json, int]:
    """The JSON value at a position of a text, and its end; `first` is the number of the text's
    first line.

    Raises InputError.
    """
    place = f"line {first + text.count(chr(10), 0, at)}"
    try:
        return _DECODER.raw_decode(text, at)
    except RecursionError:
        raise InputError(f"{place}: this is nested too deeply") from None
    except json.JSONDecodeError as error:
        place = f"line {first + error.lineno - 1}, column {error.colno}"
        raise InputError(f"{place}: invalid JSON ({error.msg})") from None
    except ValueError as error:
        raise InputError(f"{place}: invalid JSON ({error})") from None


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f'the key "{key[:40]}" is repeated')
        members[key] = value
    return members


def _refuse(name: str) -> Json:
    raise ValueError(f'{name} is not JSON; write "{name}"')


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_object)


def _hex_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The bytes of each line that is not blank; those of an empty message if all are."""
    found = False
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig").strip()
        except UnicodeDecodeError:
            raise InputError(f"line {number}: {_BINARY}") from None
        if text:
            found = True
            yield number, unhex(text, f"line {number}: ")
    if not found:
        yield 1, b""


def unhex(text: str, place: str = "") -> bytes:
    """The bytes of hex digits, with or without spaces. Raises InputError."""
    digits = "".join(text.split())
    try:
        return bytes.fromhex(digits)
    except ValueError:
        bad = next((at for at, digit in enumerate(digits) if digit not in HEX), None)
    if bad is None:
        raise InputError(f"{place}{len(digits)} hex digits are not a whole number of bytes")
    if not digits[bad].isprintable():
        raise InputError(f"{place}{_BINARY}")
    raise InputError(f"{place}{digits[bad]!a} at digit {bad + 1} is not a hex digit")
