"""What releases changed of the bytes of versions that they already had."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docgen.histories import Spec, field, inputs, request, response
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.records import NewsItem
from wirebook.docgen.pipeline.run import build


def tagged(name: str, tag: int, versions: str = "0+", **more: object) -> Spec:
    """A tagged field."""
    return field(name, "int32", versions, tag=tag, taggedVersions=versions, **more)


def news(folder: Path, *releases: list[Spec]) -> tuple[NewsItem, ...]:
    """What the last of some releases changed, other than by adding, deprecating and removing versions."""
    build(inputs({f"1.{number}.0": specs for number, specs in enumerate(releases)}), folder)
    return Catalog.open(folder).snapshots[-1].changed


def details(folder: Path, *releases: list[Spec]) -> list[str]:
    """The same in words."""
    return [words for entry in news(folder, *releases) for words in entry.details or (entry.words,)]


def foo(*fields: Spec, valid: str = "0-2", **more: object) -> list[Spec]:
    """A request with its fields."""
    return [request("Foo", 3, valid, *fields, **{"flexibleVersions": "0+", **more})]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            foo(field("A")),
            foo(field("A", "int64")),
            ["request: A changes its type from int32 to int64 (versions 0-2)"],
        ),
        (
            foo(field("A"), field("B")),
            foo(field("B"), field("A")),
            ["request: B moves from place 2 to place 1 (versions 0-2)"],
        ),
        (
            foo(tagged("A", 0)),
            foo(tagged("A", 1)),
            ["request: the tag of A changes from 0 to 1 (versions 0-2)"],
        ),
        (
            foo(field("A"), field("B", versions="1+")),
            foo(field("A"), field("B", versions="2+")),
            ["request: B (int32) is removed (version 1)"],
        ),
        (
            foo(field("A", "string", nullableVersions="2+")),
            foo(field("A", "string", nullableVersions="1+")),
            ["request: A may be null (version 1)"],
        ),
        (
            foo(field("A"), field("L", "[]S", fields=[field("Deep", "int16")])),
            foo(field("A"), field("L", "[]S", fields=[field("Deep", "int8")])),
            ["request: L.Deep changes its type from int16 to int8 (versions 0-2)"],
        ),
        (
            foo(field("A")),
            foo(field("A"), field("B")),
            ["request: B (int32) is added (versions 0-2)", "request: B is added"],
        ),
    ],
    ids=["type", "order", "tag", "removed", "nullable", "nested", "added"],
)
def test_changed_bytes_of_a_released_version_are_news(
    tmp_path: Path, before: list[Spec], after: list[Spec], expected: list[str]
) -> None:
    assert details(tmp_path, before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            foo(field("A")),
            foo(field("A"), tagged("T", 0)),
            ["request: T is a tagged field (from version 0)", "request: T is added"],
        ),
        (foo(field("A")), foo(field("Other")), ["request: A is removed", "request: Other is added"]),
        (
            foo(field("A", "bytes")),
            foo(field("A", "records")),
            ['request: the default of A changes from "" to null'],
        ),
        (foo(field("A", about="Old.")), foo(field("A", about="New.")), []),
        (foo(field("A")), foo(field("A"), valid="0-3"), []),
        (
            foo(field("A", "string")),
            foo(field("A", "string", nullableVersions="1+")),
            ["request: A may be null (from version 1)"],
        ),
        (
            foo(field("A"), flexibleVersions="none"),
            foo(field("A"), flexibleVersions="1+"),
            ["versions 1-2 flexible"],
        ),
    ],
    ids=["tagged", "renamed", "records", "about", "version", "nullable", "flexible"],
)  # fmt: skip
def test_other_changes_are_listed_as_before(
    tmp_path: Path, before: list[Spec], after: list[Spec], expected: list[str]
) -> None:
    assert details(tmp_path, before, after) == expected


def test_the_news_name_the_versions_and_the_message(tmp_path: Path) -> None:
    old = [*foo(field("A")), response("Foo", 3, "0-2", field("B"), flexibleVersions="0+")]
    new = [*foo(field("A")), response("Foo", 3, "0-2", field("B", versions="0"), field("C", "int64", "1+"),
                                      flexibleVersions="0+")]  # fmt: skip
    (schema, fields) = news(tmp_path, old, new)
    assert (schema.event, str(schema.versions), schema.slug) == ("schema", "1-2", "foo")
    assert schema.details == (
        "response: B (int32) is removed (versions 1-2)",
        "response: C (int64) is added (versions 1-2)",
    )
    assert [change.path for change in fields.fields] == ["C"]
    (pair,) = Catalog.open(tmp_path).changes
    assert [str(change.versions) for change in pair.changes] == ["1-2", "1-2", "none"]
    assert {change.kind for change in pair.changes} == {"changed"}


def test_a_version_that_one_half_gains_or_loses_is_news(tmp_path: Path) -> None:
    def foo_with(of_request: str, *of_response: str) -> list[Spec]:
        answers = [response("Foo", 3, valid, field("A")) for valid in of_response]
        return [request("Foo", 3, of_request, field("A")), *answers]

    releases = [foo_with("0"), foo_with("0-1", "0"), foo_with("0-1", "0-1"), foo_with("1", "0-1")]
    build(inputs({f"1.{number}.0": specs for number, specs in enumerate(releases)}), tmp_path)
    by_release = {
        snapshot.name: [
            words for entry in (*snapshot.new, *snapshot.changed) for words in entry.details or (entry.words,)
        ]
        for snapshot in Catalog.open(tmp_path).snapshots
    }
    assert by_release == {
        "1.0.0": [],
        "1.1.0": ["version 1 added", "response: version 0 added", "response: A is added"],
        "1.2.0": ["response: version 1 added"],
        "1.3.0": ["request: version 0 removed"],
    }


def test_a_change_of_two_branches_is_news_of_each_and_not_repeated_later(tmp_path: Path) -> None:
    old, new = foo(field("A")), foo(field("A", "int64"))
    build(inputs({"1.0.0": old, "1.0.1": new, "1.1.0": new, "1.2.0": new}), tmp_path)
    changed = {snapshot.name: len(snapshot.changed) for snapshot in Catalog.open(tmp_path).snapshots}
    assert changed == {"1.0.0": 0, "1.0.1": 1, "1.1.0": 1, "1.2.0": 0}
