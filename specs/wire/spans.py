"""Describes each byte of a message: its field, its part of the encoding, and its value."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from wirebook.specs.model import Json
from wirebook.specs.wire.scalars import WireError, read_unsigned, scalar
from wirebook.specs.wire.shape import UNKNOWN, Shape


class Span(NamedTuple):
    """The bytes `start` to `end` (exclusive) of a message.

    `path` has the indexes of arrays (Topics[0].Name), `field` does not (Topics.Name; "" for the tagged
    section at the top). `kind` is one of value, length, count, null, marker, tag-count, tag, tag-size and
    unknown; `type` is its wire type, `value` the decoded value. `name` is that of the value, or of the flags
    in it; "" if it has none.
    """

    start: int
    end: int
    path: str
    field: str
    kind: str
    type: str
    value: Json
    name: str = ""

    def moved(self, by: int) -> Self:
        """The span, `by` bytes later."""
        return self._replace(start=self.start + by, end=self.end + by)

    def to_json(self) -> dict[str, Json]:
        """The span as `wirebook decode --explain json` prints it (wirebook/bytes/1); no key for no name."""
        document = self._asdict()
        if not self.name:
            del document["name"]
        return document


def spans(shapes: Sequence[Shape], flexible: bool, data: bytes) -> list[Span]:
    """The spans of a message that the codec decodes without an error, in order and without gaps."""
    walk = _Walk(data)
    walk.struct(shapes, flexible, "", "")
    return walk.found


def spans_until(shapes: Sequence[Shape], flexible: bool, data: bytes, end: int) -> list[Span]:
    """The spans of a message before the offset `end`, where the codec finds an error."""
    walk = _Walk(data, end)
    with suppress(_EndError, WireError):
        walk.struct(shapes, flexible, "", "")
    return walk.found


def value_of(spans: Sequence[Span]) -> dict[str, Json]:
    """The value that spans describe, which may be those of a part of a message."""
    value: dict[str, Json] = {}
    tag: Json = None
    for span in spans:
        if span.kind in ("value", "null"):
            _put(value, span.path, span.value)
        elif span.kind == "length" and not span.value:
            _put(value, span.path, "")
        elif span.kind == "count":
            _put(value, span.path, [])
        elif span.kind == "marker":
            _put(value, span.path, {})
        elif span.kind == "tag-count" and span.path:
            # A struct whose fields have no bytes is there all the same.
            _put(value, span.path, {}, is_new=False)
        elif span.kind == "tag":
            tag = span.value
        elif span.kind == "unknown":
            above = f"{span.path}.{UNKNOWN}" if span.path else UNKNOWN
            _put(value, f"{above}[{_count(value, above)}]", {"tag": tag, "data": span.value})
    return value


def _put(value: dict[str, Json], path: str, item: Json, *, is_new: bool = True) -> None:
    """Set the item at a path like Topics[0].Name, and create what is above it; one that exists is kept if the
    item is not new.
    """
    steps = _steps(path)
    above: Any = value
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        below: Json = item if following is None else [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if step == len(above):
                above.append(below)
        elif (following is None and is_new) or step not in above:
            above[step] = below
        above = above[step]


def _count(value: Any, path: str) -> int:
    """How many items the list at a path has; 0 if there is none."""
    for step in _steps(path):
        if isinstance(value, dict) and step not in value:
            return 0
        value = value[step]
    return len(value)


def _steps(path: str) -> list[Any]:
    """The names and indices of a path like Topics[0].Name."""
    # Compiled here because a check describes bytes, but never needs their value.
    steps = re.findall(r"[^.\[\]]+|\[\d+\]", path)
    return [int(step[1:-1]) if step.startswith("[") else step for step in steps]


class _EndError(Exception):
    """Raised where a walk reaches the end of what is to be described."""


class _Walk:
    def __init__(self, data: bytes, end: int | None = None) -> None:
        self.data = data
        self.end = len(data) if end is None else end
        self.at = 0
        self.found: list[Span] = []
        self._split: dict[int, tuple[list[Shape], dict[int, Shape]]] = {}

    def split(self, shapes: Sequence[Shape]) -> tuple[list[Shape], dict[int, Shape]]:
        """The untagged fields of a struct, and the tagged ones by tag; a spec may have thousands of them."""
        halves = self._split.get(id(shapes))
        if halves is None:
            halves = (
                [shape for shape in shapes if shape.tag is None],
                {shape.tag: shape for shape in shapes if shape.tag is not None},
            )
            self._split[id(shapes)] = halves
        return halves

    def take(self, end: int, path: str, field: str, kind: str, type_: str, value: Json) -> None:
        if end > self.end:
            raise _EndError
        self.found.append(Span(self.at, end, path, field, kind, type_, value))
        self.at = end

    def unsigned(self) -> tuple[int, int]:
        return read_unsigned(self.data, self.at)

    def struct(self, shapes: Sequence[Shape], flexible: bool, path: str, field: str) -> None:
        dot = "." if path else ""
        untagged, tagged = self.split(shapes)
        for shape in untagged:
            self.field(shape, flexible, f"{path}{dot}{shape.name}")
        if flexible:
            self.section(tagged, path, field)

    def field(self, shape: Shape, flexible: bool, path: str) -> None:
        if shape.element is not None:
            self.array(shape, flexible, path)
        elif shape.fields is not None:
            if shape.nullable and not self.present(shape, path):
                return
            self.struct(shape.fields, flexible, path, shape.path)
        else:
            self.scalar(shape.type, shape.nullable, path, shape.path)

    def present(self, shape: Shape, path: str) -> bool:
        if self.at >= self.end:
            raise _EndError
        if shape.tag is None:
            is_present, end, type_ = self.data[self.at] <= 0x7F, self.at + 1, "INT8"
        else:
            value, end = self.unsigned()
            is_present, type_ = bool(value), "UNSIGNED_VARINT"
        self.take(end, path, shape.path, "marker" if is_present else "null", type_, None)
        return is_present

    def array(self, shape: Shape, flexible: bool, path: str) -> None:
        count = self.length(shape.type, path, shape.path, "count")
        for place in range(count or 0):
            at = f"{path}[{place}]"
            if shape.fields is not None:
                self.struct(shape.fields, flexible, at, shape.path)
            else:
                assert shape.element is not None
                self.scalar(shape.element, False, at, shape.path)

    def length(self, type_: str, path: str, field: str, kind: str) -> int | None:
        """Read the length or count; None is null."""
        if type_.startswith("COMPACT_"):
            raw, end = self.unsigned()
            length, form = raw - 1, "UNSIGNED_VARINT"
        else:
            size = 2 if type_.endswith("STRING") else 4
            end = self.at + size
            length = int.from_bytes(self.data[self.at : end], "big", signed=True)
            form = "INT16" if size == 2 else "INT32"
        if length < 0:
            self.take(end, path, field, "null", form, None)
            return None
        self.take(end, path, field, kind, form, length)
        return length

    def scalar(self, type_: str, nullable: bool, path: str, field: str) -> None:
        if type_.endswith(("STRING", "BYTES", "RECORDS")):
            start = self.at
            length = self.length(type_, path, field, "length")
            if not length:
                return
            value, end = scalar(type_, nullable)[1](self.data, start)
        else:
            value, end = scalar(type_, nullable)[1](self.data, self.at)
        self.take(end, path, field, "value", type_, value)

    def section(self, tagged: dict[int, Shape], path: str, field: str) -> None:
        count, end = self.unsigned()
        self.take(end, path, field, "tag-count", "UNSIGNED_VARINT", count)
        dot = "." if path else ""
        for _ in range(count):
            tag, end = self.unsigned()
            shape = tagged.get(tag)
            at = f"{path}{dot}{shape.name}" if shape else path
            of = shape.path if shape else field
            self.take(end, at, of, "tag", "UNSIGNED_VARINT", tag)
            size, end = self.unsigned()
            self.take(end, at, of, "tag-size", "UNSIGNED_VARINT", size)
            if shape is not None:
                self.field(shape, True, at)
            elif size:
                end = self.at + size
                self.take(end, at, of, "unknown", "BYTES", self.data[self.at : end].hex())
