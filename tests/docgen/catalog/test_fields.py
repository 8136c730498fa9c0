"""Fields and tags over several releases: names that are taken over, and tags that are reserved."""

from __future__ import annotations

from pathlib import Path

from tests.docgen.histories import Spec, events, field, field_of, inputs, request
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.run import build


def made(folder: Path, *releases: list[Spec], valid: str = "0-1") -> ApiDocument:
    """The document of an API with these fields in each release."""
    specs = {
        f"1.{number}.0": [request("Foo", 3, valid, *fields, flexibleVersions="0+")]
        for number, fields in enumerate(releases)
    }
    build(inputs(specs), folder)
    return Catalog.open(folder).api("Foo")


def tagged(name: str, tag: int, kind: str = "int32") -> Spec:
    return field(name, kind, tag=tag, taggedVersions="0+")


def test_a_field_has_the_name_of_one_that_is_gone_only(tmp_path: Path) -> None:
    other = field("Other", "string")
    renamed = made(tmp_path, [field("Old"), other], [field("New"), other])
    assert field_of(renamed, "New").former_names == ("Old",)
    assert events(field_of(renamed, "Old").events) == [("added", "1.0.0"), ("removed", "1.1.0")]
    assert field_of(renamed, "Old").events[1].words == "is called New from then on"


def test_a_field_that_goes_on_in_older_versions_has_no_other_name(tmp_path: Path) -> None:
    kept = made(
        tmp_path,
        [field("Old"), field("Gone", "uuid")],
        [field("Old", versions="0"), field("New", versions="1+")],
    )
    assert field_of(kept, "New").former_names == ()


def test_names_are_followed_through_several_releases(tmp_path: Path) -> None:
    found = made(tmp_path, [field("A")], [field("B")], [field("C")], [field("D")])
    assert field_of(found, "D").former_names == ("C", "B", "A")
    assert field_of(found, "C").former_names == ("B", "A")
    assert [item.path for item in found.messages[0].fields if not item.gone] == ["D"]
    assert events(field_of(found, "D").events) == [
        ("added", "1.0.0"), ("renamed", "1.1.0"), ("renamed", "1.2.0"), ("renamed", "1.3.0")
    ]  # fmt: skip


def test_the_versions_of_a_field_that_two_entries_have_are_joined(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        [
            field("A", "int32", "0", default="1"),
            field("A", "int64", "2+", default="2", ignorable=True),
            field("Inner", "[]Struct", "1+", fields=[field("X", versions="0+"), field("Y", versions="3+")]),
        ],
        valid="0-2",
    )
    first = field_of(found, "A")
    assert (first.versions, first.spec_type, first.type, first.default) == ("0, 2+", "int64", "INT64", 2)
    assert first.ignorable
    # In the only version without it, the field is not called ended: it comes back.
    assert [event.event for event in first.events] == ["added"]
    assert field_of(found, "Inner.X").versions == "0+"
    assert not [item for item in found.messages[0].fields if item.path == "Inner.Y"]


def test_a_field_has_ended_where_no_later_version_has_it(tmp_path: Path) -> None:
    found = made(
        tmp_path, [field("Old", versions="0"), field("Never", versions="5+"), field("A")], valid="0-2"
    )
    assert [(event.event, event.words) for event in field_of(found, "Old").events] == [
        ("added", ""),
        ("ended", "not in version 1 and later"),
    ]
    assert [event.event for event in field_of(found, "A").events] == ["added"]


def test_tags_that_were_assigned_stay_reserved(tmp_path: Path) -> None:
    inner = [tagged("X", 0), tagged("Y", 1)]
    found = made(
        tmp_path,
        [field("Old", "[]Struct", fields=inner), tagged("A", 0), tagged("B", 1), tagged("Z", 2, "string")],
        [field("New", "[]Struct", fields=inner[:1]), tagged("Renamed", 0), tagged("Z", 2, "string")],
    )
    assert [(tag.struct, tag.tag, tag.field, tag.burnt) for tag in found.messages[0].tags] == [
        # A is the former name of Renamed, and Old that of New.
        ("(top level)", 0, "Renamed", False),
        ("(top level)", 1, "B", True),
        ("(top level)", 2, "Z", False),
        ("New", 0, "X", False),
        ("Old", 1, "Y", True),
    ]


def test_a_number_beside_a_field_that_is_never_tagged_is_no_tag(tmp_path: Path) -> None:
    spec = field("A") | {"tag": 4}
    found = made(tmp_path, [spec, tagged("B", 5)])
    assert [(tag.tag, tag.field) for tag in found.messages[0].tags] == [(5, "B")]


def test_a_renamed_field_has_the_marks_of_its_older_name_once(tmp_path: Path) -> None:
    def text(name: str, nullable: str) -> Spec:
        return field(name, "string", nullableVersions=nullable)

    found = made(
        tmp_path,
        [text("A", "1+")],
        [text("B", "1+")],
        [text("B", "none")],
        [text("B", "1+")],
        [text("B", "0+")],
    )
    assert events(field_of(found, "B").events) == [
        ("added", "1.0.0"), ("nullable", "1.0.0"), ("renamed", "1.1.0"), ("not_nullable", "1.2.0"),
        ("nullable", "1.3.0"),
    ]  # fmt: skip


def test_a_field_that_gets_a_mark_with_its_new_name_has_both(tmp_path: Path) -> None:
    found = made(tmp_path, [field("A", "string", default="a")], [field("B", "string", nullableVersions="1+")])
    assert events(field_of(found, "B").events) == [
        ("added", "1.0.0"), ("renamed", "1.1.0"), ("nullable", "1.1.0")
    ]  # fmt: skip


def test_a_field_of_a_struct_that_versions_divide_is_one_field(tmp_path: Path) -> None:
    divided = [
        field("S", "[]First", "0", fields=[field("X"), field("Old")]),
        field("S", "[]Second", "1+", fields=[field("X", "int64"), field("New")]),
    ]
    document = made(tmp_path, divided)
    both = field_of(document, "S.X")
    assert (both.versions, both.type, [event.event for event in both.events]) == ("0+", "INT64", ["added"])
    assert field_of(document, "S.Old").versions == "0"
    assert [event.event for event in field_of(document, "S.Old").events] == ["added", "ended"]
    assert field_of(document, "S.New").versions == "1+"
    assert len([each for each in document.messages[0].fields if each.path == "S.X"]) == 1


def test_a_tag_of_a_field_that_versions_divide_has_all_its_versions(tmp_path: Path) -> None:
    divided = [
        field("A", "int64", "1", tag=0, taggedVersions="1"),
        field("A", "int32", "2-3", tag=0, taggedVersions="2-3"),
        field("A", "int8", "4+"),
        field("B", "int8", "3+", tag=2, taggedVersions="3+"),
        field("B", "int8", "0-2", tag=1, taggedVersions="0-2"),
    ]
    document = made(tmp_path, divided, valid="0-4")
    tags = [(tag.field, tag.tag, tag.versions, tag.type) for tag in document.messages[0].tags]
    assert tags == [("A", 0, "1-3", "int32"), ("B", 1, "0-2", "int8"), ("B", 2, "3+", "int8")]
    first, second = field_of(document, "A"), field_of(document, "B")
    assert (first.tag, first.tagged_versions, first.spec_type) == (0, "1-3", "int8")
    assert (second.tag, second.tagged_versions) == (2, "0+")


def test_a_tag_that_no_valid_version_has_is_reserved(tmp_path: Path) -> None:
    old = field("Old", "int32", "0-1", tag=0, taggedVersions="0-1")
    document = made(tmp_path, [old, tagged("New", 1)], valid="2-3")
    assert [(tag.field, tag.burnt) for tag in document.messages[0].tags] == [("Old", True), ("New", False)]
