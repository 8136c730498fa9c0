"""Which edits explain what differs between two layouts, behind a misread field too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.agreement.pairs import Spec, X, Y, field
from wirebook.rules.agreement.edits import Matching, SpecEdit, edits
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout

A, B, C, D, E = (field(name) for name in "ABCDE")
TEXT = field("X", "string")


def message(*fields: Spec, flexible: str = "none", **keys: Any) -> Message:
    spec = {"type": "data", "name": "AValue", "validVersions": "0-3", "flexibleVersions": flexible, **keys}
    return read_message(json.dumps({**spec, "fields": list(fields)}).encode(), "AValue.json")


def words(edit: SpecEdit) -> str:
    return f"{edit.kind.value} {edit.old.path}/{edit.new.path}"


def struct(name: str, *fields: Spec) -> Spec:
    return field(name, f"{name}0", fields=list(fields))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # Fields that leave a struct under other names keep their places.
        ([struct("S", A, B), X], [C, D, TEXT], ["length X/X"]),
        ([struct("S", A, B, E), X], [C, D, TEXT], ["length S/", "length X/X"]),
        ([struct("S", A, B), X], [C, D, E, TEXT], ["length /E", "length X/X"]),
        ([struct("S", A), Y, struct("T", B), X], [C, Y, D, TEXT], ["length X/X"]),
        # The place of a field is between those that both sides have.
        ([A, struct("S", B), X], [C, A, TEXT], ["length /C", "length S/", "length X/X"]),
        # A struct that loses all of its fields, and holds the bytes of a field before it, has not moved.
        ([B, struct("S", TEXT)], [struct("S", A, C)], ["length S.X/", "length /S.C"]),
    ],
)
def test_fields_of_other_names_are_the_same_in_their_order(
    old: list[Spec], new: list[Spec], expected: list[str]
) -> None:
    sides = message(*old), message(*new)
    found = edits(layout(sides[0], 1), layout(sides[1], 1), Matching(*sides))
    assert [words(edit) for edit in found] == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # Of two fields, the first one stays.
        ([X, Y], [Y, X], {"name Y/Y"}),
        ([TEXT, A, B], [B, TEXT, A], {"name B/B"}),
        ([A, B, TEXT, C], [TEXT, C, A, B], {"name X/X", "name C/C"}),
        # Of three that are reversed, the one that keeps its place stays.
        ([A, B, C], [C, B, A], {"name A/A", "name C/C"}),
        # A struct whose fields are others has not moved.
        ([struct("S", A)], [A, struct("S", TEXT)], {"length /S.X"}),
        # What leaves or enters a struct has moved, wherever it was.
        ([struct("S", A), X], [X, A], {"length S/", "length /A"}),
        ([X, struct("S", A)], [A, X], {"length S/", "length /A"}),
        ([A, X], [X, struct("S", A)], {"length A/", "length /S"}),
        ([X, A], [struct("S", A), X], {"length A/", "length /S"}),
        ([struct("S", A), B, C], [C, B, A], {"name C/C", "length S/", "length /A"}),
        # The fewest fields have moved, whatever was around them.
        ([struct("S", A, B), X], [X, A, B], {"name X/X"}),
    ],
)
def test_what_has_moved(old: list[Spec], new: list[Spec], expected: set[str]) -> None:
    sides = message(*old), message(*new)
    found = edits(layout(sides[0], 1), layout(sides[1], 1), Matching(*sides))
    assert {words(edit) for edit in found} == expected


def test_the_default_of_a_field_behind_another_one_that_is_added_inside_a_tag() -> None:
    def side(*inside: Spec) -> Message:
        return message(field("T", "T0", fields=list(inside), taggedVersions="0+", tag=0), flexible="0+")

    one, other = side(A, B), side(C, A, field("B", default="7"))
    found = edits(layout(one, 1), layout(other, 1), Matching(one, other))
    assert [words(edit) for edit in found] == ["length /T.C", "default T.B/T.B"]


def test_a_tag_that_readers_skip_behind_a_field_that_is_added() -> None:
    before = message(A, field("T", versions="2+"), flexible="0+")
    after = message(B, A, field("T", taggedVersions="0+", tag=0), flexible="0+")
    found = edits(layout(before, 1), layout(after, 1), Matching(before, after))
    assert [words(edit) for edit in found] == ["length /B", "lost T/T"]
    found = edits(layout(after, 1), layout(before, 1), Matching(after, before))
    assert [words(edit) for edit in found] == ["length B/", "lost T/T"]


def test_each_copy_of_a_shared_struct_has_edits_of_its_own() -> None:
    def side(kind: str) -> Message:
        inside = [{"name": "G", "type": kind, "versions": "0+", "fields": [A]}]
        shared = [{"name": "S", "versions": "0+", "fields": inside}]
        return message(field("C", "[]S"), field("D", "[]S"), commonStructs=shared)

    one, other = side("G0"), side("[]G0")
    found = edits(layout(one, 1), layout(other, 1), Matching(one, other))
    assert [words(edit) for edit in found] == ["length C.G/C.G", "length D.G/D.G"]
