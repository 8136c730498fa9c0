"""Which structs correspond in some versions only: where fields are split, joined, or trade their names."""

from __future__ import annotations

from typing import Any

from tests.rules.pairs.test_match import message
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.pairs.walk import structs
from wirebook.specs.model import Message

KEY = {"name": "Key"}


def rows(name: str, kind: str, versions: str, *inner: dict[str, Any], **keys: Any) -> dict[str, Any]:
    fields = [{"type": "int32", "versions": "0+"} | field for field in inner or (KEY,)]
    return {"name": name, "type": kind, "versions": versions, "fields": fields, **keys}


def reached(old: Message, new: Message) -> dict[str, list[int]]:
    """The versions in which the walk compares the structs below the top level, by path."""
    return {pair.path: sorted(pair.versions) for pair in structs(MessagePair(old, new))[1:]}


def test_both_parts_of_a_struct_that_is_split_by_versions_are_compared() -> None:
    old = message(rows("Rows", "[]Row", "0+"))
    for name in ("Rows", "Late"):
        new = message(rows("Rows", "[]Row", "0"), rows(name, "[]Late", "1+"))
        found = structs(MessagePair(old, new))[1:]
        assert [(pair.path, sorted(pair.versions)) for pair in found] == [("Rows", [0]), (name, [1, 2])]
        # The part with another name is the field in its place, with its bytes.
        assert [pair.ways[0].read for pair in found] == [{0}, frozenset()]


def test_both_parts_of_a_struct_that_is_joined_are_compared() -> None:
    old = message(rows("Rows", "[]Row", "0"), rows("Late", "[]Late", "1+"))
    assert len(structs(MessagePair(old, message(rows("Rows", "[]Row", "0+"))))) == 3


def test_structs_that_trade_names_in_some_versions_are_compared_in_the_others() -> None:
    old = message({"name": "All", "versions": "0"}, rows("Rows", "Row", "0+"))
    new = message({"name": "Rows", "versions": "0"}, rows("All", "Row", "0+"))
    assert reached(old, new) == {"All": [1, 2]}


def test_only_the_name_makes_one_field_of_two_with_other_bytes() -> None:
    old = message(rows("Rows", "[]Row", "0+"))
    long = {"name": "Key", "type": "int64"}
    assert reached(old, message(rows("Rows", "[]Row", "0"), rows("Late", "[]Late", "1+", long))) == {
        "Rows": [0]
    }
    new = message(rows("Rows", "[]Row", "0"), rows("Rows", "[]Late", "1+", long))
    assert len(structs(MessagePair(old, new))) == 3
    # An array is no struct, whatever its name.
    new = message(rows("Rows", "[]Row", "0"), rows("Rows", "Late", "1+"))
    assert len(structs(MessagePair(old, new))) == 2


def test_a_struct_that_only_one_side_has_in_a_version_is_compared_with_none() -> None:
    old = message(rows("Rows", "[]Row", "0-1"))
    assert reached(old, message(rows("Rows", "[]Row", "0-1"), rows("Late", "[]Late", "2"))) == {
        "Rows": [0, 1]
    }
    assert reached(old, message(rows("Rows", "[]Row", "0"))) == {"Rows": [0]}
