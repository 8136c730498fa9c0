"""The pipeline on a small history: every lifecycle word, and the same bytes as one Python process
makes."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

from tests.docgen.histories import (
    Catalog,
    events,
    field_of,
    inputs,
    table,
    version_events,
)
from tests.docgen.pipeline.small_history import history
from tests.docgen.without_spark import catalog_of
from wirebook.docgen.catalog.records import ServedVersions, Since
from wirebook.docgen.pipeline import distribute as module
from wirebook.docgen.pipeline.distribute import distribution, in_process
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.progress import SILENT, Progress
from wirebook.specs.problems import InputError


@cache
def catalog() -> Catalog:
    return Catalog.open(catalog_of(inputs(history())))


@pytest.mark.xdist_group("spark")
def test_spark_makes_the_same_bytes(tmp_path: Path) -> None:
    with distribution(None, {}, SILENT) as distribute:
        build(inputs(history()), tmp_path, distribute)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert len(made) > 65
    for name in made:
        assert (tmp_path / name).read_bytes() == (catalog().folder / name).read_bytes(), name


def test_without_pyspark_the_work_is_done_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with distribution(None, {}, Progress(sys.stderr)) as distribute:
        assert distribute is in_process
    assert (
        capsys.readouterr().err
        == "wirebook: pyspark is not installed: all work is done in this process\n"
    )
    with (
        pytest.raises(InputError, match="Spark is not installed"),
        distribution("local", {}, SILENT),
    ):
        pass


def test_what_never_changed_came_with_the_first_release_or_before() -> None:
    document = catalog().api("Steady")
    assert [event.event for event in document.lifecycle] == ["added"]
    since = document.lifecycle[0].since
    assert since == Since(None, None, "1.0.0", at_or_before=True)
    assert [version.state for version in document.versions] == ["current", "current"]


def test_a_new_version_is_unstable_then_stable_and_the_next_one_flexible() -> None:
    document = catalog().api("Grow")
    assert version_events(document, 1) == [
        ("added", "1.1.0"),
        ("unstable", "1.1.0"),
        ("stable", "1.2.0"),
    ]
    assert version_events(document, 2) == [("added", "2.0.0")]
    assert events(document.lifecycle) == [("added", "1.0.0"), ("flexible", "2.0.0")]
    assert [version.flexible for version in document.versions] == [True, False, False]


def test_a_version_that_was_removed_and_came_back_says_both_once() -> None:
    document = catalog().api("Leave")
    story = [
        ("added", "1.0.0"),
        ("deprecated", "1.1.0"),
        ("removed", "2.0.0"),
        ("returned", "2.0.1"),
    ]
    # It returned without its mark.
    story.append(("undeprecated", "2.0.1"))
    assert version_events(document, 0) == version_events(document, 1) == story
    assert version_events(document, 2) == [("added", "1.0.0")]
    assert [version.state for version in document.versions] == ["current"] * 4
    # The neighbours of 2.1.0 are 2.0.0 and 2.1.0: against that one, both versions are back.
    newest = catalog().snapshots[-1]
    assert ("Leave", "0-1") in [(item.api, item.versions.text) for item in newest.returned]


def test_a_field_goes_and_comes_back_with_the_only_versions_that_have_it() -> None:
    story = events(field_of(catalog().api("Leave"), "B").events)
    assert story[:3] == [("added", "1.0.0"), ("removed", "2.0.0"), ("returned", "2.0.1")]
    assert story[3:] == [("ended", "1.0.0")], "the version after the last one that has it"


@pytest.mark.parametrize("name", ["Gone", "Vanish"])
def test_an_api_that_has_gone_keeps_its_document(name: str) -> None:
    document = catalog().api(name)
    assert document.removed is True
    assert events(document.lifecycle) == [("added", "1.0.0"), ("removed", "2.0.0")]
    assert document.presence[-1].versions == "none"
    assert document.presence[0].versions == ("0-2" if name == "Gone" else "0")
    assert {version.state for version in document.versions} == {"removed"}
    assert document.messages[0].versions[0].layout.fields[0].name == "A"
    assert field_of(document, "A").removed is True
    assert field_of(document, "A").last_seen == "1.2.0"
    assert events(field_of(document, "A").events) == [("added", "1.0.0"), ("removed", "2.0.0")]


def test_a_renamed_field_goes_on_with_the_story_of_its_old_name() -> None:
    document = catalog().api("Fields")
    new, old = field_of(document, "NewName"), field_of(document, "OldName")
    assert events(new.events) == [("added", "1.0.0"), ("renamed", "1.1.0")]
    assert new.events[1].words == "was called OldName before"
    assert new.former_names == ("OldName",)
    assert old.removed is True
    assert old.events[-1].words == "is called NewName from then on"
    assert field_of(document, "NewName.Deep").former_names == ("OldName.Deep",)


def test_a_renamed_api_is_one_api() -> None:
    document = catalog().api("After")
    assert (document.api, document.former_names) == ("After", ("Before",))
    assert events(document.lifecycle) == [("added", "1.0.0")]
    assert catalog().api("Before") == document


def test_variants_are_told_where_a_version_had_another_layout() -> None:
    version = catalog().api("Fields").messages[0].versions[1]
    assert version.origin.snapshot == "2.1.0"
    assert [item.snapshots for item in version.variants] == [
        ("1.2.0",),
        ("1.1.0", "1.1.1"),
        ("1.0.0", "1.0.1"),
    ]
    assert set(version.variants[0].changes) == {
        "Dropped (string) is removed",
        "the default of Default changes from 3 to 5",
    }


def test_snapshots_tell_what_is_new_against_their_predecessor() -> None:
    snapshots = {snapshot.name: snapshot for snapshot in catalog().snapshots}
    assert [snapshots[name].predecessor for name in ("1.0.0", "1.1.0", "1.1.1", "2.0.0")] == [
        None,
        "1.0.0",
        "1.1.0",
        "1.2.0",
    ]
    assert snapshots["1.0.0"].new == ()
    assert ("Grow", "1", False) in [
        (item.api, item.versions.text, item.whole) for item in snapshots["1.1.0"].new
    ]
    assert ("Gone", "0-2", True) in [
        (item.api, item.versions.text, item.whole) for item in snapshots["2.0.0"].removed
    ]
    assert ("default", "Default", "3", "5") in [
        (each.event, each.path, each.old, each.new)
        for line in snapshots["2.0.0"].changed
        if line.api == "Fields"
        for each in line.fields
    ]
    assert snapshots["2.0.0"].apis["leave"] == ServedVersions("2-3", (), (), "2-3")
    assert "gone" not in snapshots["2.0.0"].apis


def test_each_distinct_text_is_in_the_tables_once() -> None:
    versions = table(catalog(), "versions").to_pylist()
    assert len({(row["digest"], row["version"]) for row in versions}) == len(versions)
