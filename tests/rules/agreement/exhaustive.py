"""All pairs of small messages, judged by the relation and by an encoder and a reader written apart from it.

A message has up to two fields, each in one of the states that a field can have in a version: carried
untagged, carried under a tag, lacking, or lacking with a tag that readers reject. Every value of a small
domain is encoded by one side and decoded by the other (`tests.prove.codec`), both ways. For all pairs:

    python -m tests.rules.agreement.exhaustive --jobs 2
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from tests.prove.codec import RefusedError, Value, decode, encode
from tests.prove.shapes import (
    KINDS,
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
from wirebook.rules.agreement.forms import Form, form_of
from wirebook.rules.agreement.relation import disagreements
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout

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
            found += [{**kind, "versions": "1+", "taggedVersions": "1+", "tag": tag} for kind in kinds]
    return found


def messages() -> list[Spec]:
    """All messages with up to two fields in these states."""
    found: list[Spec] = []
    for flexible in ("2+", "1+"):
        of_fields = states(flexible == "1+")
        found.append(_message(flexible))
        found += [_message(flexible, {"name": name, **state}) for name in "AB" for state in of_fields]
        for names in ("AB", "BA", "AC"):
            for one, other in itertools.product(of_fields, of_fields):
                if one.get("tag") is None or one.get("tag") != other.get("tag"):
                    found.append(_message(flexible, {"name": names[0], **one}, {"name": names[1], **other}))
    return found


def _message(flexible: str, *fields: Spec) -> Spec:
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
    form: Form
    shape: Shape
    sent: tuple[tuple[Value, bytes], ...]


def side(spec: Spec) -> Side:
    """A message, with all its values and their bytes."""
    text = json.dumps(spec).encode()
    form = form_of(layout(read_message(text, "SmallValue.json"), VERSION))
    of_version = shape(spec, VERSION)
    sent = tuple((value, encode(of_version, value)) for value in _structs(of_version))
    return Side(spec, form, of_version, sent)


def _structs(of: Shape) -> Iterator[Value]:
    tags = sorted(of.tagged)
    fields = [list(_values(slot)) for slot in of.fields]
    tagged = [[of.tagged[tag].nothing, *_values(of.tagged[tag])] for tag in tags]
    for values in itertools.product(*fields, *tagged):
        yield values[: len(fields)], dict(zip(tags, values[len(fields) :], strict=True))


def _values(slot: Slot) -> Iterator[Value]:
    """The values of a field: two that are not null, and null where it may be."""
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
        yield 0
        yield (1 << int(slot.kind[3:]) - 1) + 7


def agree(one: Side, other: Side) -> bool:
    """Whether each side reads all that the other writes, with equal values of the fields that both have."""
    return (
        _reads(one, other)
        and _reads(other, one)
        and _signs(one.spec, one.shape) == _signs(other.spec, other.shape)
        and _names_agree(one, other)
    )


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
    first, second = list(_leaves(writer, sent)), list(_leaves(reader, read))
    if len(first) != len(second):
        return False
    return all(_leaf_equal(*pair) for pair in zip(first, second, strict=True))


def _leaf_equal(one: tuple[Slot | Shape, Value], other: tuple[Slot | Shape, Value]) -> bool:
    (first, sent), (second, read) = one, other
    if isinstance(first, Shape) or isinstance(second, Shape):
        if not (isinstance(first, Shape) and isinstance(second, Shape)):
            return False
        return all(
            _equal(
                _alone(first.tagged[tag]), ((sent[tag],), {}), _alone(second.tagged[tag]), ((read[tag],), {})
            )
            for tag in first.tagged.keys() & second.tagged.keys()
        )
    if sent is None or read is None:
        return sent is read
    if first.array != second.array or (first.kind == "struct") != (second.kind == "struct"):
        return False
    if first.array:
        assert first.inside is not None
        assert second.inside is not None
        return len(sent) == len(read) and all(
            _equal(first.inside, a, second.inside, b) for a, b in zip(sent, read, strict=True)
        )
    if first.kind == "struct":
        assert first.inside is not None
        assert second.inside is not None
        return _equal(first.inside, sent, second.inside, read)
    # Text and bytes of one length prefix are different values.
    return first.kind == second.kind and bool(sent == read)


def _alone(slot: Slot) -> Shape:
    return Shape((slot,), {}, False, frozenset())


def _leaves(of: Shape, value: Value) -> Iterator[tuple[Slot | Shape, Value]]:
    """The values in the order of the wire; a struct that is never null is those of its fields."""
    for slot, item in zip(of.fields, value[0], strict=True):
        if slot.kind == "struct" and not slot.array and not slot.nullable:
            assert slot.inside is not None
            yield from _leaves(slot.inside, item)
        else:
            yield slot, item
    if of.section:
        yield of, value[1]


def _signs(spec: Spec, of: Shape) -> list[tuple[str, bool]]:
    """Which numbers are unsigned, in order: the bits of a number do not show it."""
    carried = [slot.path[0] for slot in of.fields]
    unsigned = {field["name"] for field in spec["fields"] if str(field["type"]).startswith("uint")}
    return [(str(index), name in unsigned) for index, name in enumerate(carried) if name in unsigned]


def _names_agree(one: Side, other: Side) -> bool:
    """Whether names that both carry have one place, and fields that both lack one value."""
    first, second = _carried(one.shape, ()), _carried(other.shape, ())
    if any(second[name] != at for name, at in first.items() if name in second):
        return False
    spans = _spans(one.shape), _spans(other.shape)
    if any(spans[0][name].isdisjoint(spans[1][name]) for name in spans[0].keys() & spans[1].keys()):
        return False
    lacking = _lacking(one.spec), _lacking(other.spec)
    for name in lacking[0].keys() & lacking[1].keys():
        (kind, value), (other_kind, other_value) = lacking[0][name], lacking[1][name]
        if kind == other_kind and value != other_value:
            return False
    for sent, received, absent in ((first, second, lacking[1]), (second, first, lacking[0])):
        if any(at[0] == "#" and at not in received.values() and name in absent for name, at in sent.items()):
            return False
    return True


def _carried(of: Shape, above: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """The places of the fields that a version carries, by name; those of dissolving structs, too."""
    places: dict[tuple[str, ...], str] = {}
    leaves = list(_line(of, above))
    for index, (name, _) in enumerate(leaves):
        if name:
            places[name] = str(index)
    for tag, slot in of.tagged.items():
        places[slot.path] = f"#{tag}"
    return places


def _spans(of: Shape) -> dict[str, set[str]]:
    """The places of the fields at the top, those of structs that dissolve included: of all in them."""
    spans: dict[str, set[str]] = {}
    for index, (name, slot) in enumerate(_line(of, ())):
        if slot is not None:
            spans.setdefault(name[0], set()).add(str(index))
    for tag, slot in of.tagged.items():
        spans.setdefault(slot.path[0], set()).add(f"#{tag}")
    return spans


def _line(of: Shape, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Slot | None]]:
    for slot in of.fields:
        if slot.kind == "struct" and not slot.array and not slot.nullable:
            assert slot.inside is not None
            yield from _line(slot.inside, (*above, *slot.path))
        else:
            yield (*above, *slot.path), slot
    if of.section:
        yield (), None


def _lacking(spec: Spec) -> dict[tuple[str, ...], tuple[object, object]]:
    """The fields that the version lacks and another one has: what they hold, and their defaults."""
    found: dict[tuple[str, ...], tuple[object, object]] = {}

    def walk(fields: Sequence[Spec], above: tuple[str, ...], is_carried: bool) -> None:
        for field in fields:
            name = (*above, field["name"])
            carried = is_carried and VERSION in present(field)
            inside = fields_inside(spec, field)
            if not carried and not present(field).meets(valid(spec)).empty:
                kind = ("struct" if inside is not None else KINDS[element(field)], is_array(field))
                found[name] = (kind, field.get("default", ""))
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
        verdict = next(disagreements(one.form, other.form), None) is None
        if truth != verdict and len(differing) < 20:
            differing.append((one.spec, other.spec, truth))
    return Outcome(count, breaking, tuple(differing))


def _job(number: int, jobs: int, share: int) -> Outcome:
    sides = [side(spec) for spec in messages()]
    return compared(sides, pairs_of(len(sides), share, number, jobs))


def pairs_of(count: int, share: int = 1, number: int = 0, jobs: int = 1) -> Iterator[tuple[int, int]]:
    """Each pair of messages once, or one of `share` of them; those of one of several jobs."""
    chosen = random.Random(f"pairs of small messages {number}")
    for first in range(number, count, jobs):
        for second in range(first, count):
            if share == 1 or not chosen.randrange(share):
                yield first, second


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge all pairs in several processes; 1 if the judges differ on one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--share", type=int, default=1, help="judge one of so many pairs")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(_job, number, options.jobs, options.share) for number in range(options.jobs)]
        outcomes = [job.result() for job in jobs]
    differing = [pair for outcome in outcomes for pair in outcome.differing]
    pairs = sum(outcome.pairs for outcome in outcomes)
    breaking = sum(outcome.breaking for outcome in outcomes)
    print(f"{pairs:,} pairs, {breaking:,} of them break peers; {len(differing)} disagreements; ", end="")
    print(f"{time.monotonic() - began:.0f} s")
    for one, other, truth in differing[:5]:
        print(json.dumps(one), json.dumps(other), "agree" if truth else "disagree", sep="\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
