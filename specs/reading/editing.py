"""Changes single values of a spec's text, keeping its comments, order, spacing and line ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wirebook.specs.syntax.jsontext import JsonArray, JsonObject, end_of_value

_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*)?(?=\r?\n)")
_INDENT = re.compile(r"[ \t]*")


class TextEdit(NamedTuple):
    """The characters from `start` to `end` of a text, to be replaced by `text`."""

    start: int
    end: int
    text: str


def set_key(text: str, holder: JsonObject, key: str, value: object, after: str) -> list[TextEdit]:
    """The edits that set the value of a key in an object.

    A missing key is added after the key `after`, which must exist: on a new line if that key has a line of
    its own, otherwise on the same line.
    """
    written = _json(value)
    if key in holder:
        start = holder.values_at[key]
        return [TextEdit(start, end_of_value(text, start), written)]
    return _insert(
        text, holder.keys_at[after], end_of_value(text, holder.values_at[after]), f'"{key}": {written}'
    )


def append(text: str, array: JsonArray, values: Sequence[object]) -> list[TextEdit]:
    """The edits that append elements to an array, formatted like its last element."""
    written = [_json(value) for value in values]
    if array:
        start = array.values_at[-1]
        return _insert(text, start, end_of_value(text, start), *written)
    return [TextEdit(array.offset, end_of_value(text, array.offset), f"[{', '.join(written)}]")]


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """The text with all edits. Raises ValueError if two of them overlap and differ."""
    ordered = sorted(set(edits))
    parts: list[str] = []
    at = 0
    for edit in ordered:
        if edit.start < at:
            raise ValueError(f"two edits change the characters {edit.start} to {at}")
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def _insert(text: str, anchor: int, end: int, *written: str) -> list[TextEdit]:
    """Insert members or elements after the one from `anchor` to `end`."""
    line = text.rfind("\n", 0, anchor) + 1
    comma = end + 1 if text.startswith(",", end) else end
    rest = _REST_OF_LINE.match(text, comma)
    indent = _INDENT.match(text, line)
    assert indent is not None  # it also matches nothing
    if rest is None or indent.end() != anchor:
        return [TextEdit(end, end, "".join(f", {item}" for item in written))]
    newline = "\r\n" if text.startswith("\r\n", rest.end()) else "\n"
    begun = ",".join(f"{newline}{indent[0]}{item}" for item in written)
    if comma > end:
        return [TextEdit(rest.end(), rest.end(), f"{begun},")]
    if rest.end() == end:
        return [TextEdit(end, end, f",{begun}")]
    return [TextEdit(end, end, ","), TextEdit(rest.end(), rest.end(), begun)]


def _json(value: object) -> str:
    """A value in the style of the specs: `{ "version": 3, "about": "" }`."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)}: {_json(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
