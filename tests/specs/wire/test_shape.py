"""Names that no field of a version has: what is suggested, and what may be dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import WireError
from wirebook.specs.wire.shape import UNKNOWN, no_such_field


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("Nmae", ["Name"], "Nmae: there is no such field; did you mean Name?"),
        (
            "Nam",
            ["Other", "Name", "Names", "Named"],
            "Nam: there is no such field; did you mean Name or Names?",
        ),
        ("Qux", ["Name"], "Qux: there is no such field"),
        (7, ["Name"], "7: there is no such field"),
        ("x" * 81, [], f"{'x' * 80}: there is no such field"),
    ],
)
def test_at_most_two_names_are_suggested(name: object, known: list[str], words: str) -> None:
    assert str(no_such_field(name, known)) == words


SHAPE = message(
    field("Here", "int8"),
    field("Gone", "int8", "0", default="3"),
    field("Lost", "int8", "0", ignorable=True),
    field("Held", "Held", "0", fields=[
        field("A", "int8", "0", default="5"),
        field("In", "In", "0", fields=[field("B", "string", "0")]),
    ]),
    field("Maybe", "Held2", "0", nullableVersions="0", default="null", fields=[field("A", "int8", "0")]),
    field("Rate", "float64", "0"),
    field("Rows", "[]int8", "0"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "is_default"),
    [
        ({"Gone": 3}, True), ({"Gone": 0}, False), ({"Gone": 3.0}, False), ({"Lost": 9}, True),
        ({"Held": {}}, True), ({"Held": {"A": 5, "In": {"B": ""}}}, True), ({"Held": {"A": 4}}, False),
        ({"Held": {"In": {"B": "x"}}}, False), ({"Held": {"C": 0}}, False), ({"Held": {"In": None}}, False),
        ({"Held": {UNKNOWN: []}}, True), ({"Held": {UNKNOWN: [{"tag": 1, "data": ""}]}}, False),
        ({"Held": []}, False), ({"Maybe": None}, True), ({"Maybe": {}}, False), ({"Maybe": {"A": 0}}, False),
        ({"Rate": 0}, True), ({"Rate": -0.0}, True), ({"Rate": False}, False), ({"Rate": 1}, False),
        ({"Rows": []}, True), ({"Rows": [1]}, False), ({"Rows": None}, False),
    ],
)  # fmt: skip
def test_only_a_default_or_an_ignorable_field_is_dropped(value: dict[str, Any], is_default: bool) -> None:
    made = codec(layout(SHAPE, 1))
    if is_default:
        assert made.encode(value) == made.encode({})
    else:
        (name,) = value
        with pytest.raises(WireError) as caught:
            made.encode(value)
        assert str(caught.value) == (
            f"{name}: this version does not have it (versions 0), and it is not ignorable"
        )


def test_a_name_that_versions_have_for_two_structs_is_that_of_the_version() -> None:
    """The format refuses such a spec as a whole; each of its versions can be written nevertheless."""
    spec = message(
        field("Rows", "[]S", "1+", fields=[field("In", "[]T", "1+", fields=[field("A", "int8", "1+")])]),
        field("Rows", "[]R", "0", fields=[field("B", "int8", "0")]),
    )
    value = {"Rows": [{"In": [{"A": 7}]}]}
    assert codec(layout(spec, 1)).decode(codec(layout(spec, 1)).encode(value)) == value


def test_a_tagged_struct_has_the_default_that_its_fields_have_in_the_version() -> None:
    """Of two fields with one name, that of another version says nothing."""
    inside = field("A", "int8", "0-1", default="3"), field("A", "int8", "2+")
    spec = message(field("In", "In", "0+", fields=list(inside), taggedVersions="0+", tag=0))
    for version, default in ((1, 3), (2, 0)):
        made = codec(layout(spec, version))
        assert [made.encode({"In": {"A": value}}) == b"\0" for value in (3, 0)] == [
            default == 3,
            default == 0,
        ]
