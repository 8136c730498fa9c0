"""All pairs of small messages, judged by the relation and by an encoder and a reader written apart
from it.

A message has up to two fields, each in one of the states that a field can have in a version:
carried untagged, carried under a tag, lacking, or lacking with a tag that readers reject. Every
value of a small domain is encoded by one side and decoded by the other (`tests.prove.codec`), both
ways.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.prove.codec import RefusedError, Value, decode, encode
from tests.prove.shapes import (
    END,
    KINDS,
    WIDTHS,
    Shape,
    Slot,
    Spec,
    element,
    fields_inside,
    is_array,
    present,
    shape,
    valid,
)
from wirebook.rules.compat import Body, Difference, differences, form
from wirebook.specs.layout import layout
from wirebook.specs.reader import read_message

VERSION = 1  # of the versions 0 to 2, the one in which the messages are compared
_STRUCT = [{"name": "Inner", "type": "int8", "versions": "0+"}]
_LATER = [
    {"name": "Inner", "type": "int8", "versions": "0+"},
    {"name": "Later", "type": "int8", "versions": "2+", "default": "3"},
]
_TAGGED_INSIDE = [
    {"name": "Inner", "type": "int8", "versions": "0+"},
    {"name": "Deep", "type": "int8", "versions": "1+", "taggedVersions": "1+", "tag": 0},
]


def _types() -> Iterator[Spec]:
    """The types of fields that every version carries."""
    yield {"type": "int8"}
    yield {"type": "int16"}
    yield {"type": "uint16"}
    for nullable in ({}, {"nullableVersions": "0+"}):
        yield {"type": "string", **nullable}
        yield {"type": "[]int8", **nullable}
        yield {"type": "Struct", "fields": _STRUCT, **nullable}
        yield {"type": "[]Struct", "fields": _STRUCT, **nullable}
    yield {"type": "bytes"}
    yield {"type": "Struct", "fields": _LATER}


def states(flexible: bool) -> list[Spec]:
    """The states of a field, without its name."""
    found = [{**kind, "versions": "0+"} for kind in _types()]
    found += [
        {"type": "int8", "versions": "2+"},
        {"type": "int8", "versions": "2+", "default": "5"},
        {"type": "string", "versions": "2+", "nullableVersions": "2+", "default": "null"},
        {"type": "Struct", "versions": "2+", "fields": _STRUCT},
        {"type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0},
        {"type": "int16", "versions": "0+", "taggedVersions": "2+", "tag": 0},
    ]
    if flexible:
        found.append({"type": "Struct", "versions": "0+", "fields": _TAGGED_INSIDE})
        kinds: list[Spec] = [
            {"type": "int8"},
            {"type": "int8", "default": "5"},
            {"type": "int16"},
            {"type": "string"},
            {"type": "string", "nullableVersions": "1+", "default": "null"},
            {"type": "[]int8"},
            {"type": "Struct", "fields": _STRUCT},
            {"type": "Struct", "fields": _STRUCT, "nullableVersions": "1+", "default": "null"},
            {"type": "[]Struct", "fields": _STRUCT},
        ]
        for tag in (0, 1):
            found += [
                {**kind, "versions": "1+", "taggedVersions": "1+", "tag": tag} for kind in kinds
            ]
    return found


def messages() -> list[Spec]:
    """All messages with up to two fields in these states."""
    found: list[Spec] = []
    for flexible in ("2+", "1+"):
        of_fields = states(flexible == "1+")
        found.append(small_message(flexible))
        found += [
            small_message(flexible, {"name": name, **state}) for name in "AB" for state in of_fields
        ]
        for names in ("AB", "BA", "AC"):
            for one, other in itertools.product(of_fields, of_fields):
                if one.get("tag") is None or one.get("tag") != other.get("tag"):
                    found.append(
                        small_message(
                            flexible, {"name": names[0], **one}, {"name": names[1], **other}
                        )
                    )
    return found


def small_message(flexible: str, *fields: Spec) -> Spec:
    """A message with some fields."""
    # A struct is defined once in a message.
    named = [
        {**field, "type": field["type"].replace("Struct", f"Struct{number}")}
        for number, field in enumerate(fields)
    ]
    return {
        "type": "data",
        "name": "SmallValue",
        "validVersions": "0-2",
        "flexibleVersions": flexible,
        "fields": named,
    }


class Side(NamedTuple):
    """A message as both judges see it."""

    spec: Spec
    form: Body
    shape: Shape
    sent: tuple[tuple[Value, bytes], ...]


def side(spec: Spec) -> Side:
    """A message, with all its values and their bytes."""
    text = json.dumps(spec).encode()
    of_spec = form(layout(read_message(text, "SmallValue.json"), VERSION))
    of_version = shape(spec, VERSION)
    sent = tuple((value, encode(of_version, value)) for value in _structs(of_version))
    return Side(spec, of_spec, of_version, sent)


def _structs(of: Shape) -> Iterator[Value]:
    yield from itertools.product(*(list(_values(slot)) for slot in of))


def _values(slot: Slot) -> Iterator[Value]:
    """The values of an item: two that are not null, and null where it may be; with and without each
    tag."""
    if slot.kind == END:
        tagged = [[item.nothing, *_values(item)] for item in slot.tagged.values()]
        for values in itertools.product(*tagged):
            yield dict(zip(slot.tagged, values, strict=True))
        return
    if slot.nullable:
        yield None
    if slot.array:
        assert slot.inside is not None
        yield ()
        yield (next(iter(_structs(slot.inside))),)
    elif slot.inside is not None:
        yield from _structs(slot.inside)
    elif slot.kind in ("string", "bytes"):
        yield b""
        yield b"\xc3\xa9"
    else:
        half = 1 << 8 * WIDTHS[slot.kind] - 1
        yield 0
        yield 7 + (half if slot.kind[0] == "u" else -half)


def agree(one: Side, other: Side) -> bool:
    """Whether each side reads all that the other writes, with equal values of the fields that both
    have."""
    return _reads(one, other) and _reads(other, one) and _names_agree(one, other)


def _reads(writer: Side, reader: Side) -> bool:
    for value, body in writer.sent:
        try:
            read = decode(reader.shape, body)
        except RefusedError:
            return False
        if not _equal(writer.shape, value, reader.shape, read):
            return False
    return True


def _equal(writer: Shape, sent: Value, reader: Shape, read: Value) -> bool:
    if len(writer) != len(reader):
        return False
    return all(map(_item_equal, writer, sent, reader, read))


def _item_equal(first: Slot, sent: Value, second: Slot, read: Value) -> bool:
    # Numbers of two signs, and text and bytes of one length prefix, are different values.
    if (first.kind, first.array) != (second.kind, second.array):
        return False
    if first.kind == END:
        return all(
            _item_equal(first.tagged[tag], sent[tag], second.tagged[tag], read[tag])
            for tag in first.tagged.keys() & second.tagged.keys()
        )
    if sent is None or read is None:
        return sent is read
    if first.inside is None or second.inside is None:
        return bool(sent == read)
    if not first.array:
        return _equal(first.inside, sent, second.inside, read)
    return len(sent) == len(read) and all(
        _equal(first.inside, a, second.inside, b) for a, b in zip(sent, read, strict=True)
    )


def _names_agree(one: Side, other: Side) -> bool:
    """Whether names that both carry have one place, and fields that both lack one value."""
    first, second = _carried(one.shape), _carried(other.shape)
    if any(second[name] != at for name, at in first.items() if name in second):
        return False
    spans = _spans(first), _spans(second)
    if any(spans[0][name].isdisjoint(spans[1][name]) for name in spans[0].keys() & spans[1].keys()):
        return False
    lacking = _lacking(one.spec), _lacking(other.spec)
    for name in lacking[0].keys() & lacking[1].keys():
        (kind, value), (other_kind, other_value) = lacking[0][name], lacking[1][name]
        if kind == other_kind and value != other_value:
            return False
    for sent, received, absent in ((first, second, lacking[1]), (second, first, lacking[0])):
        if any(
            "#" in at and at not in received.values() and name in absent
            for name, at in sent.items()
        ):
            return False
    return True


def _carried(of: Shape) -> dict[tuple[str, ...], str]:
    """The places of the fields that a version carries, by name; those of dissolving structs,
    too."""
    places: dict[tuple[str, ...], str] = {}
    for index, slot in enumerate(of):
        if slot.kind != END:
            places[slot.path] = str(index)
        for tag, item in slot.tagged.items():
            places[*slot.path, item.name] = f"{index}#{tag}"
    return places


def _spans(carried: dict[tuple[str, ...], str]) -> dict[str, set[str]]:
    """The places of the fields at the top, those of structs that dissolve included: of all in
    them."""
    spans: dict[str, set[str]] = {}
    for name, at in carried.items():
        spans.setdefault(name[0], set()).add(at)
    return spans


def _lacking(spec: Spec) -> dict[tuple[str, ...], tuple[object, object]]:
    """The fields that the version lacks and another one has: what they hold, and their defaults."""
    found: dict[tuple[str, ...], tuple[object, object]] = {}

    def walk(fields: Sequence[Spec], above: tuple[str, ...], is_carried: bool) -> None:
        for field in fields:
            name = (*above, field["name"])
            carried = is_carried and VERSION in present(field)
            inside = fields_inside(spec, field)
            if not carried and not present(field).meets(valid(spec)).empty:
                kind = "struct" if inside is not None else KINDS[element(field)]
                known = "integer" if kind in WIDTHS else kind
                found[name] = ((known, is_array(field)), field.get("default", ""))
            nullable = "nullableVersions" in field
            if inside is not None and not is_array(field) and not nullable and "tag" not in field:
                walk(inside, name, carried)

    walk(spec["fields"], (), True)
    return found


class Outcome(NamedTuple):
    """How many pairs were judged, how many break, and those on which the judges differ."""

    pairs: int
    breaking: int
    differing: tuple[tuple[Spec, Spec, bool], ...]


def compared(sides: Sequence[Side], pairs: Iterator[tuple[int, int]]) -> Outcome:
    """Judge pairs of messages both ways."""
    count = breaking = 0
    differing: list[tuple[Spec, Spec, bool]] = []
    for first, second in pairs:
        one, other = sides[first], sides[second]
        count += 1
        truth = agree(one, other)
        breaking += not truth
        verdict = not any(map(_is_in_bytes, differences(one.form, other.form)))
        if truth != verdict and len(differing) < 20:
            differing.append((one.spec, other.spec, truth))
    return Outcome(count, breaking, tuple(differing))


def _is_in_bytes(difference: Difference) -> bool:
    """Whether a difference is more than another name of a tag, which no byte shows."""
    is_sent = difference.base.carried is not None and difference.head.carried is not None
    return difference.rule != "tag-reused" or not is_sent


def pairs_of(count: int, share: int) -> Iterator[tuple[int, int]]:
    """One of `share` pairs of so many messages; with 1, each pair once."""
    chosen = random.Random("pairs of small messages")
    for first in range(count):
        for second in range(first, count):
            if share == 1 or not chosen.randrange(share):
                yield first, second
