"""What the relation reports for two layouts, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.agreement.pairs import PAIRS, S, Spec, X, Y, field
from wirebook.rules.agreement.forms import WireForm, form_of
from wirebook.rules.agreement.relation import Disagreement, brought, disagreements
from wirebook.specs.reading.reader import read_message
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
