"""What spans of bytes are, what is wrong in bytes and values, and the words for both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from wirebook.specs.model import Json

# What a path has and a field has not: indexes, and the compression of records.
_INDEX = re.compile(r"\[\d+\]| \(\w+\)$")


@dataclass(eq=False)
class WireError(ValueError):
    """Bytes or a value that the layout does not allow, with the field and the offset of bytes.

    `path` is "" for the message as a whole, else like Topics[2].Partitions[0].Index.
    """

    message: str
    offset: int | None = None
    path: str = ""

    def below(self, name: str) -> Self:
        """The same error, as seen from one level above."""
        self.path = joined(name, self.path)
        return self

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


@contextmanager
def within(name: str) -> Iterator[None]:
    """Errors of the block have a path that begins with a name."""
    try:
        yield
    except WireError as bad:
        raise bad.below(name) from None


def joined(above: str, path: str) -> str:
    """A path below another one."""
    return f"{above}.{path}" if above and path and path[0] != "[" else above + path


class Span(NamedTuple):
    """The bytes `start` to `end` (exclusive) of a message.

    `path` has the indexes of arrays (Topics[0].Name); it is "" for the tagged section at the top.
    `kind` is one of value, length, count, null, marker, tag-count, tag, tag-size and unknown;
    `type` is its wire type, `value` the decoded value, `name` that of the value or its flags.
    """

    start: int
    end: int
    path: str
    kind: str
    type: str
    value: Json
    name: str = ""

    @property
    def field(self) -> str:
        """The path without the indexes of arrays (Topics.Name)."""
        return _INDEX.sub("", self.path).removeprefix(".")

    def inside(self, start: int, path: str) -> Self:
        """The span as one of the bytes that begin at `start` and belong to the value at a path."""
        path = joined(path, self.path)
        return self._replace(start=self.start + start, end=self.end + start, path=path)

    def to_json(self) -> dict[str, Json]:
        """The span as `wirebook decode --explain json` prints it (wirebook/bytes/1)."""
        place = {"start": self.start, "end": self.end, "path": self.path, "field": self.field}
        document = place | self._asdict()
        if not self.name:
            del document["name"]
        return document


@dataclass
class MessageReading:
    """A message that was read: its value, and its spans with the part that each belongs to.

    With an error, they are those of what precedes it; the value is None if that is nothing.
    `problems` are its damaged batches, `notes` what else readers should know. Parts are frame,
    header and body.
    """

    name: str = ""
    version: int = 0
    value: Json = None
    spans: list[tuple[str, Span]] = field(default_factory=list)
    error: WireError | None = None
    problems: list[WireError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def some_bytes(count: int) -> str:
    """A number of bytes in words."""
    return "1 byte" if count == 1 else f"{count} bytes"


def uuid_text(digits: str) -> str:
    """32 hex digits in the form 8-4-4-4-12."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def expected(what: str, value: Any, nullable: bool = False) -> str:
    """The error text for a value of another kind."""
    if value is None:
        return f"{what} is expected; it is not nullable in this version"
    return f"{what}{' or null' if nullable else ''} is expected, not {shown(value)}"


def shown(value: Any) -> str:
    """A value in the form of error messages: short, on one line."""
    text = repr(value) if not isinstance(value, str) else f'"{value[:41]}"'
    kind = {dict: "an object", list: "a list", bool: str(value).lower()}.get(type(value))
    return kind or (text if len(text) <= 40 else f"{text[:37]}…")
