"""The bytes of a break: the smallest message on which peers of two specs disagree, where one shows
it.

Along the path of the field every array has one element, every struct is present and every tag is
sent; all other fields have their defaults. The field itself has its default, or another value. A
message that one side writes and the other rejects or reads with another value is the proof; where
none of these is, there is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirebook.rules.breaks import Break
from wirebook.rules.compat import is_same
from wirebook.rules.pairs import path_to
from wirebook.specs.codec import WireError, codec
from wirebook.specs.defaults import INTEGERS, ZERO_UUID
from wirebook.specs.layout import Layout, LayoutField, layout
from wirebook.specs.model import Json, Message, MessageValue
from wirebook.specs.printable import clip
from wirebook.specs.problems import InputError

SHOWN = 24  # bytes in a sentence


@dataclass(frozen=True)
class Proof:
    """A message of a version, and what a peer that reads it makes of it.

    `writer` and `reader` name the peers. The reader rejects `data` with `error`, or reads the field
    at `path` as `read` in place of `written`.
    """

    version: int
    writer: str
    reader: str
    value: MessageValue
    data: bytes
    error: str = ""
    path: str = ""
    written: Json = None
    read: Json = None

    @property
    def sentence(self) -> str:
        """What one peer sends, and what the other makes of it."""
        shown = self.data[:SHOWN].hex(" ") + (" …" if len(self.data) > SHOWN else "")
        sent = f"{clip(self.writer)} sends {shown or 'no bytes'} in version {self.version}"
        if self.error:
            return f"{sent}; {clip(self.reader)} fails: {clip(self.error)}"
        read, written = (
            clip(json.dumps(each, ensure_ascii=False)) for each in (self.read, self.written)
        )
        return f"{sent}; {clip(self.reader)} reads {clip(self.path)} as {read} instead of {written}"

    def to_json(self) -> dict[str, Json]:
        """The proof as wirebook/findings/1 has it."""
        return {
            "version": self.version,
            "writer": self.writer,
            "reader": self.reader,
            "message": self.value,
            "bytes": self.data.hex(),
            "error": self.error or None,
            "path": self.path,
            "written": self.written,
            "read": self.read,
        }


@dataclass
class Proofs:
    """Finds the bytes that show the breaks of one message.

    The layouts of its specs and what the message of defaults shows are computed once.
    """

    _layouts: dict[tuple[int, int], Layout | None] = field(default_factory=dict)
    _plain: dict[tuple[int, int, int, str], Proof | None] = field(default_factory=dict)

    def proof_of(self, broken: Break) -> Proof | None:
        """The bytes at the lowest or highest version, None if no smallest message shows it."""
        versions = dict.fromkeys((min(broken.versions), max(broken.versions)))
        return next(filter(None, (self._proof_at(broken, version) for version in versions)), None)

    def _proof_at(self, broken: Break, version: int) -> Proof | None:
        base = self._layout(broken.base_message, version)
        head = self._layout(broken.head_message, version)
        if base is None or head is None:
            return None
        release = next(filter(None, broken.releases), "")
        old = f"a peer of {release}" if release else "a peer with the old spec"
        new = "a peer with the new spec"
        sides = (old, base, broken.base.path), (new, head, broken.head.path)
        for (writer, written, path), (reader, expected, _) in (sides, sides[::-1]):
            key = (id(written.message), id(expected.message), version, writer)
            if key not in self._plain:
                self._plain[key] = _shown(written, expected, {}, (writer, reader))
            values = _messages(written, (path or broken.path).split("."))
            shown = (_shown(written, expected, value, (writer, reader)) for value in values)
            proof = self._plain[key] or next(filter(None, shown), None)
            if proof is not None:
                return proof
        return None

    def _layout(self, message: Message, version: int) -> Layout | None:
        key = (id(message), version)
        if key not in self._layouts:
            try:
                self._layouts[key] = layout(message, version)
            except InputError:
                self._layouts[key] = None
        return self._layouts[key]


def _shown(
    writer: Layout, reader: Layout, value: MessageValue, peers: tuple[str, str]
) -> Proof | None:
    """The proof that a message is, None if both sides understand it in the same way."""
    try:
        data = codec(writer).encode(value)
        written = codec(writer).decode(data)
    except WireError:
        return None
    try:
        read = codec(reader).decode(data)
    except WireError as error:
        return Proof(writer.version, *peers, value, data, error=str(error))
    for path, one, other in _unequal(writer.fields, written, reader.fields, read, ""):
        return Proof(writer.version, *peers, value, data, path=path, written=one, read=other)
    return None


def _messages(written: Layout, path: Sequence[str]) -> Iterator[MessageValue]:
    """The messages along a path, with the values of the field at its end."""
    last = _field_at(written.fields, path)
    if last is not None:
        for value in _values(last):
            yield _along(written.fields, path, value)


def _field_at(fields: Sequence[LayoutField], path: Sequence[str]) -> LayoutField | None:
    own = next((each for each in fields if each.name == path[0]), None)
    return own if own is None or len(path) == 1 else _field_at(own.fields or (), path[1:])


def _along(fields: Sequence[LayoutField], path: Sequence[str], value: Json) -> MessageValue:
    own = next(each for each in fields if each.name == path[0])
    if len(path) > 1:
        inner = _along(own.fields or (), path[1:], value)
        value = [inner] if own.element is not None else inner
    return {own.name: value}


def _values(field: LayoutField) -> Iterator[Json]:
    """Some values of a field: its default, others, and null."""
    yield field.default
    if field.element is not None:
        values = [{}] if field.fields is not None else _others(field.element)
        yield from ([value] for value in values)
    elif field.fields is not None:
        yield {}
    else:
        yield from _others(field.type)
    if field.nullable:
        yield None


def _others(wire_type: str) -> list[Json]:
    """Values that are rarely the default of a type."""
    if wire_type in INTEGERS:
        return [1, *INTEGERS[wire_type]]
    if wire_type.endswith("STRING"):
        return ["a"]
    if wire_type.endswith(("BYTES", "RECORDS")):
        return ["01"]
    return [{"BOOLEAN": True, "FLOAT64": 1.5}.get(wire_type, f"{ZERO_UUID[:-1]}1")]


def _unequal(
    fields: Sequence[LayoutField],
    written: Mapping[str, Json],
    others: Sequence[LayoutField],
    read: Mapping[str, Json],
    above: str,
) -> Iterator[tuple[str, Json, Json]]:
    """The fields of both sides with different values, and these values."""
    names = {each.name: each for each in others}
    for sent in fields:
        expected = names.get(sent.name)
        if expected is None:
            continue
        path = path_to(above, sent)
        one = written.get(sent.name, sent.default)
        two = read.get(expected.name, expected.default)
        pairs = [(one, two)]
        if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
            pairs = list(zip(one, two, strict=True))
        for item, item_read in pairs:
            if isinstance(item, dict) and isinstance(item_read, dict):
                inner = sent.fields or (), item, expected.fields or (), item_read
                yield from _unequal(*inner, path)
            elif not is_same(item, item_read):
                yield path, item, item_read
