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
from dataclasses import asdict, dataclass, field

from wirebook.rules.breaks import Break
from wirebook.rules.compat import is_same
from wirebook.specs.codec import decode, encode
from wirebook.specs.defaults import INTEGERS, ZERO_UUID
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.printable import clip
from wirebook.specs.spans import WireError

SHOWN = 24  # bytes in a sentence


@dataclass(frozen=True)
class Proof:
    """A message of a version, and what a peer that reads it makes of it.

    `writer` and `reader` name the peers. The reader rejects the bytes with `error`, or reads the
    field at `path` as `read` in place of `written`.
    """

    version: int
    writer: str
    reader: str
    message: MessageValue
    bytes: bytes
    error: str = ""
    path: str = ""
    written: Json = None
    read: Json = None

    @property
    def sentence(self) -> str:
        """What one peer sends, and what the other makes of it."""
        data = self.bytes[:SHOWN].hex(" ") + (" …" if len(self.bytes) > SHOWN else "")
        sent = f"{clip(self.writer)} sends {data or 'no bytes'} in version {self.version}"
        if self.error:
            return f"{sent}; {clip(self.reader)} fails: {clip(self.error)}"
        read, written = (
            clip(json.dumps(each, ensure_ascii=False)) for each in (self.read, self.written)
        )
        return f"{sent}; {clip(self.reader)} reads {clip(self.path)} as {read} instead of {written}"

    def to_json(self) -> dict[str, Json]:
        """The proof as wirebook/findings/1 has it."""
        error = self.error or None
        return {**asdict(self), "bytes": self.bytes.hex(), "error": error}


# A field that is not where peers expect it shifts the rest of its struct.
_SHIFTING = (
    "field-added-to-released-version",
    "field-moved",
    "field-removed-from-released-version",
)


@dataclass
class Proofs:
    """The proofs of the breaks of one message, whose layouts are the same objects.

    Fields that shift the rest of one struct have the same proof.
    """

    _shifted: dict[tuple[object, ...], Proof | None] = field(default_factory=dict)

    def of(self, broken: Break) -> Proof | None:
        """The bytes that show a break, None if no smallest message does."""
        if broken.rule not in _SHIFTING:
            return self._first(broken)
        layouts = [id(layout) for pair in broken.layouts for layout in pair]
        struct = (*layouts, broken.path.rpartition(".")[0])
        if self._shifted.get(struct) is None:
            self._shifted[struct] = self._first(broken)
        return self._shifted[struct]

    def _first(self, broken: Break) -> Proof | None:
        """The proof that is the first one of those that are tried."""
        release = next(filter(None, broken.releases), "")
        old = f"a peer of {release}" if release else "a peer with the old spec"
        for base, head in broken.layouts:
            new = "a peer with the new spec", head, broken.head.path
            sides = (old, base, broken.base.path), new
            for (writer, written, path), (reader, expected, _) in (sides, sides[::-1]):
                for value in _messages(written.fields, path.split(".")):
                    proof = _shown(written, expected, value, (writer, reader))
                    if proof is not None:
                        return proof
        return None


def _shown(
    writer: Layout, reader: Layout, value: MessageValue, peers: tuple[str, str]
) -> Proof | None:
    """The proof that a message is, None if both sides understand it in the same way."""
    every = (*writer.walk(), *reader.walk())
    if any((each.element or each.type).startswith("?") for each in every):
        # The format does not define the type: nobody knows its bytes.
        return None
    try:
        data = encode(writer, value)
    except WireError:
        return None
    try:
        read = decode(reader, data)
    except WireError as error:
        return Proof(writer.version, *peers, value, data, error=str(error))
    for path, one, other in _unequal(writer.fields, decode(writer, data), reader.fields, read):
        return Proof(writer.version, *peers, value, data, path=path, written=one, read=other)
    return None


def _messages(fields: Sequence[LayoutField], path: Sequence[str]) -> Iterator[MessageValue]:
    """The messages along a path, as far as there are such fields, with some values of the last.

    The first has its default.
    """
    own = next((each for each in fields if each.name == path[0]), None)
    if own is None or len(path) == 1:
        yield {}
        yield from ({own.name: value} for value in _values(own)) if own is not None else ()
    else:
        for inner in _messages(own.fields or (), path[1:]):
            yield {own.name: [inner] if own.element is not None else inner}


def _values(field: LayoutField) -> Iterator[Json]:
    """Some values of a field that are rarely its default, and null."""
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
) -> Iterator[tuple[str, Json, Json]]:
    """The fields of both sides with different values, and these values."""
    names = {each.name: each for each in others}
    for sent in fields:
        expected = names.get(sent.name)
        if expected is None:
            continue
        one = written.get(sent.name, sent.default)
        two = read.get(expected.name, expected.default)
        pairs = [(one, two)]
        if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
            pairs = list(zip(one, two, strict=True))
        for item, item_read in pairs:
            if isinstance(item, dict) and isinstance(item_read, dict):
                yield from _unequal(sent.fields or (), item, expected.fields or (), item_read)
            elif not is_same(item, item_read):
                yield sent.path, item, item_read
