"""Catalogs from git and from folders: the same bytes twice, history merged in, bad input
refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.docgen.histories import (
    Catalog,
    Spec,
    built_here,
    field,
    field_of,
    own_catalog,
    repository,
    request,
    response,
    text_of,
    version_events,
)
from tests.docgen.site_requests import gathered
from tests.shared import temporary
from wirebook.docgen.pages.schemas import read_schema
from wirebook.docgen.pipeline.run import build
from wirebook.specs.output import CATALOG, LIST, replaced
from wirebook.specs.problems import InputError

# The release lines before 3.7, which the embedded specs know.
BEFORE = [
    "0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1", "2.0", "2.1",
    "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6",
]  # fmt: skip


def join_group(valid: str, **more: object) -> dict[str, Spec | str]:
    """An API that the embedded specs know, in a layout of our own, with its response."""
    return {
        "JoinGroupRequest.json": request(
            "JoinGroup", 11, valid, field("GroupId", "string"), **more
        ),
        "JoinGroupResponse.json": response("JoinGroup", 11, valid, field("ErrorCode", "int16")),
    }


@cache
def releases() -> Path:
    """A repository with four releases; one text of 3.8.0 is broken, one defines a message again."""
    other: dict[str, Spec | str] = {"OtherRequest.json": request("Other", 500, "0", field("A"))}
    return repository(
        {
            "3.7.0": {**join_group("0-9", deprecatedVersions="0-1"), **other},
            "3.8.0": {
                **join_group("0-9"),
                "OtherRequest.json": '{ "name": "OtherRequest",\n  "type": }',
                "deep/Again.json": request("JoinGroup", 11, "0"),
            },
            "4.0.0": {**join_group("2-9"), **other},
            "4.0.1": {**join_group("0-9"), **other},
            "not-a-release": {},
        }
    )


@cache
def history_catalog() -> tuple[Catalog, str]:
    """The catalog of these releases, and what building it printed. Of a clone."""
    folder = temporary("releases")
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(releases()), str(folder / "clone.git")], check=True
    )
    (folder / "catalog").mkdir()
    made = build(gathered(history=folder / "clone.git", releases="[0-9]*"), folder / "catalog")
    return Catalog.open(folder / "catalog"), "\n".join((*made.problems, made.summary))


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_two_runs_over_the_same_input_give_the_same_bytes() -> None:
    # Another folder, another clone: nothing of that is in the catalog.
    assert files(built_here(history=str(releases()), releases="[0-9]*").folder) == files(
        history_catalog()[0].folder
    )


def test_a_quiet_line_says_what_was_built() -> None:
    printed = history_catalog()[1]
    assert printed.splitlines()[-1].startswith("catalog of ")
    assert f"{len(BEFORE) + 4} snapshots" in printed


def test_a_broken_text_of_a_release_is_left_out_and_told_of() -> None:
    catalog, printed = history_catalog()
    found = catalog.manifest.problems
    assert len(found) == 2
    broken = next(line for line in found if "OtherRequest" in line)
    assert broken.startswith("left out of 3.8.0: ")
    assert "/OtherRequest.json:2:" in broken
    again = next(line for line in found if "Again" in line)
    assert "defines the same message as" in again
    for line in found:
        assert line in printed
    presence = {
        item.snapshot: item.versions for item in catalog.api("Other").presence[len(BEFORE) :]
    }
    assert presence == {"3.7.0": "0", "3.8.0": "none", "4.0.0": "0", "4.0.1": "0"}


def test_what_no_release_had_has_no_document() -> None:
    assert all(document.versions for document in history_catalog()[0].documents)


def test_each_api_version_names_the_release_that_first_had_it() -> None:
    found = {item.version: item for item in history_catalog()[0].levels}
    assert [item.id for item in found.values()] == list(range(len(found)))
    assert found["3.7-IV0"].snapshot == found["3.7-IV4"].snapshot == "3.7.0"
    assert found["4.0-IV3"].snapshot == "4.0.0"
    older = found["0.10.0-IV0"]
    assert older.snapshot == "0.10.0"


def test_the_history_of_the_specs_tells_what_came_before_the_first_release() -> None:
    document = history_catalog()[0].api("JoinGroup")
    oldest = document.versions[-1]
    assert oldest.version == 0
    found = {event.event: event.since for event in oldest.events}
    assert (found["added"].release, found["added"].at_or_before) == ("0.9.0", False)
    assert version_events(document, 0)[1:] == [
        ("deprecated", "3.7.0"),
        ("undeprecated", "3.8.0"),
        ("removed", "4.0.0"),
        ("returned", "4.0.1"),
    ]
    assert found["deprecated"].api_version is None, "no level deprecates: a release does"
    assert oldest.about


def test_without_a_history_the_snapshots_are_the_release_lines() -> None:
    catalog = own_catalog()
    assert {snapshot.kind for snapshot in catalog.snapshots} == {"release"}
    assert (catalog.snapshots[0].name, catalog.snapshots[-1].name) == ("0.8.0", "4.4")
    document = catalog.api("JoinGroup")
    # Removed in 4.0.0 and back in 4.0.1, whose ApiVersion is that of 4.0.0.
    assert [event for event, _ in version_events(document, 0)] == [
        "added",
        "deprecated",
        "removed",
        "returned",
        "undeprecated",
    ]
    assert version_events(document, 0)[0] == ("added", "0.9.0")
    oldest = catalog.api("Fetch").versions[-1]
    assert oldest.version == 0
    found = {event.event: event.since.api_version for event in oldest.events}
    assert found == {"added": "0.8.0", "deprecated": None, "removed": None}
    assert version_events(catalog.api("Fetch"), 0) == [
        ("added", "0.8.0"), ("deprecated", "3.7"), ("removed", "4.0"),
    ]  # fmt: skip
    assert catalog.api("Fetch").lifecycle[0].since.at_or_before is False


def test_a_foreign_source_alone_is_one_snapshot_without_a_story(tmp_path: Path) -> None:
    specs = tmp_path / "mine"
    specs.mkdir()
    (specs / "OddRequest.json").write_bytes(
        text_of(request("Odd", 900, "0-2", field("A", "string")))
    )
    catalog = built_here(source=str(specs))
    assert [(item.kind, item.predecessor) for item in catalog.snapshots] == [("source", None)]
    document = catalog.api("Odd")
    assert document.lifecycle == ()
    assert [version.state for version in document.versions] == ["current"] * 3
    assert field_of(document, "A").events == ()
    assert catalog.error_table is None


# -- what is refused
# ----------------------------------------------------------------------------------


@pytest.fixture
def last_good(tmp_path: Path) -> Iterator[Path]:
    """A folder with a catalog that must be the same when the test is over, with nothing beside
    it."""
    target = tmp_path / "out" / "catalog"
    with replaced(target, CATALOG) as folder:
        (folder / "manifest.json").write_text('{"schema": "wirebook/manifest/1"}')
    yield target
    assert {path.name for path in target.iterdir()} == {"manifest.json", LIST}
    assert {path.name for path in target.parent.iterdir()} == {"catalog"}


def refused(target: Path, **arguments: Any) -> str:
    with pytest.raises(InputError) as caught, replaced(target, CATALOG) as folder:
        build(gathered(**arguments), folder)
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_a_broken_text_of_the_source_stops_the_build(last_good: Path, tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "FooRequest.json").write_text('{\n  "name": "FooRequest", "type": }')
    assert refused(last_good, source=str(specs)).startswith("FooRequest.json:2:")


def test_releases_that_are_not_there_are_refused(last_good: Path) -> None:
    assert 'matches "9.*"' in refused(last_good, history=str(releases()), releases="9.*")
    assert refused(last_good, history=str(last_good.parent / "nowhere"), releases="*")


# -- what is written
# ----------------------------------------------------------------------------------


@cache
def validator(name: str) -> Draft202012Validator:
    layout = read_schema("layout")
    registry: Registry[Any] = Registry().with_resource(
        layout["$id"], Resource.from_contents(layout)
    )
    return Draft202012Validator(read_schema(name), registry=registry)


@pytest.mark.parametrize("which", ["own", "history"])
def test_every_document_has_the_form_that_its_schema_says(which: str) -> None:
    catalog = own_catalog() if which == "own" else history_catalog()[0]
    checked = 0
    for path in sorted(catalog.folder.rglob("*.json")):
        document = json.loads(path.read_bytes())
        name = document["schema"].split("/")[1]
        problems = [error.message for error in validator(name).iter_errors(document)]
        assert problems == [], path.name
        checked += 1
    assert checked > 5
