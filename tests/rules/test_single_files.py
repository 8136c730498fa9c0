"""Rules on single files: limits, names, tags that fields share."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.released import Baseline
from wirebook.specs.model import PRIMITIVES, Message, Protocol


def spec(*fields: dict[str, Any], **keys: Any) -> Message:
    top = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2"}
    text = {**top, "flexibleVersions": "0+", "fields": list(fields), **keys}
    return read_kafka(json.dumps(text), "FooRequest.json", strict=False)


def f(kind: str, name: str = "A", **keys: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "versions": "0+", **keys}


def said(message: Message, *names: str) -> list[tuple[str, str]]:
    """The rule and the advice of each finding, of some rules only if these are named."""
    found = check(None, Protocol((message,)), together=False)
    return [(item.rule, item.fix) for item in found if not names or item.rule in names]


@pytest.mark.parametrize("kind", ["int32le", "int64_LE", "leUint16", "[]int32le"])
def test_another_byte_order_is_no_misspelling(kind: str) -> None:
    ((_, fix),) = said(spec(f(kind)), "unknown-type")
    assert "wirebook explain format" in fix


@pytest.mark.parametrize(
    ("sibling", "advised"), [("satelliteId", "azimuthMdeg"), ("SatelliteId", "AzimuthMdeg")]
)
def test_a_bad_name_becomes_one_like_its_siblings(sibling: str, advised: str) -> None:
    told = said(spec(f("int8", sibling), f("int8", "azimuth_mdeg")), "bad-name")
    assert told == [("bad-name", f'write "{advised}"')]


def structs(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "versions": "0+", "fields": [f("int8")]} for name in names]


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        *((kind, []) for kind in PRIMITIVES if kind != "records"),
        ("Foo", ["unknown-struct"]),
        ("[]Foo", ["unknown-struct"]),
        ("foo", ["unknown-type"]),
        ("Foo-Bar", ["unknown-type"]),
        ("Foo Bar", ["unknown-type"]),
        ("int-32", ["unknown-type"]),
        ("Ünit", ["unknown-type"]),
        ("[][]int8", ["unknown-type"]),
    ],
)
def test_a_type_is_a_primitive_or_the_name_of_a_struct(kind: str, rules: list[str]) -> None:
    assert [name for name, _ in said(spec(f(kind)))] == rules


@pytest.mark.parametrize(
    ("known", "kind", "fix"),
    [
        ((), "Foo", "define the struct"),
        (("Bar",), "Foo", "define the struct, or write one of Bar"),
        (("Food", "Bar"), "Foo", 'define the struct, or write "Food"'),
        (("Bar", "Qux"), "Foo", "define the struct, or write one of Bar, Qux"),
        (("Bar",), "Int", 'write "int32", or define the struct'),
        (("Bar",), "[]String", 'write "[]string", or define the struct'),
    ],
)
def test_an_unknown_struct_is_told_with_what_is_like_it(known: tuple[str, ...], kind: str, fix: str) -> None:
    message = spec(f(kind), *(f(name, f"U{name}") for name in known), commonStructs=structs(*known))
    told = said(message, "unknown-struct")
    assert told == [("unknown-struct", fix)]


@pytest.mark.parametrize(("number", "fix"), [(100, 'write "S0"'), (101, "name one of commonStructs")])
def test_many_structs_are_not_compared_with_an_unknown_name(number: int, fix: str) -> None:
    names = [f"S{each}" for each in range(number)]
    message = spec(f("S00"), *(f(name, f"U{name}") for name in names), commonStructs=structs(*names))
    ((_, told),) = said(message, "unknown-struct")
    assert told == f"define the struct, or {fix}"


def test_an_unknown_struct_is_reported_once_with_its_versions() -> None:
    assert [name for name, _ in said(spec(f("Foo"), f("Foo", "B"), f("[]Foo", "C")))] == ["unknown-struct"]
    common = [{"name": "Some", "versions": "1+", "fields": [f("int8")]}]
    (told,) = check(None, Protocol((spec(f("Some"), f("Some", "B"), commonStructs=common),)), together=False)
    assert (told.rule, told.field) == ("unknown-struct", "A")
    assert "A is of type Some in version 0 too, where Some does not exist" in told.message
    inside = f("Own", fields=[f("int8", "X")])
    (told,) = check(None, Protocol((spec(inside, f("[]Own", "B")),)), together=False)
    assert (told.field, told.fix) == ("B", "move Own to commonStructs")
    assert "which only A defines" in told.message


def tagged(name: str, tag: int) -> dict[str, Any]:
    return f("int8", name, taggedVersions="0+", tag=tag)


@pytest.mark.parametrize(
    ("released", "fields", "newer"),
    [
        (None, ["A", "B"], ["B"]),
        (None, ["A", "B", "C"], ["B", "C"]),
        ("A", ["A", "B"], ["B"]),
        ("B", ["A", "B"], ["A"]),
        ("C", ["A", "B"], ["B"]),
    ],
)
def test_of_fields_that_share_a_tag_the_released_one_keeps_it(
    released: str | None, fields: list[str], newer: list[str]
) -> None:
    new = Protocol((spec(*(tagged(name, 0) for name in fields)),))
    old = Protocol((spec(*([] if released is None else [tagged(released, 0)])),))
    baseline = () if released is None else (Baseline("1.0", old),)
    found = [item for item in check(old, new, baseline, together=False) if item.rule == "duplicate-tag"]
    expected = [f"give {name} the next free tag, {tag}" for tag, name in enumerate(newer, 1)]
    assert [item.fix for item in found] == expected
