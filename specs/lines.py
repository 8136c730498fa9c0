"""Messages as lines of text, JSON values and hex: of one message, or of one per line in a batch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator

from wirebook.specs.codec import HEX
from wirebook.specs.envelope import Envelope
from wirebook.specs.model import Json
from wirebook.specs.printable import quiet_json
from wirebook.specs.problems import InputError
from wirebook.specs.spans import MessageReading, WireError
from wirebook.specs.unnamed import BareRecords, UnnamedMessages, split_frames

_BLANKS = re.compile(r"\s*")
_BINARY = "this is binary, not hex: add --binary"
Readable = Envelope | BareRecords | UnnamedMessages


def values(data: bytes, first: int = 1) -> Iterator[tuple[int, Json]]:
    """The JSON values in some bytes, each with the number of its line, counted from `first`.

    Raises InputError with line and column.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = first + data.count(b"\n", 0, bad.start)
        raise InputError(f"line {line}: this is not UTF-8") from None
    at = _after_blanks(text, 0)
    while at < len(text):
        line = first + text.count("\n", 0, at)
        try:
            value, at = _DECODER.raw_decode(text, at)
        except RecursionError:
            raise InputError(f"line {line}: this is nested too deeply") from None
        except json.JSONDecodeError as error:
            place = f"line {first + error.lineno - 1}, column {error.colno}"
            raise InputError(f"{place}: invalid JSON ({error.msg})") from None
        except (ValueError, InputError) as error:
            raise InputError(f"line {line}: invalid JSON ({error})") from None
        yield line, value
        at = _after_blanks(text, at)


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def json_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object of JSON from its members. Raises InputError for a key that is repeated."""
    members: dict[str, Json] = {}
    for key, value in pairs:
        if key in members:
            raise InputError(f'the key "{key[:40]}" is repeated')
        members[key] = value
    return members


def _refuse(name: str) -> Json:
    raise InputError(f'{name} is not JSON; write "{name}"')


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=json_object)


def readings(
    lines: Iterable[bytes], of: Readable, *, described: bool = False
) -> Iterator[tuple[str, bytes, MessageReading]]:
    """The messages in lines of hex, each with its place in words and its bytes: at least one.

    A line may hold several frames. Raises InputError for what is not hex, and if a package for
    records is missing.
    """
    for number, line in _filled(lines):
        data = unhex(line, f"line {number}: ")
        frames = [data]
        if isinstance(of, UnnamedMessages):
            frames = of.split(data)
        elif isinstance(of, Envelope) and of.frame:
            frames = split_frames(data)
        for count, frame in enumerate(frames, 1):
            place = f"line {number}, frame {count}" if len(frames) > 1 else f"line {number}"
            yield place, frame, of.read(frame, described=described)


def _filled(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; an empty one if all are."""
    found = False
    for number, line in enumerate(lines, 1):
        if line.strip():
            found = True
            yield number, line
    if not found:
        yield 1, b""


def unhex(line: bytes, place: str = "") -> bytes:
    """The bytes of hex digits, with or without spaces. Raises InputError."""
    try:
        digits = "".join(line.decode("utf-8-sig").split())
    except UnicodeDecodeError:
        raise InputError(f"{place}{_BINARY}") from None
    for at, digit in enumerate(digits):
        if digit not in HEX:
            wrong = f"{digit!a} at digit {at + 1} is not a hex digit"
            raise InputError(place + (wrong if digit.isprintable() else _BINARY))
    if len(digits) % 2:
        raise InputError(f"{place}{len(digits)} hex digits are not a whole number of bytes")
    return bytes.fromhex(digits)


def batch(lines: Iterable[bytes], of: Callable[[str, str], Envelope]) -> Iterator[dict[str, Json]]:
    """Answer each line of JSON: {"hex"} for a value, {"value"} for hex, {"error"} for bad input.

    A line is {"message", "version", "value"} or {"message", "version", "hex"}; `of` gives the
    envelope of a message and a version, and raises InputError if there is none.
    """
    for number, line in enumerate(lines, 1):
        try:
            found = [value for _, value in values(line, number)]
            if len(found) != 1 or not isinstance(found[0], dict):
                keys = '"message", "version" and "value" or "hex"'
                raise InputError(f"an object with {keys} is expected")
            request = found[0]
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
    reading = of.read(unhex(request["hex"].encode("utf-8", "replace")))
    if reading.error is not None:
        raise reading.error
    return {"value": reading.value, **({"note": reading.notes[0]} if reading.notes else {})}


def compact_json(value: Json) -> str:
    """A value as JSON on one line that can control neither a terminal nor a CI runner."""
    text = quiet_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1] for character in text
    )
