"""Parses JSON with comments with the scanner of the standard library, for texts with nothing unusual in them.

It takes a third of the instructions of `jsontext`: docs/decisions/0001.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecoder
from typing import NoReturn

from wirebook.specs.limits import MAX_NESTING, MAX_NUMBER
from wirebook.specs.syntax.jsontext import JsonDocument, JsonMembers, SourcePositions, header_of

_COMMENT = re.compile(r"^[ \t]*//[^\r\n]*", re.MULTILINE)
_HEADER = re.compile(r"(?:[ \t\r\n]*//[^\r\n]*)*[ \t\r\n]*")


def read_quickly(text: str) -> JsonDocument | None:
    """The document that `parse_json` returns for a text, with positions and comments computed on demand.

    None if `parse_json` must read the text because it is invalid, loose, or merely unusual.
    """
    # A comment that hides others, or half of a surrogate pair.
    if "/*" in text or "\\u" in text:
        return None
    header = _HEADER.match(text)
    assert header is not None  # it may be empty
    start = header.end()
    body = text[start:]
    if "//" in body:
        body = _COMMENT.sub("", body)
    count = 0

    def node(pairs: list[tuple[str, object]]) -> JsonMembers:
        nonlocal count
        members = JsonMembers(pairs)
        if len(members) != len(pairs):
            raise ValueError("a key is repeated")
        members.number = count
        count += 1
        return members

    scanner = JSONDecoder(object_pairs_hook=node, parse_int=_whole, parse_float=_real, parse_constant=_refuse)
    try:
        value = scanner.decode(body)
    except (ValueError, RecursionError):
        return None
    if body.count("{") + body.count("[") > MAX_NESTING and _deeper(value, MAX_NESTING):
        return None
    return JsonDocument(value, start, SourcePositions(text), header_of(text[:start]), None, False)


def _whole(text: str) -> int:
    if len(text) > MAX_NUMBER:
        _refuse(text)
    return int(text)


def _real(text: str) -> float:
    if len(text) > MAX_NUMBER:
        _refuse(text)
    return float(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} needs the careful reader")


def _deeper(value: object, depth: int) -> bool:
    """Whether a value is nested more than `depth` levels deep."""
    if not isinstance(value, dict | list):
        return False
    return depth == 0 or any(
        _deeper(item, depth - 1) for item in (value.values() if isinstance(value, dict) else value)
    )
