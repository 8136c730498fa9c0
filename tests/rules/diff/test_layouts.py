"""What changed between two layouts: each kind on its own, and what holds for any two."""

from __future__ import annotations

import json
import re
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.released_specs import released, texts
from tests.specs.wire.agreement import own_messages
from tests.support import needs_shared
from tests.together import together
from wirebook.rules.diff.layouts import KINDS, Change, layout_changes
from wirebook.rules.formats.sentences import layout_sentence
from wirebook.rules.match import match_layouts
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import Layout, layout, layouts


def made(*fields: dict[str, Any], **keys: Any) -> Layout:
    """A layout at version 1 of a request with these fields; what a field does not say is filled in."""
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
    return [layout_sentence(change) for change in layout_changes(old, new)]


A, B, C = named("A", "B", "C")
TOPICS = {"name": "Topics", "type": "[]Topic", "fields": [{"name": "Name", "type": "string"}, B]}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param([A], [A, B], ["B (int32) is added"], id="added"),
        pytest.param([A], [A, B | {"tag": 2}], ["B (int32, tag 2) is added"], id="added with a tag"),
        pytest.param([A], [A, TOPICS], ["Topics ([]Topic) is added"], id="a struct is added once"),
        pytest.param([A, B], [B], ["A (int32) is removed"], id="removed"),
        pytest.param([A, B], [A, {"name": "Z"}], ["B is now called Z"], id="renamed"),
        pytest.param(
            [A, B, C], [*named("X"), A, *named("Z"), C], ["X (int32) is added", "B is now called Z"]
        ),
        pytest.param([A | {"tag": 0}], [C | {"tag": 0}], ["A is now called C"], id="renamed by tag"),
        pytest.param(
            [A | {"tag": 0}],
            [C | {"tag": 1}],
            ["A (int32, tag 0) is removed", "C (int32, tag 1) is added"],
            id="another tag",
        ),
        pytest.param([A, B], [B, A], ["B moves from place 2 to place 1"], id="moved"),
        pytest.param([A, B, C], [C, A, B], ["C moves from place 3 to place 1"], id="one moved past two"),
        pytest.param([A], [A | {"type": "int64"}], ["A changes its type from int32 to int64"]),
        pytest.param([A], [A | {"type": "[]int32"}], ["A changes its type from int32 to []int32"]),
        pytest.param(
            [{"name": "R", "type": "bytes"}],
            [{"name": "S", "type": "records", "nullableVersions": "0+"}],
            ["R is now called S", "S changes its type from bytes to records", "S may be null"],
        ),
        pytest.param([TOPICS], [TOPICS | {"nullableVersions": "0+"}], ["Topics may be null"]),
        pytest.param([TOPICS | {"nullableVersions": "0+"}], [TOPICS], ["Topics may no longer be null"]),
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
            [A | {"about": "x"}], [A | {"about": "y", "ignorable": True}], [], id="words do not count"
        ),
        pytest.param([TOPICS], [TOPICS | {"type": "[]Theme"}], [], id="names of structs do not count"),
        pytest.param(
            [TOPICS],
            [
                {
                    "name": "Themes",
                    "type": "[]Theme",
                    "fields": [{"name": "Title", "type": "string"}, B | {"type": "int32"}],
                }
            ],
            ["Topics is now called Themes", "Topics.Name is now called Title"],
            id="a struct of the same shape is renamed with its fields",
        ),
        pytest.param(
            [TOPICS],
            [{"name": "Groups", "type": "[]Group", "fields": [{"name": "Id", "type": "string"}, TOPICS, C]}],
            ["Topics ([]Topic) is removed", "Groups ([]Group) is added"],
            id="another struct in its place is no new name",
        ),
    ],
)
def test_says_what_changed(old: list[dict[str, Any]], new: list[dict[str, Any]], words: list[str]) -> None:
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
        change.kind for change in layout_changes(made(*fields), made(*fields, flexibleVersions="none"))
    ] == [
        "became-inflexible",
        "header-version",
    ]


def test_a_length_that_does_not_turn_compact_is_named() -> None:
    """The client id of the request header: who writes it compact is not understood."""
    header = own_messages()["header", "RequestHeader"]
    assert said(layout(header, 1), layout(header, 2)) == [
        "becomes flexible: compact lengths, and a tagged section after every struct",
        "the length of ClientId is still written as in STRING",
    ]


def test_in_one_spec_another_name_is_another_field() -> None:
    """The author gave both, each with its versions; that they stand in one place does not make them one."""
    spec = {
        "type": "data",
        "name": "Log",
        "validVersions": "0-1",
        "fields": [complete(A | {"versions": "0"}), complete(B | {"versions": "1+"})],
    }
    old, new = layouts(read_message(json.dumps(spec), "Log.json"))
    assert said(old, new) == ["A (int32) is removed", "B (int32) is added"]


def test_paths_are_those_of_the_newer_layout() -> None:
    old = made({"name": "Topics", "type": "[]Topic", "fields": [A, B]})
    new = made({"name": "Themes", "type": "[]Topic", "fields": [A | {"type": "int64"}, C]})
    assert layout_changes(old, new) == [
        Change("field-renamed", "Topics", "Topics", "Themes"),
        Change("type-changed", "Themes.A", "int32", "int64"),
        Change("field-renamed", "Topics.B", "B", "C"),
    ]


def test_braces_in_a_name_stay_what_they_are() -> None:
    """Names come from anybody's specs, and words are made by a template."""
    odd = {"name": "{old}{0}{path!r}", "default": "7"}
    assert said(made(), made(odd)) == ["{old}{0}{path!r} (int32) is added"]
    assert said(made(odd), made(odd | {"default": "8"})) == [
        "the default of {old}{0}{path!r} changes from 7 to 8"
    ]


def paired(old: Layout, new: Layout) -> list[tuple[str | None, str | None]]:
    return [(match.old and match.old.name, match.new and match.new.name) for match in match_layouts(old, new)]


def test_pairs_stand_in_the_order_of_the_newer_layout() -> None:
    names = paired(made(*named("A", "B", "C", "D")), made(*named("D", "X", "A", "Y", "Z")))
    assert [after for _, after in names if after] == ["D", "X", "A", "Y", "Z"]
    assert sorted(before for before, _ in names if before) == ["A", "B", "C", "D"]
    assert ("A", "A") in names
    assert ("B", "Y") in names  # both are the first behind A
    assert ("C", "Z") in names


def test_fields_of_one_spec_are_paired_by_name_only() -> None:
    ranges = {"A": "0+", "B": "0", "C": "1+"}
    spec = {
        "type": "data",
        "name": "Log",
        "validVersions": "0-1",
        "fields": [complete({"name": name, "versions": versions}) for name, versions in ranges.items()],
    }
    old, new = layouts(read_message(json.dumps(spec), "Log.json"))
    assert paired(old, new) == [("A", "A"), ("B", None), (None, "C")]


# --- what holds for any two layouts -----------------------------------------------------------------------

TYPES = ("int8", "int32", "string", "bytes", "records", "[]int32", "[]string", "uuid", "bool")
NULLABLE = ("string", "bytes", "records", "[]int32", "[]string", "S", "[]S")


@st.composite
def some_fields(draw: st.DrawFn, depth: int = 0) -> list[dict[str, Any]]:
    names = draw(st.lists(st.sampled_from("ABCDEF"), unique=True, max_size=5))
    tags = draw(st.permutations(range(6)))
    fields = []
    for name, tag in zip(names, tags, strict=False):
        kind = draw(st.sampled_from(TYPES if depth > 1 else (*TYPES, "S", "[]S")))
        field: dict[str, Any] = {"name": name, "type": kind}
        if kind in NULLABLE and draw(st.booleans()):
            field["nullableVersions"] = "0+"
            if draw(st.booleans()):
                field["default"] = "null"
        if draw(st.integers(0, 3)) == 0:
            field["tag"] = tag
        if kind in ("int8", "int32") and draw(st.booleans()):
            field["default"] = "1"
        if kind.endswith("S"):
            field["type"] = f"{kind}{depth}{draw(st.sampled_from('XY'))}"
            field["fields"] = draw(some_fields(depth + 1))
        fields.append(field)
    return fields


some_layouts = st.tuples(some_fields(), st.sampled_from(["none", "0+"])).map(
    lambda drawn: made(*(strip_tags(drawn[0]) if drawn[1] == "none" else drawn[0]), flexibleVersions=drawn[1])
)


def strip_tags(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: strip_tags(value) if key == "fields" else value for key, value in field.items() if key != "tag"}
        for field in fields
    ]


@given(some_layouts)
def test_nothing_changes_from_a_layout_to_itself(one: Layout) -> None:
    assert layout_changes(one, one) == []


@given(some_layouts, some_layouts)
def test_no_change_means_the_same_bytes(old: Layout, new: Layout) -> None:
    if not layout_changes(old, new):
        assert old.fingerprint == new.fingerprint


def of_kind(changes: list[Change], kind: str) -> list[Any]:
    return sorted(
        ([change.path, change.old, change.new] for change in changes if change.kind == kind), key=str
    )


@given(some_layouts, some_layouts)
def test_the_way_back_is_the_mirror_image(old: Layout, new: Layout) -> None:
    there, back = layout_changes(old, new), layout_changes(new, old)
    assert [path for path, *_ in of_kind(there, "field-added")] == [
        path for path, *_ in of_kind(back, "field-removed")
    ]
    for one, other in (
        ("became-flexible", "became-inflexible"),
        ("became-nullable", "became-not-nullable"),
        ("became-tagged", "became-untagged"),
        ("field-renamed", "field-renamed"),
        ("field-moved", "field-moved"),
        ("type-changed", "type-changed"),
        ("tag-changed", "tag-changed"),
        ("default-changed", "default-changed"),
        ("length-changed", "length-changed"),
        ("header-version", "header-version"),
    ):
        assert len(of_kind(there, one)) == len(of_kind(back, other)), one


@given(some_layouts, some_layouts)
def test_every_field_is_paired_once(old: Layout, new: Layout) -> None:
    pairs = [(match.old, match.new) for match in match_layouts(old, new)]
    assert [after for _, after in pairs if after is not None] == list(new.fields)
    gone = [before.name for before, _ in pairs if before is not None]
    assert sorted(gone) == sorted(field.name for field in old.fields)


@given(some_layouts, some_layouts)
def test_words_are_plain(old: Layout, new: Layout) -> None:
    for change in layout_changes(old, new):
        assert change.kind in KINDS
        assert re.fullmatch(r"[\w .,:()\[\]-]+", layout_sentence(change)), change
        assert "None" not in layout_sentence(change)


@pytest.mark.parametrize("order", list(permutations("ABCDE"))[::7], ids="".join)
def test_the_fewest_fields_move(order: tuple[str, ...]) -> None:
    old, new = made(*named(*"ABCDE")), made(*named(*order))
    changes = layout_changes(old, new)
    assert {change.kind for change in changes} <= {"field-moved"}
    moved = {change.path for change in changes}
    assert [name for name in order if name not in moved] == sorted(set(order) - moved)
    kept = max(
        sum(1 << place & mask > 0 for place in range(5))
        for mask in range(32)
        if (chosen := [name for place, name in enumerate(order) if 1 << place & mask]) == sorted(chosen)
    )
    assert len(moved) == 5 - kept
    for change in changes:
        assert change.old == "ABCDE".index(change.path) + 1
        assert change.new == order.index(change.path) + 1


@given(st.lists(st.sampled_from("ABCDEF"), unique=True, min_size=1), st.data())
def test_a_rename_is_one_change(names: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(names) - 1))
    renamed = [*names[:place], "Other", *names[place + 1 :]]
    assert layout_changes(made(*named(*names)), made(*named(*renamed))) == [
        Change("field-renamed", names[place], names[place], "Other")
    ]


# --- real specs -------------------------------------------------------------------------------------------


def check_words(changes: list[Change], where: str) -> None:
    for change in changes:
        assert not re.search(r"[{}<>]|None|True|False", layout_sentence(change)), (
            f"{where}: {layout_sentence(change)}"
        )


def bytes_of(one: Layout) -> str:
    return one._replace(version=0).fingerprint


@together("message", own_messages().values(), ids=lambda message: message.name)
def test_neighbouring_versions_of_own_specs_are_told_apart(message: Any) -> None:
    for old, new in pairwise(layouts(message)):
        changes = layout_changes(old, new)
        check_words(changes, f"{message.name} {new.version}")
        assert bool(changes) == (bytes_of(old) != bytes_of(new)), f"{message.name} {new.version}"
        assert all(change.kind != "field-renamed" for change in changes)


@pytest.mark.long
@needs_shared
def test_neighbouring_versions_and_releases_are_told_apart() -> None:
    """Over all specs of all releases: from each version to the next, and from each release to the next."""
    identities = {identity_of(path, digest) for rows in texts().values() for path, digest in rows}
    neighbours = kinds = 0
    seen: dict[str, int] = {}
    for identity in sorted(identities, key=str):
        messages = [each.message for each in released(identity)]
        distinct = [one for one, other in pairwise([*messages, None]) if one is not None and one != other]
        for message in distinct:
            for old, new in pairwise(layouts(message)):
                changes = layout_changes(old, new)
                check_words(changes, f"{message.name} {new.version}")
                assert bool(changes) == (bytes_of(old) != bytes_of(new)), f"{message.name} {new.version}"
                neighbours += 1
        for before, after in pairwise(distinct):
            for version in before.valid_versions & after.valid_versions:
                changes = layout_changes(layout(before, version), layout(after, version))
                check_words(changes, f"{after.name} {version}")
                for change in changes:
                    seen[change.kind] = seen.get(change.kind, 0) + 1
                kinds += 1
    assert neighbours > 1500
    assert kinds > 1500
    assert seen["field-renamed"] > 300
    # Records of KRaft were made flexible and had fields changed while they were previews.
    previews = {"became-flexible", "became-nullable", "became-not-nullable"}
    common = {"field-added", "field-removed", "field-renamed", "type-changed", "default-changed"}
    assert set(seen) == common | previews


def identity_of(path: str, digest: str) -> tuple[str, int | str]:
    from tests.specs.released_specs import text

    return read_message(text(digest), path).identity
