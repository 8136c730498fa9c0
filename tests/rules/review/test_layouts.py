"""Which versions of a message are laid out together, and which tags are free."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.rules.review.layouts import LayoutDiff, _alike, _diff, _joined, free_tags, layout_diffs
from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.layout import layout

A = {"name": "A", "type": "int32", "versions": "0+"}
B = {"name": "B", "type": "int8", "versions": "0+"}


def message(*fields: dict[str, Any], valid: str = "0-9", flexible: str = "0+") -> Message:
    spec = {"apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": valid}
    return read_message(json.dumps({**spec, "flexibleVersions": flexible, "fields": fields}), "Foo.json")


def diff(old: Message, new: Message, version: int) -> LayoutDiff:
    found = _diff(layout(old, version), layout(new, version))
    assert found is not None
    return found


def tagged(name: str, tag: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "int8", "versions": "0+", "tag": tag, "taggedVersions": "0+", **more}


def test_a_tag_is_free_if_neither_side_has_it_or_a_higher_one() -> None:
    one, two = message(tagged("X", 0), tagged("Y", 3)), message(tagged("X", 0))
    assert free_tags(one, two) == free_tags(two, one) == (("", 4),)
    assert free_tags(None, two) == (("", 1),)
    assert free_tags(None, message(A)) == ()


def test_each_struct_has_free_tags_of_its_own() -> None:
    inner = {"name": "In", "type": "[]Part", "versions": "0+", "fields": [tagged("X", 7)]}
    outer = {"name": "Out", "type": "Whole", "versions": "0+", "fields": [inner, A]}
    assert free_tags(None, message(outer)) == (("Out.In", 8),)
    assert free_tags(message(outer), message(outer, tagged("Y", 0))) == (("Out.In", 8), ("", 1))


def test_adjacent_versions_that_change_alike_are_one() -> None:
    old, new = message(A), message(A, B)
    assert _alike(diff(old, new, 3), diff(old, new, 4))
    assert not _alike(diff(old, new, 3), diff(old, new, 5))
    assert not _alike(diff(old, new, 4), diff(old, new, 3))
    assert not _alike(diff(old, new, 3), diff(old, message(A, {**B, "name": "C"}), 4))
    late = message(A, flexible="4+"), message(A, B, flexible="4+")
    assert not _alike(diff(*late, 3), diff(*late, 4))


def test_versions_of_one_size_are_listed_together() -> None:
    old, new = message(A, {**B, "versions": "2+"}), message({**A, "type": "int64"}, {**B, "versions": "2+"})
    whole = _joined([diff(old, new, version) for version in range(4)])
    assert whole.new.version == 3
    assert whole.versions == VersionSet.parse("0-3")
    assert [(str(each.versions), each.old, each.new) for each in whole.sizes] == [
        ("0-1", 5, 9),
        ("2-3", 6, 10),
    ]


@pytest.mark.parametrize(
    ("before", "after", "laid_out"),
    [
        ("0-1", "0-1", []),
        ("0-1", "0-2", [(1, 2)]),
        ("0-1", "0-5", [(2, 3), (3, 4), (4, 5)]),
        # The version before it is only on the old side, or on neither.
        ("0-1", "2", [(1, 2)]),
        ("0-1", "3", [(None, 3)]),
        (None, "0-1", [(None, 0), (0, 1)]),
    ],
)
def test_a_new_version_is_compared_with_the_one_before_on_either_side(
    before: str | None, after: str, laid_out: list[tuple[int | None, int]]
) -> None:
    found = layout_diffs(None if before is None else message(A, valid=before), message(A, valid=after), ())
    assert [(each.old and each.old.version, each.new.version) for each in found] == laid_out
    assert all(each.added for each in found)


@pytest.mark.parametrize(("highest", "number"), [(MAX_VERSIONS - 1, 3), (MAX_VERSIONS, 0)])
def test_a_message_with_too_many_versions_is_not_laid_out(highest: int, number: int) -> None:
    assert len(layout_diffs(None, message(A, valid=f"0-{highest}"), ())) == number


def test_a_removed_message_has_nothing_to_lay_out() -> None:
    assert layout_diffs(message(A), None, ()) == ()
