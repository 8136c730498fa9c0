"""What the relation reports for two layouts, and where."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tests.rules.agreement.pairs import PAIRS, S, Spec, X, Y, field, tagged
from wirebook.rules.agreement.forms import WireForm, form_of
from wirebook.rules.agreement.relation import Disagreement, Kind, Side, WriterSide, brought, disagreements
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout


def form(*fields: Spec, version: int = 1, flexible: str = "0+", **keys: Any) -> WireForm:
    spec = {
        "type": "data",
        "name": "AValue",
        "validVersions": "0-3",
        "flexibleVersions": flexible,
        "fields": list(fields),
        **keys,
    }
    return form_of(layout(read_message(json.dumps(spec).encode(), "AValue.json"), version))


def words(found: list[Disagreement]) -> list[str]:
    """Each disagreement on a line: kind, writer, and the paths of both sides."""
    return [f"{each.kind.value} {each.writer.value} {each.first.path}/{each.second.path}" for each in found]


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_where_two_specs_disagree(first: list[Spec], second: list[Spec], expected: list[str]) -> None:
    assert words(list(disagreements(form(*first), form(*second)))) == expected


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_the_relation_is_symmetric(first: list[Spec], second: list[Spec], expected: list[str]) -> None:
    turned = {"first": "second", "second": "first", "both": "both"}
    found = list(disagreements(form(*second), form(*first)))
    swapped = [
        each._replace(
            writer=type(each.writer)(turned[each.writer.value]), first=each.second, second=each.first
        )
        for each in found
    ]
    assert sorted(words(swapped)) == sorted(expected)


def test_borders_of_structs_are_not_on_the_wire() -> None:
    inside = form(S, Y, flexible="none")
    outside = form(field("A"), field("B", "string"), Y, flexible="none")
    assert list(disagreements(inside, outside)) == []
    # Each struct has a tagged section in flexible versions.
    assert words(list(disagreements(form(S, Y), form(*S["fields"], Y)))) == ["length both S/Y"]


def test_a_version_that_is_flexible_on_one_side_only() -> None:
    flexible, other = form(X), form(X, flexible="none")
    assert words(list(disagreements(flexible, other))) == ["flexible both /"]
    assert words(list(disagreements(other, flexible))) == ["flexible both /"]
    # Whatever else there is in the place of the tagged section, that is the reason.
    longer = form(X, Y, flexible="none")
    assert words(list(disagreements(flexible, longer))) == ["flexible both /Y"]
    assert words(list(disagreements(form(X, Y), other))) == ["flexible both Y/"]
    assert words(list(disagreements(form(X, Y), form(X)))) == ["length both Y/"]


def test_an_array_of_numbers_is_one_of_structs_without_sections() -> None:
    numbers = field("X", "[]int32")
    structs = field("X", "[]S0", fields=[field("N")])
    assert list(disagreements(form(numbers, flexible="none"), form(structs, flexible="none"))) == []


def test_another_header() -> None:
    keys: Spec = {"type": "request", "apiKey": 1, "name": "ARequest", "headerVersions": {"0+": 1}}
    one = form(X, **keys)
    other = form(X, **{**keys, "headerVersions": {"0+": 2}})
    assert (one.header[1], other.header[1]) == (1, 2)
    assert words(list(disagreements(one, other))) == ["header both /"]


NUMBERS = ("bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid")


@pytest.mark.parametrize("pair", [*itertools.combinations(NUMBERS, 2)], ids="-".join)
def test_numbers_of_one_width_leave_what_follows_at_its_place(pair: tuple[str, str]) -> None:
    sides = [form(field("X", kind)) for kind in pair]
    one, other = (len(codec(layout(side.message, 1)).encode({})) for side in sides)
    assert words(list(disagreements(*sides))) == [f"{'type' if one == other else 'length'} both X/X"]


def test_what_only_an_unstable_version_has_is_free_to_change() -> None:
    later = [field("L", versions="3+", default=default) for default in ("1", "2")]
    for is_unstable, version, expected in (
        (False, 1, ["default both L/L"]),
        (True, 1, []),
        (True, 2, []),
        (True, 3, []),
    ):
        sides = [form(each, version=version, latestVersionUnstable=is_unstable) for each in later]
        assert words(list(disagreements(*sides))) == expected
    # What stable versions have counts in the unstable one, too.
    former = [field("F", versions="0-2", default=default) for default in ("1", "2")]
    for version in (2, 3):
        sides = [form(each, version=version, latestVersionUnstable=True) for each in former]
        assert words(list(disagreements(*sides))) == ([] if version == 2 else ["default both F/F"])


def test_a_struct_at_another_place_is_where_the_first_side_has_it() -> None:
    struct = field("S", "S0", fields=[field("A"), field("B")])
    before, after = form(struct, X, Y, flexible="none"), form(X, Y, struct, flexible="none")
    for sides, place in (((before, after), "0"), ((after, before), "2")):
        (moved,) = (each for each in disagreements(*sides) if each.first.path == "S")
        assert (moved.kind, moved.place) == (Kind.NAME, (place, "S"))


def test_a_version_becomes_flexible() -> None:
    found = words(list(disagreements(form(X, flexible="none"), form(X))))
    assert found == ["flexible both /"]
    text = field("X", "string")
    assert words(list(disagreements(form(text, flexible="none"), form(text)))) == ["length both X/X"]


def test_what_the_old_side_had_is_not_brought() -> None:
    release, old = form(X, Y), form(field("X", "uint32"), Y)
    new = form(field("X", "uint32"), field("Y", "uint32"))
    before, after = disagreements(release, old), list(disagreements(release, new))
    assert words(brought(before, after)) == ["type both Y/Y"]
    assert words(brought((), after)) == ["type both X/X", "type both Y/Y"]
    assert brought(disagreements(release, old), disagreements(release, release)) == []


@pytest.mark.parametrize("inside", [field("N"), tagged("N", 0)])
def test_the_end_of_an_element_is_a_matter_of_the_field_around_it(inside: Spec) -> None:
    numbers, structs = form(field("X", "[]int32")), form(field("X", "[]S0", fields=[inside]))
    (each,) = disagreements(numbers, structs)
    assert [side.field and side.field.name for side in (each.first, each.second)] == ["X", "X"]
    assert [side.above for side in (each.first, each.second)] == ["X", "X"]


def at(kind: Kind, *place: str, writer: WriterSide = WriterSide.BOTH) -> Disagreement:
    """A disagreement in a place, of a field that both sides carry unless it is a default by name."""
    (each,) = disagreements(form(X), form(field("X", "uint32")))
    first = each.first if place[-1] != "Name" or kind is not Kind.DEFAULT else Side("Name", X_FIELD)
    return each._replace(kind=kind, writer=writer, place=place, first=first)


X_FIELD = form(X).message.fields[0]


@pytest.mark.parametrize(
    ("misread", "other", "is_hidden"),
    [
        (at(Kind.LENGTH, "1"), at(Kind.LENGTH, "1"), True),
        (at(Kind.LENGTH, "1"), at(Kind.LENGTH, "2"), True),
        (at(Kind.LENGTH, "1"), at(Kind.LENGTH, "0"), False),
        (at(Kind.LENGTH, "1"), at(Kind.TYPE, "2", "[]", "0"), True),
        (at(Kind.LENGTH, "1"), at(Kind.TYPE, "1", "0"), True),
        (at(Kind.LENGTH, "1"), at(Kind.TYPE, "0", "1"), False),
        (at(Kind.LENGTH, "9"), at(Kind.TYPE, "10"), True),
        (at(Kind.FLEXIBLE, "1"), at(Kind.TYPE, "2"), True),
        (at(Kind.NULL, "1"), at(Kind.TYPE, "2"), True),
        # A null that only one side rejects leaves both sides at the same byte.
        (at(Kind.NULL, "1", writer=WriterSide.FIRST), at(Kind.TYPE, "2"), False),
        (at(Kind.TYPE, "1"), at(Kind.TYPE, "2"), False),
        # What is after an array is not inside it.
        (at(Kind.LENGTH, "1", "[]", "0"), at(Kind.TYPE, "1", "[]", "1"), True),
        (at(Kind.LENGTH, "1", "[]", "1"), at(Kind.TYPE, "1", "[]", "0"), False),
        (at(Kind.LENGTH, "1", "[]", "0"), at(Kind.TYPE, "2"), False),
        (at(Kind.LENGTH, "1", "[]", "0"), at(Kind.TYPE, "1"), False),
        (at(Kind.LENGTH, "1", "[]", "0"), at(Kind.TYPE, "2", "[]", "1"), False),
        (at(Kind.LENGTH, "1", "#0", "0"), at(Kind.TYPE, "1", "#1", "0"), False),
        (at(Kind.LENGTH, "0"), at(Kind.DEFAULT, "1", "#0", "default"), True),
        # A name is in the item before it; what only has another name there is not misread.
        (at(Kind.LENGTH, "1"), at(Kind.NAME, "1", "Name"), False),
        (at(Kind.LENGTH, "1"), at(Kind.NAME, "2", "Name"), True),
        (at(Kind.LENGTH, "1"), at(Kind.LOST, "1", "#0", "Name"), True),
        (at(Kind.LENGTH, "0"), at(Kind.DEFAULT, "Name"), False),
        (at(Kind.LENGTH, "0"), at(Kind.DEFAULT, "1", "[]", "Name"), False),
    ],
)
def test_what_a_misread_item_hides(misread: Disagreement, other: Disagreement, is_hidden: bool) -> None:
    assert misread.hides(other) is is_hidden
