"""The proof of a disagreement: a small message that one side writes, and what the other side makes of it.

The codec (`specs.wire`), which shares no code with the relation, writes the message by one layout and reads
it by the other. Of a few messages that set the field concerned, the shortest that is rejected or read
differently is the witness. A disagreement without one shows an error in the relation or in the codec.
"""

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide, has_one_value, is_same
from wirebook.specs.model import Field, Json
from wirebook.specs.wire.codec import WireError, codec
from wirebook.specs.wire.defaults import INTEGERS, ZERO_UUID, default_value
from wirebook.specs.wire.layout import Layout, LayoutField, layout

Value = dict[str, Json]
ELSEWHERE = 24  # bytes that a message may be longer by, to fail at the field that it is about
INDEX = re.compile(r"\[\d+\]")  # of an element, in the path of a value


class Misread(NamedTuple):
    """A field that the reader has with another value than the writer wrote there.

    `path` is that of the reader, and `source` that of the field whose bytes it takes: the writer may have
    another one there. A value is None for null, and `is_sent` is whether the bytes carry the field.
    """

    path: str
    source: str
    written: Json
    read: Json
    is_sent: bool = True


class Witness(NamedTuple):
    """A message of the side `writer`, its bytes, and what the other side makes of them.

    `error` is why the reader rejects the bytes, None if it reads them; `misread` is then a field with another
    value. `is_explicit` is whether the bytes carry a default, which other writers leave out.
    """

    writer: WriterSide
    value: Value
    data: bytes
    error: WireError | None
    misread: Misread | None
    is_explicit: bool = False


class _Exchange(NamedTuple):
    """A writer and a reader with other layouts; `ours` and `theirs` are their sides of a disagreement."""

    writer: WriterSide
    kind: Kind
    ours: Side
    theirs: Side
    sender: Layout
    reader: Layout


def witness_of(disagreement: Disagreement, first: Layout, second: Layout) -> Witness | None:
    """A short message that shows a disagreement of two layouts of a version; None if none is found."""
    kind, one, other = disagreement.kind, disagreement.first, disagreement.second
    paths = {one.path, other.path} - {""}
    exchanges = [
        exchange
        for exchange in (
            _Exchange(WriterSide.FIRST, kind, one, other, first, second),
            _Exchange(WriterSide.SECOND, kind, other, one, second, first),
        )
        if disagreement.writer in (exchange.writer, WriterSide.BOTH)
    ]
    witnesses: list[Witness] = []
    for exchange in exchanges:
        witnesses += _witnesses(exchange, paths)
        if kind in (Kind.TAG, Kind.NULL) and all(each.error is None for each in witnesses):
            witnesses += _explicit(exchange, paths)
    if kind is Kind.LENGTH and not witnesses:
        witnesses = [witness for exchange in exchanges for witness in _explicit(exchange, paths)]
    if kind is Kind.DEFAULT:
        # Bytes that are rejected for something else say nothing of a default.
        witnesses = [each for each in witnesses if each.error is None] or witnesses
    return min(witnesses, key=lambda each: _worth(each, paths), default=None)


def _explicit(exchange: _Exchange, paths: Container[str]) -> Iterator[Witness]:
    """Messages that are rejected, and that send the field although it has its default.

    A writer may do so, and a struct without fields has no other value.
    """
    sending = exchange._replace(sender=_sending(exchange.sender, exchange.ours, exchange.kind))
    if sending.sender is exchange.sender:
        return
    least = _Message(exchange.sender.fields, ()).least
    for each in _witnesses(sending, paths):
        if each.error is not None:
            yield each._replace(value=least, is_explicit=True)


def _worth(witness: Witness, paths: Container[str]) -> tuple[bool, int]:
    """The best has the least: bytes that show more than a default, at the field concerned, and few of them.

    A message may be longer by ELSEWHERE bytes if its reader fails at one of `paths`, and by as many if the
    values that differ are more than two forms of nothing.
    """
    size, misread = len(witness.data), witness.misread
    if misread is None:
        is_elsewhere = witness.error is None or INDEX.sub("", witness.error.path) not in paths
        return False, size + ELSEWHERE * is_elsewhere
    is_blank = _is_blank(misread.written) and _is_blank(misread.read)
    return not misread.is_sent, size + ELSEWHERE * ((misread.path not in paths) + is_blank)


def _is_blank(value: Json) -> bool:
    """Whether a value is what a field without content has: zero, false, empty or null."""
    return not value or value == ZERO_UUID


def _witnesses(exchange: _Exchange, paths: Container[str]) -> list[Witness]:
    """Messages that show the disagreement, the best among them; `paths` are those of its fields."""
    _, kind, ours, _, sender, _ = exchange
    if kind is Kind.DEFAULT:
        unsent = _unsent(exchange)
        return [] if unsent is None else [unsent]
    filled: list[Value] = []
    nulls: list[Value] = []
    for value in _Message(sender.fields, tuple(ours.path.split("."))).candidates():
        is_null = kind is not Kind.NULL and _at(ours.path, sender.fields, value) is None
        (nulls if is_null else filled).append(value)
    # A null may be rejected for itself, which shows something else.
    for messages in (filled, nulls):
        witnesses = _shortest(exchange, messages, paths)
        if witnesses:
            return witnesses
    return []


def _unsent(exchange: _Exchange) -> Witness | None:
    """The shortest message without the field: both sides have their defaults, unless the reader rejects it.

    None if the defaults are the same, or if every message carries the field.
    """
    writer, _, ours, theirs, sender, reader = exchange
    if ours.field is None or theirs.field is None:
        return None
    written, read = default_value(ours.field), default_value(theirs.field)
    value = _Message(sender.fields, tuple(ours.path.split("."))).around(is_sent=ours.carried is None)
    data = codec(sender).encode(value)
    if is_same(written, read) or _is_carried(sender, data, ours.path):
        return None
    try:
        codec(reader).decode(data)
    except WireError as error:
        return Witness(writer, value, data, error, None)
    return Witness(writer, value, data, None, Misread(theirs.path, theirs.path, written, read, is_sent=False))


def _shortest(exchange: _Exchange, messages: Sequence[Value], paths: Container[str]) -> list[Witness]:
    """The witnesses among some messages, in their order, without those that are too long to be the best.

    A null or a tag has all of them: whether any is rejected counts, too.
    """
    write = codec(exchange.sender).encode
    encoded = sorted(
        ((write(message), number) for number, message in enumerate(messages)), key=lambda each: len(each[0])
    )
    witnesses: dict[int, Witness] = {}
    longest = len(encoded[-1][0]) if encoded else 0
    for data, number in encoded:
        if len(data) > longest:
            break
        witness = _outcome(exchange, messages[number], data)
        if witness is not None:
            witnesses[number] = witness
            is_unsent, worth = _worth(witness, paths)
            if not is_unsent and exchange.kind not in (Kind.TAG, Kind.NULL):
                longest = min(longest, worth)
    return [witnesses[number] for number in sorted(witnesses)]


def _outcome(exchange: _Exchange, value: Value, data: bytes) -> Witness | None:
    """What the reader makes of a message; None if it reads it as the writer does."""
    writer, kind, ours, theirs, sender, reader = exchange
    try:
        read = codec(reader).decode(data)
    except WireError as error:
        return Witness(writer, value, data, error, None)
    if kind is Kind.LOST and theirs.field is not None:
        # The bytes may show that the sides differ in other fields, too.
        misread = _unequal(theirs, _at(ours.path, sender.fields, value), default_value(theirs.field))
    else:
        misread = _misread(sender.fields, value, reader.fields, read)
        if misread is None and kind is Kind.NAME:
            # The reader has the field elsewhere; a struct around it may be renamed.
            written, other = _at(ours.path, sender.fields, value), _at(theirs.path, reader.fields, read)
            misread = _unequal(theirs, written, other)
    if misread is None:
        return None
    is_sent = ours.carried is None or _is_carried(sender, data, ours.path)
    if misread.path not in (ours.path, theirs.path):
        # Any message shows that the defaults of other fields differ.
        is_sent &= _is_carried(sender, data, misread.source)
    return Witness(writer, value, data, None, misread._replace(is_sent=is_sent))


def _unequal(theirs: Side, written: Json, read: Json) -> Misread | None:
    """A field that the reader has with another value, wherever that is from."""
    return None if written == read else Misread(theirs.path, theirs.path, written, read)


def _is_carried(sender: Layout, data: bytes, path: str) -> bool:
    """Whether bytes carry the field at a path, or something in it; a tag may have been left out."""
    fields = (span.field for span in codec(sender).explain(data))
    return any(field == path or field.startswith(f"{path}.") for field in fields)


def _sending(sender: Layout, side: Side, kind: Kind) -> Layout:
    """A layout whose writers send the field of a side although it has its default.

    Null is sent if it is not the default, and a nullable struct without fields if null is. So is a struct of
    one value under a tag: its bytes are the empty sections of tags of itself and of the structs in it, each
    of which is that of the boolean false. All others have a value that is not the default: for these, the
    layout is returned as it is.
    """
    field, carried = side.field, side.carried
    if field is None or carried is None:
        return sender
    if carried.nullable and kind is Kind.LENGTH:
        other = field._replace(default="null", has_default=True)
    elif carried.nullable:
        type_ = field.type.replace("records", "bytes")  # records are null by default
        other = field._replace(type=type_, default=None, has_default=False)
    elif (tagged := _tagged_of_one_value(sender.fields, side.path)) is not None:
        field = tagged.field
        other = _of_zeros(field, _structs(tagged))
    else:
        return sender

    def inside(fields: tuple[Field, ...]) -> tuple[Field, ...]:
        return tuple(
            other
            if each.written.order == field.written.order
            else each
            if each.fields is None
            else each._replace(fields=inside(each.fields))
            for each in fields
        )

    message = sender.message
    structs = tuple(struct._replace(fields=inside(struct.fields)) for struct in message.common_structs)
    return layout(message._replace(fields=inside(message.fields), common_structs=structs), sender.version)


def _tagged_of_one_value(fields: Sequence[LayoutField], path: str) -> LayoutField | None:
    """The tagged field of one value at a path, or else the last one around it."""
    for field in fields:
        if f"{path}.".startswith(f"{field.path}."):
            is_own = field.tag is not None and has_one_value(field)
            return _tagged_of_one_value(field.fields or (), path) or (field if is_own else None)
    return None


def _of_zeros(field: Field, count: int) -> Field:
    """A field with one value beside its default, in some bytes of zero."""
    if count == 1:
        return field._replace(type="bool", fields=None, default=True)
    zero = Field(field.written, "", "bool", field.present, default=True, has_default=True)
    return field._replace(fields=tuple(zero._replace(name=f"Zero{number}") for number in range(1, count)))


def _structs(field: LayoutField) -> int:
    """The number of structs that are sent for a field of one value, itself included."""
    return 1 + sum(_structs(inner) for inner in field.fields or () if inner.tag is None)


class _Message:
    """Messages of a layout that set the field at a path; the names on the path are those of the layout."""

    def __init__(self, fields: Sequence[LayoutField], path: Sequence[str]) -> None:
        self.fields = fields
        self.path = path

    @property
    def least(self) -> Value:
        """The shortest message: no elements, no tagged fields, and nulls only for structs."""
        return {field.name: _least(field) for field in self.fields if field.tag is None}

    def around(self, *, is_sent: bool) -> Value:
        """The shortest message with what is around the field: an element of each array, and structs.

        `is_sent` is whether these are sent if they have a tag.
        """
        message = self.least
        field = next((each for each in self.fields if self.path and each.name == self.path[0]), None)
        if field is None or field.fields is None or len(self.path) == 1:
            return message
        if field.tag is None or is_sent:
            inside = _Message(field.fields, self.path[1:]).around(is_sent=is_sent)
            message[field.name] = inside if field.element is None else [inside]
        return message

    def candidates(self) -> Iterator[Value]:
        """Messages with values of interest on the path, alone and with all other fields set."""
        least = self.least
        for values in _on_path(self.fields, self.path):
            yield {**least, **values}
        numbers = iter(range(1, 1 << 30))
        full = {field.name: _full(field, numbers) for field in self.fields}
        yield full
        for values in _on_path(self.fields, self.path):
            yield {**full, **values}
        yield least


def _on_path(fields: Sequence[LayoutField], path: Sequence[str]) -> Iterator[Value]:
    """The field that a path begins with, with each value of interest of the field at its end."""
    field = next((field for field in fields if path and field.name == path[0]), None)
    if field is None:
        return
    for value in _values(field, path[1:]):
        yield {field.name: value}


def _values(field: LayoutField, path: Sequence[str]) -> Iterator[Json]:
    inner: list[Json] = []
    if field.fields is not None:
        least = _Message(field.fields, ()).least
        full: Value = {each.name: _full(each, iter(range(1, 1 << 30))) for each in field.fields}
        # Beside its default, a tagged struct is sent only with another field.
        inner = [{**rest, **values} for rest in (least, full) for values in _on_path(field.fields, path)] or [
            least,
            full,
        ]
    if field.element is not None:
        elements = inner if field.fields is not None else list(_scalars(field.element))
        yield from ([element] for element in elements)
        yield []
    elif field.fields is not None:
        yield from inner
    else:
        yield from _scalars(field.type)
    if field.nullable:
        yield None


def _scalars(wire_type: str) -> Iterator[Json]:
    """Values of a type that other types read differently."""
    if wire_type in INTEGERS:
        lowest, highest = INTEGERS[wire_type]
        yield from (1, highest, lowest)
    elif wire_type == "BOOLEAN":
        yield from (True, False)
    elif wire_type == "FLOAT64":
        yield from (1.5, 0.0)
    elif wire_type == "UUID":
        yield "00112233-4455-6677-8899-aabbccddeeff"
    elif wire_type.endswith("STRING"):
        yield from ("ab", "a", "", "a" * 130)
    else:
        yield from ("ff00", "61", "", "ff" * 130)


def _least(field: LayoutField) -> Json:
    """The shortest value; a null that is no shorter could fail by itself."""
    if field.element is not None:
        return []
    if field.fields is not None:
        return None if field.nullable else dict(_Message(field.fields, ()).least)
    if field.type in INTEGERS or field.type == "FLOAT64":
        return 0
    if field.type == "BOOLEAN":
        return False
    return ZERO_UUID if field.type == "UUID" else ""


def _full(field: LayoutField, numbers: Iterator[int]) -> Json:
    """A value that no other field of the message has, where its type has enough."""
    if field.fields is not None:
        inner: Json = {each.name: _full(each, numbers) for each in field.fields}
        return inner if field.element is None else [inner]
    number = next(numbers)
    kind = field.type if field.element is None else field.element
    value: Json
    if kind in INTEGERS:
        value = number % INTEGERS[kind][1]
    elif kind == "BOOLEAN":
        value = True
    elif kind == "FLOAT64":
        value = float(number)
    elif kind == "UUID":
        value = f"00000000-0000-0000-0000-{number:012x}"
    else:
        value = f"v{number}" if kind.endswith("STRING") else f"{number % 256:02x}"
    return value if field.element is None else [value]


def _misread(
    ours: Sequence[LayoutField], written: Json, theirs: Sequence[LayoutField], read: Json
) -> Misread | None:
    """A field that has another value on the side of the reader, by its place or tag."""
    for one, two in zip(_line(ours, written), _line(theirs, read), strict=False):
        misread = _other_value(*one, *two)
        if misread is not None:
            return misread
    for tags, others in zip(_sections(ours, written), _sections(theirs, read), strict=False):
        for tag in tags.keys() & others.keys():
            misread = _other_value(*tags[tag], *others[tag])
            if misread is not None:
                return misread
    return None


def _other_value(field: LayoutField, value: Json, other: LayoutField, read: Json) -> Misread | None:
    """A difference of the values of a field on both sides, at any depth."""
    if field.fields is None or other.fields is None:
        return None if value == read else Misread(other.path, field.path, value, read)
    if field.element is not None and isinstance(value, list) and isinstance(read, list):
        if len(value) != len(read):
            return Misread(other.path, field.path, value, read)
        pairs = zip(value, read, strict=True)
        inner = (_misread(field.fields, one, other.fields, two) for one, two in pairs)
        return next(filter(None, inner), None)
    if isinstance(value, dict) and isinstance(read, dict):
        return _misread(field.fields, value, other.fields, read)
    return None if value == read else Misread(other.path, field.path, value, read)


def _line(fields: Sequence[LayoutField], value: Json) -> Iterator[tuple[LayoutField, Json]]:
    """The untagged fields with their values; a struct that is never null is those of its fields."""
    for field in fields:
        if field.tag is None:
            own = _value(field, value)
            if field.fields is not None and field.element is None and not field.nullable:
                yield from _line(field.fields, own)
            else:
                yield field, own


def _sections(fields: Sequence[LayoutField], value: Json) -> Iterator[dict[int, tuple[LayoutField, Json]]]:
    """The tagged fields and their values, by tag: those of structs that are never null, then the own ones."""
    for field in fields:
        if field.fields is not None and field.element is None and not field.nullable and field.tag is None:
            yield from _sections(field.fields, _value(field, value))
    yield {field.tag: (field, own) for field, own in _tagged(fields, value) if field.tag is not None}


def _at(path: str, fields: Sequence[LayoutField], value: Json) -> Json:
    """The value of the field at a path, in the first element of arrays; None if there is none."""
    for field in fields:
        if field.path == path:
            return _value(field, value)
        if field.fields is not None and path.startswith(f"{field.path}."):
            own = _value(field, value)
            inner = own[0] if isinstance(own, list) and own else own
            return _at(path, field.fields, inner) if isinstance(inner, dict) else None
    return None


def _tagged(fields: Sequence[LayoutField], value: Json) -> Iterator[tuple[LayoutField, Json]]:
    return ((field, _value(field, value)) for field in fields if field.tag is not None)


def _value(field: LayoutField, value: Json) -> Json:
    """The value of a field of a struct, its default if it is left out."""
    own = value.get(field.name, field.default) if isinstance(value, dict) else field.default
    if own == {} and field.fields is not None:
        return {each.name: _value(each, {}) for each in field.fields}
    return own
