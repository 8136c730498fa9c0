"""The document of an API: which versions are deprecated and unstable, and the tags in their order."""

from __future__ import annotations

from pathlib import Path

from tests.docgen.histories import Spec, field, inputs, request, response, version_events
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline.run import build


def test_deprecated_and_unstable_versions_are_never_mixed_up(tmp_path: Path) -> None:
    plain = request("Foo", 3, "0-3", field("A"))
    marked = request("Foo", 3, "0-4", field("A"), deprecatedVersions="0-1", latestVersionUnstable=True)
    build(inputs({"1.0.0": [plain], "1.1.0": [marked]}), tmp_path)
    catalog = Catalog.open(tmp_path)
    document = catalog.api("Foo")
    assert [(item.versions, item.deprecated, item.unstable) for item in document.presence] == [
        ("0-3", "none", "none"),
        ("0-4", "0-1", "4"),
    ]
    assert [(item.version, item.state, item.unstable) for item in document.versions] == [
        (4, "unstable", True),
        (3, "current", False),
        (2, "current", False),
        (1, "deprecated", False),
        (0, "deprecated", False),
    ]
    assert document.newest_stable == 3
    row = catalog.index[0]
    assert (row.versions, row.deprecated, row.unstable) == ("0-4", "0-1", "4")
    served = catalog.snapshots[1].apis["foo"]
    assert (served.versions, served.deprecated, served.unstable) == ("0-4", (0, 1), (4,))


def story(folder: Path, releases: dict[str, list[Spec]]) -> list[tuple[str, str]]:
    """(event, release) of version 0 in some releases."""
    build(inputs(releases), folder)
    return version_events(Catalog.open(folder).api("Foo"), 0)


def test_a_version_that_returns_has_lost_the_marks_that_it_had(tmp_path: Path) -> None:
    unstable = [request("Foo", 3, "0", field("A"), latestVersionUnstable=True, deprecatedVersions="0")]
    stable = [request("Foo", 3, "0", field("A"))]
    happened = story(tmp_path, {"1.0.0": unstable, "1.1.0": [], "1.2.0": stable})
    assert happened == [
        ("added", "1.0.0"), ("deprecated", "1.0.0"), ("unstable", "1.0.0"), ("removed", "1.1.0"),
        ("returned", "1.2.0"), ("stable", "1.2.0"), ("undeprecated", "1.2.0"),
    ]  # fmt: skip


def test_a_branch_remembers_what_was_removed_before_it(tmp_path: Path) -> None:
    unstable = [request("Foo", 3, "0", field("A"), latestVersionUnstable=True)]
    stable = [request("Foo", 3, "0", field("A"))]
    happened = story(tmp_path, {"1.0.0": unstable, "1.1.0": [], "1.1.1": stable, "1.2.0": []})
    assert happened == [
        ("added", "1.0.0"), ("unstable", "1.0.0"), ("removed", "1.1.0"), ("returned", "1.1.1"),
        ("stable", "1.1.1"),
    ]  # fmt: skip


def key(number: int | None, kind: str, valid: str) -> dict[str, object]:
    """The spec of the key of a record that a coordinator stores."""
    spec = request("Foo", 0, valid, field("A"))
    del spec["listeners"]
    return spec | {"apiKey": number, "type": kind, "name": "FooKey"}


def events(tmp_path: Path, old: dict[str, object], new: dict[str, object]) -> list[tuple[int, list[str]]]:
    """What happened to each version of the key between two releases."""
    tmp_path.mkdir()
    build(inputs({"1.0.0": [old], "1.1.0": [new]}), tmp_path)
    document = Catalog.open(tmp_path).api("FooKey")
    return [(item.version, [event.event for event in item.events]) for item in document.versions]


def test_the_number_of_a_record_becomes_its_key(tmp_path: Path) -> None:
    old = key(None, "data", "2")
    del old["apiKey"]
    moved = events(tmp_path / "moved", old, key(2, "coordinator-key", "0"))
    assert moved == [(2, ["added", "renumbered"]), (0, ["renumbered"])]
    # Only the version with that number is the record; others come and go as any do.
    others = events(tmp_path / "others", old | {"validVersions": "1-2"}, key(2, "coordinator-key", "0"))
    assert others == [(2, ["added", "renumbered"]), (1, ["added", "removed"]), (0, ["renumbered"])]
    more = events(tmp_path / "more", old, key(2, "coordinator-key", "0-1"))
    assert more == [(2, ["added", "renumbered"]), (1, ["added"]), (0, ["renumbered"])]
    # A key whose number was no version of it is another record.
    other = events(tmp_path / "other", old, key(5, "coordinator-key", "0"))
    assert other == [(2, ["added", "removed"]), (0, ["added"])]
    # A version of a key that goes has only the number of the record.
    kept = events(tmp_path / "kept", key(1, "coordinator-key", "0-1"), key(1, "coordinator-key", "0"))
    assert kept == [(1, ["added", "removed"]), (0, ["added"])]


def test_tags_are_listed_by_struct_and_number_however_the_spec_orders_them(tmp_path: Path) -> None:
    def tagged(name: str, tag: int, kind: str = "int32") -> dict[str, object]:
        return field(name, kind, tag=tag, taggedVersions="0+")

    inner = [tagged("Y", 1), tagged("X", 0)]
    fields = [
        tagged("Last", 2),
        field("Outer", "[]Inner", fields=inner),
        tagged("First", 0),
        tagged("Middle", 1),
    ]
    build(inputs({"1.0.0": [response("Foo", 3, "0", *fields, flexibleVersions="0+")]}), tmp_path)
    tags = Catalog.open(tmp_path).api("Foo").messages[0].tags
    assert [(tag.struct, tag.tag, tag.field) for tag in tags] == [
        ("(top level)", 0, "First"),
        ("(top level)", 1, "Middle"),
        ("(top level)", 2, "Last"),
        ("Outer", 0, "X"),
        ("Outer", 1, "Y"),
    ]
