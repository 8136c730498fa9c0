"""The messages that a writer sends so that every difference shows: set, null and left out, item by
item."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tests.prove.codec import Value
from tests.prove.shapes import END, WIDTHS, Shape, Slot


def probes(shape: Shape, reader: Shape | None = None) -> Iterator[Value]:
    """Everything set; one item null, empty or at its default at a time; everything left out.

    What a `reader` has in the same way, with nothing unlike it before, it reads in the same way
    whatever the value is: such items keep theirs.
    """
    yield from _all(shape, count(1), reader)
    yield tuple(map(_bare, shape))


def _bare(slot: Slot) -> Value:
    """As little as an item can say: null, no elements, no tagged fields."""
    if slot.kind == END:
        return slot.nothing
    if slot.nullable:
        return None
    return () if slot.array else b"" if slot.nothing is None else slot.nothing


def _all(shape: Shape, numbers: Iterator[int], reader: Shape | None) -> list[Value]:
    """All values of a sequence that are of interest; in the first everything is set."""
    items: list[list[Value]] = []
    alike = reader is not None
    for index, slot in enumerate(shape):
        other = reader[index] if reader and alike and index < len(reader) else None
        items.append(
            _section(slot, numbers, other) if slot.kind == END else _slot(slot, numbers, other)
        )
        alike = alike and slot == other
    return _one_at_a_time(items)


def _one_at_a_time(items: list[list[Value]]) -> list[Value]:
    full = tuple(values[0] for values in items)
    return [full] + [
        (*full[:index], value, *full[index + 1 :])
        for index, values in enumerate(items)
        for value in values[1:]
    ]


def _section(section: Slot, numbers: Iterator[int], other: Slot | None) -> list[Value]:
    others = other.tagged if other is not None else {}
    items = []
    for tag, slot in section.tagged.items():
        values = _slot(slot, numbers, others.get(tag))
        items.append(values if slot == others.get(tag) else [*values, slot.nothing])
    return [dict(zip(section.tagged, values, strict=True)) for values in _one_at_a_time(items)]


def _slot(slot: Slot, numbers: Iterator[int], other: Slot | None) -> list[Value]:
    """All values of an item that are of interest; one of an item that a reader has in the same
    way."""
    found: list[Value]
    if slot.inside is not None:
        alike = other is not None and _frame(slot) == _frame(other)
        values = _all(slot.inside, numbers, other.inside if other is not None and alike else None)
        found = [(values[0], value) for value in values] if slot.array else values
        if slot.array:
            found.append(())
    else:
        found = [_leaf(slot, next(numbers))]
    if slot.nullable:
        found.append(None)
    return found[:1] if slot == other else found


def _frame(slot: Slot) -> tuple[object, ...]:
    """What stands before the items of a struct or array."""
    return slot.kind, slot.array, slot.nullable, slot.compact


def _leaf(slot: Slot, number: int) -> Value:
    """A value that no other item has, and that is not the default."""
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
    half = 1 << (8 * WIDTHS[slot.kind] - 1)
    # The high bit is set: a number of the other sign has the same bits.
    value = 11 * number % half + (half if slot.kind[0] == "u" else -half)
    return value if value != slot.nothing else value + 1
