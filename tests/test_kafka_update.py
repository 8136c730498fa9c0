"""The update of the facts about Kafka: two small trees, as checkouts of Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.checkouts import checkout_of
from tools import kafka_update
from tools.kafka_code import printed
from tools.kafka_update import merged_spec, spec_text, written
from wirebook.specs.jsontext import parse_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.registry import FOLDER, embedded_paths

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
BEAVER = {
    "type": "data",
    "name": "Beaver",
    "validVersions": "0",
    "flexibleVersions": "none",
    "fields": [],
}
OLD = {
    f"{PROTOCOL}/protocol/Errors.java": '    NONE(0, "", NoException::new);\n',
    f"{SERVER}/MetadataVersion.java": 'IBP_4_4_IV2(33, "4.4", "IV2", true);\n',
    f"{MESSAGES}/ApiVersionsRequest.json": json.dumps(SPEC),
    f"{MESSAGES}/Beaver.json": json.dumps(BEAVER),
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
    f"{PROTOCOL}/protocol/Errors.java": '    NONE(0, "", NoException::new);\n'
    '    NAP_NEEDED(137, "Theirs.", NapException::new);\n',
    f"{SERVER}/MetadataVersion.java": 'IBP_4_4_IV2(33, "4.4", "IV2", true),\n'
    'IBP_4_5_IV0(34, "4.5", "IV0", true);\n',
    f"{MESSAGES}/ApiVersionsRequest.json": f"// Theirs.\n{json.dumps(NEWER)}",
    "metadata/src/main/resources/common/metadata/Otter.json": json.dumps(OTTER),
}


class Update:
    """What a run prints, and the files that it writes, by their paths below the facts."""

    def __init__(self, folder: Path, old: Mapping[str, str], new: Mapping[str, str]) -> None:
        self.old = str(checkout_of(folder / "old", old).repository)
        self.new = str(checkout_of(folder / "new", new).repository)
        self.files: dict[str, str] = {}
        self.lines: list[str] = []

    def run(self, release: str, monkeypatch: pytest.MonkeyPatch) -> Update:
        def write(texts: Mapping[Path, bytes]) -> None:
            self.files = {str(path.relative_to(FOLDER)): texts[path].decode() for path in texts}

        monkeypatch.setattr(kafka_update, "write_files", write)
        self.lines = list(written(self.old, self.new, release))
        return self

    def document(self, name: str) -> Any:
        return parse_json(self.files[name], name).value


@pytest.fixture(scope="module")
def update(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Update]:
    with pytest.MonkeyPatch.context() as patch:
        yield Update(tmp_path_factory.mktemp("update"), OLD, NEW).run("4.5-dev", patch)


def test_a_spec_has_what_is_new_and_keeps_what_kafka_removed(update: Update) -> None:
    spec = update.document("messages/ApiVersionsRequest.json")
    assert spec["validVersions"] == "0-6"
    assert spec["history"][-1] == {"version": 6, "added": "4.5"}
    assert [entry["version"] for entry in spec["history"] if "removed" in entry] == [0, 1, 2]
    assert [field["name"] for field in spec["fields"]] == [
        "ClientSoftwareName", "ClientSoftwareVersion", "ClusterId", "Nap", "NodeIdOrNone",
    ]  # fmt: skip
    otter = update.document("messages/metadata/Otter.json")
    assert otter["$schema"] == "../../../schema/message.json"
    assert otter["history"] == [{"version": 0, "added": "4.5"}]
    assert not any("Theirs" in text for text in update.files.values())


def test_what_a_person_has_to_write_is_printed(update: Update) -> None:
    assert update.lines == [
        "written: messages/ApiVersionsRequest.json",
        "written: messages/metadata/Otter.json",
        "written: broker_versions.json",
        "Kafka has removed Beaver: mark its versions as removed",
        "errors.json lacks NAP_NEEDED, 137",
        "api_versions.json lacks 4.5-IV0, feature level 34",
    ]


def test_a_release_replaces_the_row_of_its_branch(
    update: Update, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_branch = update.document("broker_versions.json")
    row = {
        "release": "4.5-dev",
        "versions": {"18": "3-6"},
        "listeners": {"broker": "18", "controller": "18"},
    }
    assert of_branch["releases"][-1] == row
    monkeypatch.setattr(
        kafka_update, "facts", lambda name: of_branch if "broker" in name else facts(name)
    )
    release = Update(tmp_path, OLD, NEW).run("4.5", monkeypatch)
    rows = release.document("broker_versions.json")["releases"]
    assert rows == [*of_branch["releases"][:-1], row | {"release": "4.5"}]


def test_a_maintenance_release_adds_what_its_brokers_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Update(tmp_path, OLD, NEW).run("4.3.9", monkeypatch)
    rows = update.document("broker_versions.json")["releases"]
    assert list(update.files) == ["broker_versions.json"]
    assert [row["release"] for row in rows][-3:] == ["4.3", "4.3.9", "4.4"]
    with_it = {"releases": rows, "apis": {}}
    monkeypatch.setattr(
        kafka_update, "facts", lambda name: with_it if "broker" in name else facts(name)
    )
    same = Update(tmp_path / "same", OLD, NEW).run("4.3.10", monkeypatch)
    assert same.document("broker_versions.json")["releases"] == rows


def test_a_field_with_tagged_versions_only_is_kept() -> None:
    field = {"name": "Nap", "type": "int8", "taggedVersions": "0+", "tag": 0}
    spec = OTTER | {"$schema": "", "history": [{"version": 0, "added": "4.4"}], "fields": [field]}
    assert merged_spec(spec, spec, "4.5")["fields"] == [field]


def test_the_specs_are_as_the_tool_writes_them() -> None:
    for path in embedded_paths():
        text = path.read_text(encoding="utf-8")
        spec: Any = parse_json(text, path.name).value
        assert text == spec_text(spec), path.name


def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kafka_update, "write_files", lambda _: pytest.fail("something is written"))
    old = str(checkout_of(tmp_path / "old", OLD).repository)
    new = str(checkout_of(tmp_path / "new", {"README": "of another project"}).repository)
    assert printed(written(old, new, "4.5")) == 2
    assert capsys.readouterr() == ("", f"{new}: this is no commit of Kafka: it has no specs\n")
