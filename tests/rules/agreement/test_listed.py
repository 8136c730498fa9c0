"""The values that specs list for a field, of a release, the old side and the new side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.kafka import EXAMPLES
from tests.rules.listed_values import FAST, SAFE, field, spec, value
from wirebook.rules.engine import check
from wirebook.rules.pairs.tables import Tables, TablesPair
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message
from wirebook.specs.reading.tables.values import read_values


def struct(type_: str, versions: str, *fields: dict[str, Any], name: str = "S") -> dict[str, Any]:
    return {"name": name, "type": type_, "versions": versions, "about": "It.", "fields": list(fields)}


def at(versions: str, *values: dict[str, object], name: str = "Mode") -> dict[str, Any]:
    return {**field(*values, name=name), "versions": versions}


def request(key: int, *fields: dict[str, Any], name: str = "FooRequest", **more: object) -> dict[str, Any]:
    return {**spec(*fields, name=name), "type": "request", "apiKey": key, **more}


def response(key: int, name: str = "FooResponse", **more: object) -> dict[str, Any]:
    return {**spec(name=name), "type": "response", "apiKey": key, **more}


REUSED = [("value-reused", "error", "v1.0.0")]
FAIR = value(1, "fair")
MODE, OTHER, KIND = field(SAFE, FAST), field(SAFE, FAIR), field(SAFE, FAST, name="Kind")
RENAMED = field(SAFE, FAIR, name="Kind")
FLAGS = field({"bit": 0, "name": "urgent"}, {"bit": 1, "name": "durable"}, key="flags")  # the numbers 1 and 2
VALUES = field(value(0, "idle"), value(1, "urgent"), value(2, "durable"), value(3, "cancel"))
OLD = {"deprecatedVersions": "0"}
REMOVED = [("value-removed", "error", "v1.0.0")]


def tag(number: int) -> dict[str, Any]:
    return {"taggedVersions": "0+", "tag": number}


# The released specs, those of the old side, those of the new side, and the findings on values.
Specs = list[dict[str, Any]]
HISTORIES: dict[str, tuple[Specs, Specs, Specs, Sequence[tuple[str, str, str | None]]]] = {
    "a field is renamed, and its list dropped": (
        [spec(MODE)], [spec(MODE)], [spec(field(name="Kind"))], REMOVED),
    "a field is renamed twice, and listed again": (
        [spec(MODE)], [spec(field(name="Kind"))], [spec(field(SAFE, FAIR, name="Sort"))], REUSED),
    "a field is renamed, and moves into a struct": (
        [spec(MODE)], [spec(MODE)], [spec(struct("S", "0+", field(SAFE, FAIR, name="Kind")))], REUSED),
    "a field moves into a struct, in an array that becomes nullable": (
        [spec(struct("[]L", "0+", MODE, name="L"))], [spec(struct("[]L", "0+", MODE, name="L"))],
        [spec({**struct("[]L", "0+", struct("T", "0+", RENAMED), name="L"), "nullableVersions": "0+"})],
        REUSED),
    "a field moves into a struct, in a nullable struct": (
        [spec({**struct("A", "0+", MODE), "nullableVersions": "0+"})],
        [spec({**struct("A", "0+", MODE), "nullableVersions": "0+"})],
        [spec({**struct("A", "0+", struct("T", "0+", RENAMED)), "nullableVersions": "0+"})], REUSED),
    "a field is sent in one more version, with other values there": (
        [spec(at("0", SAFE, FAST), top=1)], [spec(at("0", SAFE, FAST), top=1)],
        [spec(at("0+", SAFE, value(1, "fast", versions="0"), value(1, "fair", versions="1+")), top=1)], []),
    "a nullable struct takes the place of a field": (
        [spec(MODE)], [spec(MODE)],
        [spec({**struct("A", "0+", field(SAFE, FAIR, name="Kind")), "nullableVersions": "0+"})], []),
    "an array takes the place of a field": (
        [spec(MODE)], [spec(MODE)], [spec({**RENAMED, "type": "[]int8"})], []),
    "numbers of another width take the place of a field": (
        [spec(MODE)], [spec(MODE)], [spec({**RENAMED, "type": "int16"})], []),
    "an array of numbers becomes one of structs": (
        [spec({**MODE, "type": "[]int8"})], [spec({**MODE, "type": "[]int8"})],
        [spec(struct("[]L", "0+", RENAMED, name="L"))], REUSED),
    "an array of structs of two fields becomes one of numbers": (
        [spec(struct("[]L", "0+", MODE, KIND, name="L"))], [spec(struct("[]L", "0+", MODE, KIND, name="L"))],
        [spec({**RENAMED, "type": "[]int8"})], []),
    "the second of two fields is renamed, behind one in a struct": (
        [spec(field(name="A"), MODE)], [spec(field(name="A"), MODE)],
        [spec(struct("S", "0+", field(name="B")), RENAMED)], REUSED),
    "the struct around a field ends, and another field is added": (
        [spec(struct("S", "0+", MODE), field(name="B"), flexibleVersions="0+")],
        [spec(struct("S", "0+", MODE), field(name="B"), flexibleVersions="0+")],
        [spec(RENAMED, field(name="B"), field(name="C"), flexibleVersions="0+")], []),
    "two tagged fields get other names": (
        [spec(MODE | tag(0), field(name="Other") | tag(1), flexibleVersions="0+")],
        [spec(MODE | tag(0), field(name="Other") | tag(1), flexibleVersions="0+")],
        [spec(RENAMED | tag(1), field(name="Sort") | tag(0), flexibleVersions="0+")], REMOVED),
    "a tagged struct gets another name, and its field too": (
        [spec(struct("A", "0+", MODE) | tag(0), flexibleVersions="0+")],
        [spec(struct("A", "0+", MODE) | tag(0), flexibleVersions="0+")],
        [spec(struct("B", "0+", RENAMED, name="T") | tag(0), flexibleVersions="0+")], REUSED),
    "an array of structs becomes one of numbers": (
        [spec(struct("[]S", "0+", MODE))], [spec(struct("[]S", "0+", MODE))],
        [spec({**field(SAFE, FAIR, name="S"), "type": "[]int8"})], REUSED),
    "another field gets the former name": (
        [spec(MODE)], [spec(KIND)],
        [spec(field(SAFE, FAIR, name="Kind"), at("1+", SAFE, FAST), top=1)], REUSED),
    "another message gets the former name": (
        [request(1, MODE), response(1)],
        [request(1, MODE, name="BarRequest"), response(1, "BarResponse")],
        [request(1, OTHER, name="BarRequest"), response(1, "BarResponse"), request(2, MODE), response(2)],
        REUSED),
    "a struct ends before a version": (
        [spec(struct("A", "0+", MODE), top=1)], [spec(struct("A", "0+", MODE), top=1)],
        [spec(struct("A", "0", MODE), struct("B", "1+", OTHER, name="S2"), top=1)], REUSED),
    "two structs of one name": (
        [spec(struct("A", "0", MODE), struct("B", "1+", MODE), top=1)],
        [spec(struct("A", "0", MODE), struct("B", "1+", MODE), top=1)],
        [spec(struct("A", "0", MODE), struct("B", "1+", OTHER), top=1)], REUSED),
    "a deleted message returns": (
        [request(1, MODE, **OLD), response(1, **OLD)], [], [request(1, OTHER), response(1)], REUSED),
    "flags become values": ([spec(FLAGS)], [spec(FLAGS)], [spec(VALUES)], REUSED),
    "values become flags": ([spec(VALUES)], [spec(VALUES)], [spec(FLAGS)], [*REMOVED, *REMOVED, *REUSED]),
    "the highest bit becomes a number, which is negative": (
        [spec(field({"bit": 7, "name": "urgent"}, key="flags"))],
        [spec(field({"bit": 7, "name": "urgent"}, key="flags"))], [spec(field(value(-128, "fair")))], REUSED),
    "flags become values after their list was dropped": (
        [spec(FLAGS)], [spec(field())], [spec(VALUES)], REUSED),
    "a value is several of the flags that were there": (
        [spec(FLAGS)], [spec(field(value(1, "urgent"), value(2, "durable")))],
        [spec(field(value(1, "urgent"), value(2, "durable"), value(3, "cancel")))], REUSED),
    "each flag becomes a value": (
        [spec(FLAGS)], [spec(FLAGS)], [spec(field(value(1, "urgent"), value(2, "durable")))], []),
    "flags return": ([spec(FLAGS)], [spec(VALUES)], [spec(FLAGS)], []),
    "the struct around is renamed": (
        [spec(struct("A", "0+", MODE))], [spec(struct("A", "0+", MODE))],
        [spec(struct("A", "0+", MODE, name="T"))], []),
    "a field moves into a struct": (
        [spec(MODE)], [spec(MODE)], [spec(struct("A", "0+", MODE))], []),
    "a field is split at a version": (
        [spec(MODE, top=1)], [spec(MODE, top=1)],
        [spec(at("0", SAFE, FAST), at("1+", SAFE, FAST, name="Kind"), top=1)], []),
    "a field is renamed, and an element has its former name": (
        [spec(MODE)], [spec(MODE)],
        [spec(KIND, struct("[]L", "1+", at("1+", SAFE, FAST), name="L"), top=1)], []),
}  # fmt: skip


def side(specs: Specs) -> Protocol:
    return Protocol.of(
        [read_message(json.dumps(each), f"{each['name']}.json", profile=EXAMPLES) for each in specs]
    )


@pytest.mark.parametrize("history", HISTORIES)
def test_a_field_is_the_one_at_its_place_on_the_wire(history: str) -> None:
    *sides, expected = HISTORIES[history]
    release, old, new = map(side, sides)
    findings = check(old, new, [Baseline("v1.0.0", release)])
    of_values = [
        (each.rule, each.severity.value, each.released_in)
        for each in findings
        if each.rule.startswith("value-")
    ]
    assert sorted(of_values) == sorted(expected)


def test_the_first_of_two_lists_that_end_is_shown() -> None:
    before = spec(at("0", SAFE, FAST), at("1+", SAFE, FAST, name="Kind"), top=1)
    findings = check(side([before]), side([spec(field(name="Sort"), top=1)]))
    (removed,) = (each for each in findings if each.rule == "value-removed")
    assert removed.versions.text == "0-1"
    assert removed.previous is not None
    assert removed.previous.column == json.dumps(before).index('[{"value"') + 1


def table(release: str = "", **names: str) -> Tables:
    """A table in which 1 has a name, for each field (a path with underscores)."""
    sets = [
        {
            "fields": [f"FooData.{path.replace('_', '.')}"],
            "values": [{"value": 1, "name": name, "meaning": "It."}],
        }
        for path, name in names.items()
    ]
    text = json.dumps({"schema": "wirebook/values/1", "sets": sets})
    return Tables(None, read_values(text, "values.json"), {"values": "values.json"}, release)


def of_values(old: Specs, new: Specs, before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    """The rule and the versions of each finding on values, with tables; the old side is released."""
    tables = TablesPair(table(**before), table(**after), (table("v1.0.0", **before),))
    findings = check(side(old), side(new), [Baseline("v1.0.0", side(old))], tables=[tables])
    return [(each.rule, each.versions.text) for each in findings if each.rule.startswith("value-")]


def test_a_table_counts_in_the_versions_that_send_the_field() -> None:
    specs = [spec(at("1-2"), top=4)]
    assert of_values(specs, specs, {"Mode": "fast"}, {"Mode": "fair"}) == [("value-reused", "1-2")]


def test_renamed_arrays_of_a_shared_struct_keep_their_order_behind_what_is_misread() -> None:
    def arrays(*names: str) -> list[dict[str, Any]]:
        return [{"name": name, "type": "[]S", "versions": "0+"} for name in names]

    shared: dict[str, Any] = {"commonStructs": [{"name": "S", "versions": "0+", "fields": [field()]}]}
    old = [spec(*arrays("A", "B"), **shared)]
    new = [spec(field(name="X"), *arrays("C", "D"), **shared)]
    before = {"A_Mode": "fast", "B_Mode": "slow"}
    assert of_values(old, new, before, {"C_Mode": "fast", "D_Mode": "slow"}) == []
    assert of_values(old, new, before, {"C_Mode": "slow", "D_Mode": "fast"}) == 2 * [("value-reused", "0")]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_message_that_uses_a_table_of_its_own_has_no_other_values(is_first: bool) -> None:
    own = TablesPair(table(Mode="fast"), table(Mode="fair"), moved=frozenset({"FooData"}))
    others = TablesPair(table(Mode="fast"), table(Mode="fast"))
    specs = side([spec(field())])
    findings = check(specs, specs, tables=[own, others] if is_first else [others, own])
    assert [each.rule for each in findings] == ["value-reused"]
