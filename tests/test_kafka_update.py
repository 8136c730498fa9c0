"""The update of the facts about Kafka: two small trees, as checkouts of Kafka."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from tools import kafka_update
from tools.changed_sources import run, without_comments
from tools.kafka_update import TO_WRITE, Kafka, Update, merged_spec, spec_text, updated
from wirebook.specs.kafka.registry import FOLDER, embedded_paths
from wirebook.specs.problems import InputError

MESSAGES = "clients/src/main/resources/common/message"
PROTOCOL = "clients/src/main/java/org/apache/kafka/common"
SERVER = "server-common/src/main/java/org/apache/kafka/server/common"
SPEC: dict[str, Any] = {
    "apiKey": 18, "type": "request", "listeners": ["broker", "controller"],
    "name": "ApiVersionsRequest", "validVersions": "0-5", "flexibleVersions": "3+",
    "fields": [
        {"name": "ClientSoftwareName", "type": "string", "versions": "3+", "ignorable": True, "about": "Theirs."},
        {"name": "ClientSoftwareVersion", "type": "string", "versions": "3+", "ignorable": True},
        {"name": "ClusterId", "type": "string", "versions": "5+", "nullableVersions": "5+",
         "default": "null", "ignorable": True},
        {"name": "NodeId", "type": "int32", "versions": "5+", "default": -1, "ignorable": True},
    ],
}  # fmt: skip
OLD = {
    "gradle.properties": "group=org.apache.kafka\nversion=4.4.0\n",
    f"{PROTOCOL}/protocol/Errors.java": '    NONE(0, "", NoException::new);\n',
    f"{PROTOCOL}/errors/NapException.java": "class NapException extends RetriableException {}\n",
    f"{SERVER}/MetadataVersion.java": 'IBP_4_4_IV2(33, "4.4", "IV2", true);\n',
    f"{MESSAGES}/ApiVersionsRequest.json": json.dumps(SPEC),
}
NEW_FIELD = {"name": "Nap", "type": "[]Rest", "versions": "6+", "about": "Theirs."}
REST = {"name": "Rest", "versions": "6+", "fields": [
    {"name": "Hours", "type": "int8", "versions": "6+", "about": "Theirs."},
]}  # fmt: skip
NEWER = {
    **SPEC, "validVersions": "3-6", "commonStructs": [REST], "fields": [*SPEC["fields"][:3], NEW_FIELD,
    {**SPEC["fields"][3], "name": "NodeIdOrNone"}],
}  # fmt: skip
NEWER["fields"][2] = {**NEWER["fields"][2], "default": "none"}
OTTER = {"type": "data", "name": "Otter", "validVersions": "0", "flexibleVersions": "none",
         "fields": [{"name": "Age", "type": "int8", "versions": "0+"}]}  # fmt: skip
NEW = {
    **OLD,
    "gradle.properties": "group=org.apache.kafka\nversion=4.5.0-SNAPSHOT\n",
    f"{PROTOCOL}/protocol/Errors.java": '    NONE(0, "", NoException::new),\n'
    '    NAP_NEEDED(137, "Theirs.", NapException::new);\n',
    f"{SERVER}/MetadataVersion.java": 'IBP_4_4_IV2(33, "4.4", "IV2", true),\n'
    '// Naps (KIP-9999).\nIBP_4_5_IV0(34, "4.5", "IV0", true);\n',
    f"{MESSAGES}/ApiVersionsRequest.json": f"// Theirs.\n// - NAP_NEEDED (version 6+)\n{json.dumps(NEWER)}",
    f"{MESSAGES}/Otter.json": json.dumps(OTTER),
}


def checkout(folder: Path, files: Mapping[str, str]) -> str:
    repo = Repo(folder)
    for name, text in files.items():
        repo.write(name, text)
    repo.commit("one")
    return str(folder)


@pytest.fixture(scope="module")
def update(tmp_path_factory: pytest.TempPathFactory) -> Update:
    folder = tmp_path_factory.mktemp("update")
    old, new = checkout(folder / "old", OLD), checkout(folder / "new", NEW)
    return updated(Kafka(old), Kafka(new))


def written(update: Update, name: str) -> Any:
    return json.loads(without_comments(update.files[FOLDER / name]))


def test_a_spec_has_what_is_new_and_keeps_what_kafka_removed(update: Update) -> None:
    spec = written(update, "messages/ApiVersionsRequest.json")
    assert spec["validVersions"] == "0-6"
    assert spec["history"][-1] == {"version": 6, "added": "4.5"}
    assert [entry["version"] for entry in spec["history"] if "removed" in entry] == [0, 1, 2]
    assert [field["name"] for field in spec["fields"]] == [
        "ClientSoftwareName", "ClientSoftwareVersion", "ClusterId", "Nap", "NodeIdOrNone",
    ]  # fmt: skip
    assert written(update, "messages/Otter.json")["history"] == [{"version": 0, "added": "4.5"}]


def test_errors_levels_ranges_and_branches_are_written(update: Update) -> None:
    error = written(update, "errors.json")["errors"][-1]
    assert (error["code"], error["name"], error["retriable"]) == (137, "NAP_NEEDED", True)
    assert written(update, "api_versions.json")[-1] == {
        "id": 67, "version": "4.5-IV0", "release": "4.5", "feature_level": 34,
    }  # fmt: skip
    broker = written(update, "broker_versions.json")["releases"][-1]
    assert (broker["release"], broker["versions"]) == ("4.5-dev", {"18": "3-6"})
    assert "4.5" in written(update, "releases.json")["unreleased"]
    assert "4.5" in written(update, "origins.json")["releases"]


def test_no_sentence_is_taken_and_the_tasks_have_their_places(update: Update) -> None:
    assert not any("Theirs" in text for text in update.files.values())
    tasks = "\n".join(update.tasks)
    for task in (
        '"about" of 4.5-IV0',
        r'"about" of NAP_NEEDED',
        "KIP-9999 (MetadataVersion.java)",
        "ApiVersionsRequest: version 6",
        "ApiVersionsRequest: field Nap.Hours",
        'ApiVersionsRequest: field ClusterId: default was "null", is "none"',
        'ApiVersionsRequest: the comment of the spec has "NAP_NEEDED (version 6+)"',
        "specs/kafka/finalized_features.json:3: ApiVersionsRequest: version 6: the feature",
        "specs/kafka/texts/Otter.json:1: Otter: field Age",
    ):
        assert task in tasks
    place = next(task for task in update.tasks if '"about" of NAP_NEEDED' in task)
    line = update.files[FOLDER / "errors.json"].split("\n")[int(place.split(":")[1]) - 1]
    assert '"NAP_NEEDED"' in line


def test_a_maintenance_release_adds_what_its_brokers_serve(tmp_path: Path) -> None:
    files = OLD | {"gradle.properties": "version=4.3.9\n"}
    old = checkout(tmp_path / "old", OLD | {"gradle.properties": "version=4.3.1\n"})
    update = updated(Kafka(old), Kafka(checkout(tmp_path / "new", files)))
    assert {path.name for path in update.files} == {
        "broker_versions.json", "releases.json", "origins.json",
    }  # fmt: skip
    rows = written(update, "broker_versions.json")["releases"]
    (row,) = (row for row in rows if row["release"] == "4.3.9")
    assert rows.index(row) < len(rows) - 1
    assert row["versions"] == {"18": "0-5"}
    days = list(written(update, "releases.json")["releases"])
    assert days.index("4.3.9") == days.index("4.3.1") + 1


def test_a_branch_with_a_number_is_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = checkout(tmp_path / "old", OLD), checkout(tmp_path / "new", NEW)
    branch = updated(Kafka(old), Kafka(new))
    release = updated(Kafka(old), Kafka(f"{new}=4.5.0"))
    assert "4.5" not in written(release, "releases.json")["unreleased"]
    day = written(release, "releases.json")["releases"]["4.5.0"]
    assert written(release, "api_versions.json")[-1]["date"] == day
    read = kafka_update.read
    of_branch = {name: written(branch, name) for name in ("broker_versions.json", "origins.json")}
    assert of_branch["broker_versions.json"]["releases"][-1]["release"] == "4.5-dev"
    monkeypatch.setattr(kafka_update, "read", lambda name: of_branch.get(name) or read(name))
    after = updated(Kafka(old), Kafka(f"{new}=4.5.0"))
    assert written(after, "broker_versions.json")["releases"][-1]["release"] == "4.5"
    assert list(written(after, "origins.json")["releases"])[-1] == "4.5.0"
    with pytest.raises(InputError, match=r"the code is 4\.5\.0, not 4\.6\.0"):
        Kafka(f"{new}=4.6.0")


def test_what_is_so_up_to_the_line_before_is_listed(tmp_path: Path) -> None:
    old = checkout(tmp_path / "old", OLD | {"gradle.properties": "version=4.3.1\n"})
    tasks = updated(Kafka(old), Kafka(checkout(tmp_path / "new", NEW))).tasks
    listed = [task for task in tasks if task.endswith('to 4.3": and in 4.5?')]
    assert any(task.startswith("specs/kafka/texts/StreamsGroupHeartbeat.json:") for task in listed)


def test_a_field_with_tagged_versions_only_is_kept() -> None:
    field = {"name": "Nap", "type": "int8", "taggedVersions": "0+", "tag": 0}
    spec = OTTER | {"$schema": "", "history": [{"version": 0, "added": "4.4"}], "fields": [field]}
    assert merged_spec(spec, spec, "4.5")["fields"] == [field]


def test_the_specs_are_as_the_tool_writes_them() -> None:
    for path in embedded_paths():
        text = path.read_text(encoding="utf-8")
        assert text == spec_text(json.loads(without_comments(text))), path.name


def test_nothing_is_left_to_be_written() -> None:
    for path in FOLDER.glob("*.json"):
        assert TO_WRITE not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"README": "of another project"}, "this is no checkout of Kafka"),
        (NEW | {"gradle.properties": "version=8.4.0-0-other\n"}, "this is no checkout of Kafka"),
        (NEW | {"gradle.properties": "version=4.3.0\n"}, "4.3.0 is not newer than 4.4.0"),
        (OLD, "4.4.0 is not newer than 4.4.0"),
        (
            {name: text for name, text in NEW.items() if "ApiVersions" not in name},
            "Kafka has removed ApiVersionsRequest: mark its versions as removed by hand",
        ),
        (
            NEW | {f"{MESSAGES}/Otter.json": json.dumps(OTTER | {"habitat": "river"})},
            f'{MESSAGES}/Otter.json:1:148: a message has no key "habitat"',
        ),
        (
            NEW | {f"{MESSAGES}/Otter.json": json.dumps(OTTER).replace("int8", "int7")},
            f"{MESSAGES}/Otter.json:1:",
        ),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: Mapping[str, str],
    said: str,
) -> None:
    monkeypatch.setattr(kafka_update, "write_files", lambda _: pytest.fail("something is written"))
    old, new = checkout(tmp_path / "old", OLD), checkout(tmp_path / "new", files)
    assert run(kafka_update.written, [old, new]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
