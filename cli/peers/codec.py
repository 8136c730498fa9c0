"""`wirebook encode` and `wirebook decode`: values to bytes and back, by any version of any message."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from wirebook.cli import exits
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.model import Json, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError, left_over
from wirebook.specs.wire.spans import Span, told

FRAME = 4  # bytes of the length before a request or response


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that both commands take."""
    add = parser.add_argument
    add("message", metavar="MESSAGE", nargs="?", help="a message, such as FetchRequest")
    add("version", metavar="VERSION", nargs="?", help="a version of it")
    add("--source", metavar="SOURCE", help="where the specs are")
    add("--header", action="store_true", help='with its header: the value is {"header": …, "body": …}')
    add("--frame", action="store_true", help="with the length that stands before it in a connection")
    add("--explain", metavar="{table,json}", nargs="?", const="table", help="what each byte is")
    add("--batch", action="store_true", help="JSON Lines that name message and version; a line for a line")


def run(options: argparse.Namespace) -> int:
    """Read standard input, print what it becomes; returns the exit code. Raises InputError, OSError."""
    from wirebook.specs.load import load

    _explain(options)
    protocol, where = load(options.source)
    encodes = options.command == "encode"
    if options.batch:
        if options.message or options.header or options.frame or options.explain:
            raise InputError("--batch reads message and version from each line, and goes with --source alone")
        _batch(protocol, where)
        return exits.CLEAN
    if options.message is None or options.version is None:
        raise InputError(f"name the message and its version: wirebook {options.command} FetchRequest 12")
    chosen = _layout(protocol, where, options.message, options.version)
    if options.header and chosen.header_version is None:
        raise InputError(f"{chosen.name} has no header: only requests and responses have")
    whole = Whole(chosen, options.header, options.frame)
    printed = []
    lines: Iterator[tuple[int, Any]] = _values() if encodes else _hex_lines(whole.empty)
    for line, given in lines:
        try:
            data: bytes = whole.encode(given) if encodes else given
            if options.explain:
                printed.append(_explained(whole, data, options.explain))
            else:
                printed.append(data.hex() if encodes else _json(whole.decode(data)))
        except WireError as error:
            place = f"line {line}: " if line else ""
            raise InputError(f"{place}{error}") from None
    for text in printed:
        print(text)
    return exits.CLEAN


def _explain(options: argparse.Namespace) -> None:
    """Give a message that stands right after --explain back to its place. Raises InputError."""
    if options.explain in (None, "table", "json"):
        return
    if options.version is not None:
        raise InputError(f'--explain prints a table or json, not "{options.explain[:40]}"')
    options.message, options.version = options.explain, options.message
    options.explain = "table"


class Whole:
    """One message as it travels: by itself, behind its header, behind the length of both."""

    def __init__(self, chosen: Layout, header: bool, frame: bool) -> None:
        self.layout = chosen
        self.body = codec(chosen)
        self.frame = frame
        self.header_layout = None
        if header and chosen.header_version is not None:
            self.header_layout = header_layout(chosen.type, chosen.header_version)

    def encode(self, value: Json) -> bytes:
        """The bytes of a value, which with a header is {"header": …, "body": …}. Raises WireError.

        What a request's header says of API key and version need not be given.
        """
        if self.header_layout is None:
            made = self.body.encode(value)  # type: ignore[arg-type]
        else:
            if not isinstance(value, dict) or not value.keys() <= {"header", "body"}:
                raise WireError('an object with "header" and "body" is expected')
            header = value.get("header", {})
            if isinstance(header, dict) and self.layout.type == "request":
                known: dict[str, Json] = {
                    "RequestApiKey": self.layout.api_key,
                    "RequestApiVersion": self.layout.version,
                }
                header = known | header
            made = _within("header", codec(self.header_layout).encode, header)
            made += _within("body", self.body.encode, value.get("body", {}))
        return len(made).to_bytes(FRAME, "big") + made if self.frame else made

    def decode(self, data: bytes) -> Json:
        """The value of all of `data`. Raises WireError."""
        start = self._begin(data)
        if self.header_layout is None:
            return self._rest(data, start)
        header, start = _within("header", codec(self.header_layout).decode_from, data, start)
        return {"header": header, "body": _within("body", self._rest, data, start)}

    @property
    def empty(self) -> bool:
        """Whether it may have no byte, as the first ApiVersions requests have none."""
        try:
            self.decode(b"")
        except WireError:
            return False
        return True

    def spans(self, data: bytes) -> Iterator[tuple[str, Span]]:
        """What each byte is, with the part that it belongs to: frame, header or body. Raises WireError."""
        self.decode(data)
        start = self._begin(data)
        if self.frame:
            yield "frame", Span(0, FRAME, "", "", "length", "INT32", len(data) - FRAME)
        if self.header_layout is not None:
            header = codec(self.header_layout)
            _, end = header.decode_from(data, start)
            for span in header.explain(data[start:end]):
                yield "header", span.moved(start)
            start = end
        for span in self.body.explain(data[start:]):
            yield "body", span.moved(start)

    def _begin(self, data: bytes) -> int:
        if not self.frame:
            return 0
        left = len(data) - FRAME
        if left < 0:
            raise WireError(f"a frame begins with a length of {FRAME} bytes, but there are {len(data)}", 0)
        length = int.from_bytes(data[:FRAME], "big", signed=True)
        if length != left:
            raise WireError(f"the frame says {length} bytes, and {left} follow", 0)
        return FRAME

    def _rest(self, data: bytes, start: int) -> Json:
        value, end = self.body.decode_from(data, start)
        if end != len(data):
            raise left_over(data, end)
        return value


def _within(part: str, work: Any, *given: Any) -> Any:
    try:
        return work(*given)
    except WireError as error:
        raise error.below(part) from None


def _layout(protocol: Protocol, where: str, name: str, version: object) -> Layout:
    from wirebook.specs.load import select

    found = select(protocol, name, where)
    if len(found) > 1 or found[0].name.casefold() != name.casefold():
        names = " or ".join(message.name for message in found)
        raise InputError(f'"{name}" is an API; name its message: {names}')
    digits = str(version)
    if isinstance(version, bool) or not digits.isascii() or not digits.isdecimal() or len(digits) > 5:
        raise InputError(f'"{digits[:40]}" is no version; {name} has {found[0].valid_versions}')
    return layout(found[0], int(digits))


def _text(blank: bool = False) -> Iterator[tuple[int, str]]:
    """The lines of standard input by number, blank ones only where they are asked for. Raises InputError."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip()
        except UnicodeDecodeError:
            raise InputError(f"line {number}: this is no UTF-8") from None
        if text or blank:
            yield number, text


def _values() -> Iterator[tuple[int, Json]]:
    """The values: one over all lines, or one a line (by its number, 0 for the one)."""
    lines = list(_text())
    if not lines:
        raise InputError("standard input is empty: a JSON value is expected")
    try:
        yield 0, json.loads("\n".join(text for _, text in lines), parse_constant=_refuse)
        return
    except json.JSONDecodeError as error:
        if not any(_is_object(text) for _, text in lines):
            place = f"line {lines[error.lineno - 1][0]}, column {error.colno}"
            raise InputError(f"{place}: this is no JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        pass
    for number, text in lines:
        yield number, _loaded(number, text)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _loaded(number: int, text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise InputError(f"line {number}: this is nested too deeply") from None
    except ValueError as error:
        column = f", column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(f"line {number}{column}: this is no JSON ({reason})") from None
    return value


def _refuse(name: str) -> Json:
    raise ValueError(f'{name} is not of JSON; write "{name}"')


def _hex_lines(empty: bool) -> Iterator[tuple[int, bytes]]:
    """The bytes of each line; a blank one counts only where a message may have no byte."""
    found = False
    for number, text in _text(blank=empty):
        found = True
        yield number, _unhex(text, f"line {number}: ")
    if not found and empty:
        yield 0, b""
    elif not found:
        raise InputError("standard input is empty: bytes in hex are expected")


def _unhex(text: str, place: str = "") -> bytes:
    digits = "".join(text.split())
    odd = next((at for at, digit in enumerate(digits) if digit not in "0123456789abcdefABCDEF"), None)
    if odd is not None:
        raise InputError(f"{place}{digits[odd]!a} at digit {odd + 1} is no hex digit")
    if len(digits) % 2:
        raise InputError(f"{place}{len(digits)} hex digits are no whole number of bytes")
    return bytes.fromhex(digits)


def _batch(protocol: Protocol, where: str) -> None:
    """Answer each line with one: {"hex"} for a value, {"value"} for hex, {"error"} for what cannot be."""
    chosen = cache(lambda name, version: codec(_layout(protocol, where, name, version)))
    for number, raw in enumerate(sys.stdin.buffer, 1):
        try:
            answer = _answer(_loaded(number, raw.decode()), chosen)
        except UnicodeDecodeError:
            answer = {"error": f"line {number}: this is no UTF-8"}
        except (InputError, WireError) as error:
            answer = {"error": str(error)}
        print(_json(answer))


def _answer(asked: Json, chosen: Any) -> dict[str, Json]:
    if not isinstance(asked, dict) or not isinstance(asked.get("message"), str):
        raise InputError('an object with "message", "version" and "value" or "hex" is expected')
    version = asked.get("version")
    if not isinstance(version, int | str):
        raise InputError('"version" is a number')
    made = chosen(asked["message"], version)
    if ("hex" in asked) == ("value" in asked):
        raise InputError('either "value" or "hex" is expected')
    if "value" in asked:
        return {"hex": made.encode(asked["value"]).hex()}
    if not isinstance(asked["hex"], str):
        raise InputError('"hex" is a text of hex digits')
    return {"value": made.decode(_unhex(asked["hex"]))}


def _explained(whole: Whole, data: bytes, form: str) -> str:
    found = list(whole.spans(data))
    if form == "json":
        return _json(
            {
                "schema": "wirebook/bytes/1",
                "message": whole.layout.name,
                "version": whole.layout.version,
                "hex": data.hex(),
                "spans": [
                    {"part": part, **row}
                    for (part, _), row in zip(found, told(span for _, span in found), strict=True)
                ],
            }
        )
    from wirebook.cli.terminal import coloured
    from wirebook.docgen.render.bytes.terminal import table

    return table(found, data, coloured(sys.stdout, os.environ))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
