"""The rows of a text: what it records about its API, versions and fields, and which names are addresses."""

from __future__ import annotations

import pytest

from tests.docgen.histories import Spec, field, request, response, text_of
from wirebook.docgen.catalog.rows import (
    MAX_SLUG,
    CatalogLevels,
    Fact,
    TextRow,
    VersionRow,
    check_addresses,
    slug_of,
    snapshot_slug,
    text_row,
)
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.problems import InputError, Position

REGISTRY = Registry(tuple(ApiVersion(number, f"1.{number}-IV0", f"1.{number}") for number in range(6)))
# A snapshot for each level.
EACH_LEVEL = CatalogLevels(REGISTRY, {level.id: level.id for level in REGISTRY.api_versions})


def row_of(spec: Spec, levels: CatalogLevels | None = None) -> TextRow:
    found = text_row("0" * 40, "Foo.json", text_of(spec), levels)
    assert found.error is None, found.error
    return found


def facts(spec: Spec) -> list[list[Fact]]:
    """What each state of a text records."""
    row = row_of(spec, EACH_LEVEL)
    assert row.states is not None
    return [state.facts for state in row.states]


def test_a_text_records_its_api_its_versions_and_its_fields() -> None:
    fields = [
        field("A", default="3"),
        field("B", "string", "1+", nullableVersions="2+", taggedVersions="3+", tag=0),
    ]
    spec = request("Foo", 7, "1-4", *fields, flexibleVersions="3+", deprecatedVersions="1-2",
                   latestVersionUnstable=True)  # fmt: skip
    assert facts(spec) == [
        [
            Fact("api", "", -1, "", unstable=False, deprecated=False, flexible=3),
            Fact("version", "", 1, "", unstable=False, deprecated=True),
            Fact("version", "", 2, "", unstable=False, deprecated=True),
            Fact("version", "", 3, "", flexible=3),
            Fact("version", "", 4, "", unstable=True, flexible=4),
            Fact("field", "request", -1, "A", default="3"),
            Fact("field", "request", -1, "B", nullable=2, tagged=3, default='""'),
        ]
    ]


def test_the_rows_of_a_text_are_all_that_the_tables_have() -> None:
    inner = [field("Key", "string", mapKey=True, entityType="topicName"), field("Gone", versions="0")]
    fields = [
        field("Items", "[]Item", nullableVersions="1+", fields=inner),
        field("Tag", "int8", versions="1+", taggedVersions="1+", tag=3, default="-1", ignorable=True),
    ]
    row = row_of(response("Foo", 7, "0-1", *fields, flexibleVersions="1+", latestVersionUnstable=True))
    assert row.versions is not None
    prints = [each.fingerprint for each in row.versions]
    assert len(set(prints)) == 2
    assert row.versions == [
        VersionRow(0, False, 0, False, False, prints[0]),
        VersionRow(1, True, 1, True, False, prints[1]),
    ]
    assert row.fields is not None
    items = ("Items", "Items")
    key, gone = ("Items.Key", "Key"), ("Items.Gone", "Gone")
    array, text = ("STRUCT", "[]Item"), (None, "string")
    plain, entity = (False, None, False), (False, "topicName", True)
    assert [tuple(each) for each in row.fields] == [
        ([0], [0], *items, "ARRAY", *array, False, None, "[]", *plain, "The Items."),
        ([0], [1], *key, "STRING", *text, False, None, '""', *entity, "The Key."),
        ([0], [2], *gone, "INT32", None, "int32", False, None, "0", *plain, "The Gone."),
        ([1], [0], *items, "COMPACT_NULLABLE_ARRAY", *array, True, None, "[]", *plain, "The Items."),
        ([1], [1], *key, "COMPACT_STRING", *text, False, None, '""', *entity, "The Key."),
        ([1], [2], "Tag", "Tag", "INT8", None, "int8", False, 3, "-1", True, None, False, "The Tag."),
    ]


# Addresses


def test_an_address_is_no_longer_than_a_file_name_may_be() -> None:
    assert len(slug_of("A" + "b" * (MAX_SLUG - 1))) == MAX_SLUG == 240
    spec = request("A" + "b" * 239, 7, "0")
    row_of(spec)
    found = text_row("0" * 40, "Foo.json", text_of(request("A" + "b" * 240, 7, "0")), None)
    assert found.error is not None
    assert found.error.startswith("Foo.json:7:10:")
    assert "it makes an address of 241 bytes, and the limit is 240" in found.error


def test_levels_with_the_same_address_are_refused_where_the_second_stands() -> None:
    check_addresses("releases", [("1.0+a", Position(1, 1)), ("1.0", None), ("x" * 240, None)], "p")
    with pytest.raises(
        InputError, match=r'the releases "1.0\+a" and "1.0 a" have the same address'
    ) as caught:
        check_addresses("releases", [("1.0+a", Position(1, 1)), ("1.0 a", Position(2, 3))], "p")
    assert str(caught.value).startswith("p:2:3:")
    with pytest.raises(InputError, match="of 241 bytes"):
        check_addresses("releases", [("é" + "x" * 239, None)], "p")


@pytest.mark.parametrize(
    ("name", "slug"),
    [("3.7.0", "3.7.0"), ("3.7-IV4", "3.7-IV4"), ("a/b c", "a-b-c"), ("..", "x"), (".a.", "a"), ("", "x")],
)
def test_the_address_of_a_snapshot_keeps_its_dots_but_those_at_its_ends(name: str, slug: str) -> None:
    assert snapshot_slug(name) == slug
