"""The document of an API: all that a history of releases can do to one, and the whole of what comes
of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.histories import (
    Catalog,
    Spec,
    events,
    field,
    field_of,
    inputs,
    request,
    response,
    text_of,
    version_events,
)
from tests.docgen.site_requests import gathered
from wirebook.docgen.catalog.records import NewsItem, SnapshotRecord
from wirebook.docgen.pipeline.run import build
from wirebook.specs.json_records import to_json

GOLDEN = Path(__file__).parent / "golden"
INNER = [field("Deep"), field("Low", "int64", versions="1+")]


def story() -> dict[str, list[Spec]]:
    """An API whose versions are unstable, deprecated, removed and reintroduced, and whose fields
    change."""
    group = field("OldName", "[]Inner", fields=INNER)
    renamed = field("NewName", "[]Inner", fields=INNER)
    note = field("Note", "string", versions="1+", nullableVersions="2+", tag=0, taggedVersions="2+")
    limit = field("Limit", default="5")
    return {
        "1.0.0": [request("Story", 7, "0-1", field("Limit", default="3"), group)],
        "1.1.0": [
            request("Story", 7, "0-2", field("Limit", default="3"), group, note, latestVersionUnstable=True,
                    flexibleVersions="2+"),
            response("Story", 7, "0-2", field("Code", "int16"), flexibleVersions="2+"),
        ],
        "2.0.0": [
            request("Story", 7, "0-2", limit, renamed, note, deprecatedVersions="0-1", flexibleVersions="2+"),
            response("Story", 7, "0-2", field("Code", "int16"), flexibleVersions="2+"),
        ],
        "2.1.0": [
            request("Saga", 7, "1-3", limit, renamed, field("Next", versions="3+"), deprecatedVersions="1",
                    flexibleVersions="2+", latestVersionUnstable=True),
            response("Saga", 7, "1-3", field("Code", "int32"), flexibleVersions="2+"),
        ],
        "2.2.0": [
            request("Saga", 7, "0-3", limit, renamed, field("Next", versions="3+"), flexibleVersions="2+",
                    deprecatedVersions="0-1", latestVersionUnstable=True),
            response("Saga", 7, "0-3", field("Code", "int32"), flexibleVersions="2+"),
            {"type": "data", "name": "Lone", "validVersions": "0", "flexibleVersions": "none",
             "fields": [field("A")]},
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    folder = tmp_path_factory.mktemp("documents") / "catalog"
    folder.mkdir()
    build(inputs(story()), folder)
    return Catalog.open(folder)


def changed(release: SnapshotRecord) -> list[NewsItem]:
    kinds = (release.new, release.deprecated, release.removed, release.returned, release.changed)
    return [item for items in kinds for item in items]


def test_the_whole_document_is_as_reviewed(catalog: Catalog) -> None:
    text = json.dumps(
        {
            "index": [to_json(row) for row in catalog.index],
            "api": to_json(catalog.api("7")),
            "changes": [
                {
                    "snapshot": release.name,
                    "predecessor": release.predecessor,
                    "changes": [to_json(item) for item in changed(release)],
                }
                for release in catalog.snapshots
                if release.predecessor is not None
            ],
        },
        indent=1,
    )
    path = GOLDEN / "story.json"
    if os.environ.get("WIREBOOK_UPDATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert json.loads(text) == json.loads(path.read_text(encoding="utf-8"))


def test_states_are_those_of_the_newest_release(catalog: Catalog) -> None:
    record = catalog.api("7")
    document: Any = to_json(record)
    states = {item["version"]: item["state"] for item in document["versions"]}
    assert states == {3: "unstable", 2: "current", 1: "deprecated", 0: "deprecated"}
    presence = {item["snapshot"]: item for item in document["presence"]}
    assert presence["1.1.0"] == {
        "snapshot": "1.1.0", "versions": "0-2", "unstable": "2", "deprecated": "none"
    }  # fmt: skip
    assert presence["2.0.0"]["deprecated"] == "0-1"
    assert presence["2.1.0"]["versions"] == "1-3"
    assert (document["newest_stable"], document["removed"], document["former_names"]) == (
        2,
        False,
        ["Story"],
    )
    row = next(row for row in to_json(list(catalog.index)) if row["api_key"] == 7)
    assert (row["versions"], row["unstable"]) == ("0-3", "3")
    assert version_events(record, 0) == [
        ("added", "1.0.0"), ("deprecated", "2.0.0"), ("removed", "2.1.0"), ("returned", "2.2.0")
    ]  # fmt: skip


def test_fields_keep_their_story(catalog: Catalog) -> None:
    record = catalog.api("7")
    document: Any = to_json(record)
    group: Any = to_json(field_of(record, "NewName"))
    assert (group["former_names"], group["removed"]) == (["OldName"], False)
    assert events(field_of(record, "NewName").events) == [("added", "1.0.0"), ("renamed", "2.0.0")]
    note: Any = to_json(field_of(record, "Note"))
    assert (note["removed"], note["last_seen"], note["versions"]) == (True, "2.0.0", "1-2")
    assert document["messages"][0]["tags"] == [
        {"struct": "(top level)", "tag": 0, "field": "Note", "type": "string", "versions": "2",
         "reserved": True}
    ]  # fmt: skip
    assert [event.words for event in field_of(record, "Limit").events if event.words] == [
        "the default changes from 3 to 5"
    ]


def test_a_message_of_no_api_has_a_document_too(catalog: Catalog) -> None:
    record = catalog.api("Lone")
    document: Any = to_json(record)
    assert (document["kind"], document["api_key"], document["newest_stable"]) == ("data", None, 0)
    assert [item["versions"] for item in document["presence"]] == ["none"] * 4 + ["0"]


def test_a_history_dates_versions_and_fields_by_protocol_level(tmp_path: Path) -> None:
    history = [
        {
            "version": 0,
            "added": "3.3-IV0",
            "deprecated": "3.7-IV4",
            "removed": "4.0-IV3",
            "about": "First.",
        },
        {"version": 1, "added": "3.4-IV0", "about": "Second.", "fields": {"Late": "3.5-IV1"}},
    ]
    source = tmp_path / "source"
    source.mkdir()
    spec = request("Dated", 5, "0-1", field("A"), field("Late", versions="1+"), history=history)
    (source / "DatedRequest.json").write_bytes(text_of(spec))
    (source / "wirebook.toml").write_text('extends = "kafka"\n')
    folder = tmp_path / "catalog"
    folder.mkdir()
    build(gathered(source), folder)
    record = Catalog.open(folder).api("Dated")
    document: Any = to_json(record)

    def levels(events: list[Spec]) -> list[tuple[str, str]]:
        return [(event["event"], event["since"]["api_version"]) for event in events]

    assert {item["version"]: levels(item["events"]) for item in document["versions"]} == {
        0: [("added", "3.3-IV0"), ("deprecated", "3.7-IV4"), ("removed", "4.0-IV3")],
        1: [("added", "3.4-IV0")],
    }
    assert [(item["version"], item["state"], item["about"]) for item in document["versions"]] == [
        (1, "current", "Second."), (0, "removed", "First.")
    ]  # fmt: skip
    assert levels(to_json(field_of(record, "A").events)) == [("added", "3.3-IV0")]
    assert levels(to_json(field_of(record, "Late").events)) == [("added", "3.5-IV1")]
    presence = {item["snapshot"]: item for item in document["presence"]}
    shown = {name: (item["versions"], item["deprecated"]) for name, item in presence.items()}
    assert {name: shown[name] for name in ("3.2", "3.3", "3.4", "3.7", "4.0")} == {
        "3.2": ("none", "none"),
        "3.3": ("0", "none"),
        "3.4": ("0-1", "none"),
        "3.7": ("0-1", "0"),
        "4.0": ("1", "none"),
    }
