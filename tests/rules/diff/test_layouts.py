"""What changed between two layouts: each kind on its own, and what holds for any two."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.wire.own_messages import own_messages
from tests.together import together
from wirebook.docgen.catalog.wire import wire
from wirebook.rules.diff.layouts import Change, layout_changes
from wirebook.specs.layout import Layout, layout, layouts
from wirebook.specs.reader import read_message


def made(*fields: dict[str, Any], **keys: Any) -> Layout:
    """A layout at version 1 of a request with these fields; what a field does not say is filled
    in."""
    spec = {
        "apiKey": 1,
        "type": "request",
        "name": "FooRequest",
        "validVersions": "0-1",
        "flexibleVersions": "0+",
    }
    written = json.dumps(spec | {"fields": [complete(field) for field in fields]} | keys)
    return layout(read_message(written, "Foo.json"), 1)


def complete(field: dict[str, Any]) -> dict[str, Any]:
    full = {"type": "int32", "versions": "0+"} | field
    if "tag" in field:
        full |= {"taggedVersions": "0+"}
    if "fields" in field:
        full["fields"] = [complete(inner) for inner in field["fields"]]
    return full


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def said(old: Layout, new: Layout) -> list[str]:
    return [change.sentence for change in layout_changes(old, new)]


A, B, C = named("A", "B", "C")
TOPICS = {"name": "Topics", "type": "[]Topic", "fields": [{"name": "Name", "type": "string"}, B]}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param([A], [A, B], ["B (int32) is added"], id="added"),
        pytest.param(
            [A], [A, B | {"tag": 2}], ["B (int32, tag 2) is added"], id="added with a tag"
        ),
        pytest.param([A], [A, TOPICS], ["Topics ([]Topic) is added"], id="a struct is added once"),
        pytest.param([A, B], [B], ["A (int32) is removed"], id="removed"),
        pytest.param([A, B], [A, {"name": "Z"}], ["B is now called Z"], id="renamed"),
        pytest.param(
            [A, B, C], [*named("X"), A, *named("Z"), C], ["X (int32) is added", "B is now called Z"]
        ),
        pytest.param(
            [A | {"tag": 0}], [C | {"tag": 0}], ["A is now called C"], id="renamed by tag"
        ),
        pytest.param(
            [A | {"tag": 0}],
            [C | {"tag": 1}],
            ["A (int32, tag 0) is removed", "C (int32, tag 1) is added"],
            id="another tag",
        ),
        pytest.param([A, B], [B, A], ["B moves from place 2 to place 1"], id="moved"),
        pytest.param(
            [A, B, C], [C, A, B], ["C moves from place 3 to place 1"], id="one moved past two"
        ),
        pytest.param([A], [A | {"type": "int64"}], ["A changes its type from int32 to int64"]),
        pytest.param([A], [A | {"type": "[]int32"}], ["A changes its type from int32 to []int32"]),
        pytest.param(
            [{"name": "R", "type": "bytes"}],
            [{"name": "S", "type": "records", "nullableVersions": "0+"}],
            ["R is now called S", "S changes its type from bytes to records", "S may be null"],
        ),
        pytest.param([TOPICS], [TOPICS | {"nullableVersions": "0+"}], ["Topics may be null"]),
        pytest.param(
            [TOPICS | {"nullableVersions": "0+"}], [TOPICS], ["Topics may no longer be null"]
        ),
        pytest.param([A], [A | {"tag": 5}], ["A becomes a tagged field, tag 5"]),
        pytest.param([A | {"tag": 5}], [A], ["A is no longer tagged (it was tag 5)"]),
        pytest.param([A | {"tag": 5}], [A | {"tag": 6}], ["the tag of A changes from 5 to 6"]),
        pytest.param([A], [A | {"default": "-1"}], ["the default of A changes from 0 to -1"]),
        pytest.param(
            [A | {"type": "bool"}],
            [A | {"type": "bool", "default": "true"}],
            ["the default of A changes from false to true"],
        ),
        pytest.param(
            [A | {"type": "string", "nullableVersions": "0+"}],
            [A | {"type": "string", "nullableVersions": "0+", "default": "null"}],
            ["the default of A changes from the empty string to null"],
        ),
        pytest.param(
            [TOPICS | {"nullableVersions": "0+"}],
            [TOPICS | {"nullableVersions": "0+", "default": "null"}],
            ["the default of Topics changes from no elements to null"],
        ),
        pytest.param(
            [TOPICS | {"type": "Topic", "nullableVersions": "0+", "default": "null"}],
            [TOPICS | {"type": "Topic", "nullableVersions": "0+"}],
            ["the default of Topics changes from null to the defaults of its fields"],
        ),
        pytest.param(
            [A | {"type": "string"}],
            [A | {"type": "string", "flexibleVersions": "none"}],
            ["the length of A is now written as in STRING, no longer as in COMPACT_STRING"],
        ),
        pytest.param(
            [A | {"about": "x"}],
            [A | {"about": "y", "ignorable": True}],
            [],
            id="words do not count",
        ),
        pytest.param(
            [TOPICS], [TOPICS | {"type": "[]Theme"}], [], id="names of structs do not count"
        ),
        pytest.param(
            [TOPICS],
            [
                {
                    "name": "Groups",
                    "type": "[]Group",
                    "fields": [{"name": "Id", "type": "string"}, TOPICS, C],
                }
            ],
            ["Topics ([]Topic) is removed", "Groups ([]Group) is added"],
            id="another struct in its place is no new name",
        ),
    ],
)
def test_says_what_changed(
    old: list[dict[str, Any]], new: list[dict[str, Any]], words: list[str]
) -> None:
    assert said(made(*old), made(*new)) == words


def test_a_version_that_turns_flexible_is_one_change() -> None:
    fields: list[dict[str, Any]] = [
        {"name": "A", "type": "string"},
        TOPICS,
        {"name": "Ids", "type": "[]uuid"},
    ]
    assert said(made(*fields, flexibleVersions="none"), made(*fields)) == [
        "becomes flexible: compact lengths, and a tagged section after every struct",
        "uses header version 2 instead of 1",
    ]
    assert [
        change.kind
        for change in layout_changes(made(*fields), made(*fields, flexibleVersions="none"))
    ] == [
        "became-inflexible",
        "header-version",
    ]


def test_paths_are_those_of_the_newer_layout() -> None:
    old = made({"name": "Topics", "type": "[]Topic", "fields": [A, B]})
    new = made({"name": "Themes", "type": "[]Topic", "fields": [A | {"type": "int64"}, C]})
    assert layout_changes(old, new) == [
        Change("field-renamed", "Topics", "Topics", "Themes"),
        Change("type-changed", "Themes.A", "int32", "int64"),
        Change("field-renamed", "Topics.B", "B", "C"),
    ]


# --- what holds for any two layouts
# -----------------------------------------------------------------------


@given(st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), st.data())
def test_a_rename_is_one_change(names: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(names) - 1))
    renamed = [*names[:place], "Other", *names[place + 1 :]]
    assert layout_changes(made(*named(*names)), made(*named(*renamed))) == [
        Change("field-renamed", names[place], names[place], "Other")
    ]


# --- real specs
# -------------------------------------------------------------------------------------------


def check_words(changes: list[Change], where: str) -> None:
    for change in changes:
        assert not re.search(r"[{}<>]|None|True|False", change.sentence), (
            f"{where}: {change.sentence}"
        )


def bytes_of(one: Layout) -> str:
    return wire(one._replace(version=0))


@together("message", own_messages().values(), ids=lambda message: message.name)
def test_neighbouring_versions_of_own_specs_are_told_apart(message: Any) -> None:
    for old, new in pairwise(layouts(message)):
        changes = layout_changes(old, new)
        check_words(changes, f"{message.name} {new.version}")
        assert bool(changes) == (bytes_of(old) != bytes_of(new)), f"{message.name} {new.version}"
        assert all(change.kind != "field-renamed" for change in changes)
