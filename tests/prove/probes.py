"""The messages that a writer sends so that every difference shows: set, null and left out, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tests.prove.codec import Value
from tests.prove.shapes import Shape, Slot

# Of a message with very many optional fields, the first ones show.
MOST = 60


def probes(shape: Shape, reader: Shape | None = None) -> Iterator[Value]:
    """Everything set; one field null or at its default at a time; everything left out.

    What a `reader` has in the same way, with nothing unlike it before, it reads in the same way whatever the
    value is: such fields keep theirs.
    """
    numbers = count(1)
    for index, value in enumerate(_struct(shape, numbers, reader)):
        if index == MOST:
            break
        yield value
    yield bare(shape)


def bare(shape: Shape) -> Value:
    """A message that says as little as it can: nulls, no elements, no tagged fields."""
    return tuple(_bare(slot) for slot in shape.fields), {t: s.nothing for t, s in shape.tagged.items()}


def _bare(slot: Slot) -> Value:
    if slot.nullable:
        return None
    if slot.array:
        return ()
    if slot.kind == "struct":
        assert slot.inside is not None
        return bare(slot.inside)
    return b"" if slot.nothing is None else slot.nothing


def _struct(shape: Shape, numbers: Iterator[int], reader: Shape | None) -> list[Value]:
    """All values of a struct that are of interest; in the first everything is set."""
    fields: list[list[Value]] = []
    alike = reader is not None
    for index, slot in enumerate(shape.fields):
        other = reader.fields[index] if reader and alike and index < len(reader.fields) else None
        fields.append(_slot(slot, numbers, other))
        alike = alike and slot == other
    alike = reader is not None and alike and len(shape.fields) == len(reader.fields)
    others = reader.tagged if reader and alike and shape.section == reader.section else {}
    tagged = {tag: _slot(slot, numbers, others.get(tag)) for tag, slot in shape.tagged.items()}
    full = tuple(values[0] for values in fields)
    tags = {tag: values[0] for tag, values in tagged.items()}
    found: list[Value] = [(full, tags)]
    for index, values in enumerate(fields):
        found += [((*full[:index], value, *full[index + 1 :]), tags) for value in values[1:]]
    for tag, values in tagged.items():
        if shape.tagged[tag] != others.get(tag):
            found += [(full, {**tags, tag: value}) for value in (shape.tagged[tag].nothing, *values[1:])]
    return found


def _slot(slot: Slot, numbers: Iterator[int], other: Slot | None) -> list[Value]:
    """All values of a field that are of interest; one of a field that a reader has in the same way."""
    found: list[Value]
    if slot.inside is not None:
        alike = other is not None and _frame(slot) == _frame(other)
        values = _struct(slot.inside, numbers, other.inside if other is not None and alike else None)
        found = [(values[0], value) for value in values] if slot.array else values
        if slot.array:
            found.append(())
    else:
        found = [_leaf(slot, next(numbers))]
    if slot.nullable:
        found.append(None)
    return found[:1] if slot == other else found


def _frame(slot: Slot) -> tuple[object, ...]:
    """What stands before the fields of a struct or array."""
    return slot.kind, slot.array, slot.nullable, slot.compact


def _leaf(slot: Slot, number: int) -> Value:
    """A value that no other field has, and that is not the default."""
    if slot.kind == "bool":
        return not slot.nothing
    if slot.kind == "float":
        return -number - 0.5
    if slot.kind == "uuid":
        return bytes([number % 255 + 1] * 16)
    if slot.kind == "string":
        return f"value {number} \u20ac".encode()
    if slot.kind == "bytes":
        return b"\xff\xc0" + number.to_bytes(2, "big")
    size = 1 << int(slot.kind[3:])
    # The high bit is set: signed and unsigned readers have to agree on the bits, not on the number.
    bits = (size // 2 + 11 * number) % size
    return bits if bits != slot.nothing else (bits + 1) % size
