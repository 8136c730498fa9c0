"""The audit of the real history: what went wrong there is found again, what was sound is not
blamed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator

from tests.support import history_repo, needs_shared
from wirebook.docgen.pages.rules import incidents
from wirebook.docgen.pages.schemas import read_schema
from wirebook.docgen.pipeline.audit import audit
from wirebook.rules.catalogue import all_rules
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError

pytestmark = [pytest.mark.xdist_group("spark"), needs_shared, pytest.mark.long]

RELEASES = "[0-9]*"
PARTITION = "Responses.PartitionResponses"
DESCRIBED = "ConsumerGroupDescribeResponse"

# (release or beginning of the commit, severity, rule, message, field, versions)
EXPECTED = [
    ("29df9b6dad", "error", "nullability-changed", "FetchResponse", "Responses.Partitions.Records", "4-17"),
    ("70d729d804", "info", "layout-restored", "FetchResponse", "", "4-17"),
    ("a3b684d020", "info", "lowest-version-raised", "MetadataRequest", "", "0-3"),
    ("a3b684d020", "info", "lowest-version-raised", "JoinGroupRequest", "", "0-1"),
    ("4.0.0", "info", "lowest-version-raised", "JoinGroupRequest", "", "0-1"),
    ("4.0.0", "error", "lowest-version-raised", "LeaderAndIsrRequest", "", "0-7"),
    ("1197dab467", "error", "bad-json", "DescribeTopicPartitionsRequest", "Topics.Name", ""),
    ("3.8.0", "error", "bad-json", "DescribeTopicPartitionsRequest", "Cursor.TopicName", ""),
    ("3.8.0", "error", "bad-json", "DescribeTopicPartitionsResponse", "NextCursor.TopicName", ""),
    ("a4a660d249", "error", "bad-json", "DescribeProducersRequest", "", ""),
    ("2.8.0", "error", "bad-json", "DescribeProducersRequest", "", ""),
    ("2c6cffd363", "error", "missing-key", "FetchRequest", "ReplicaState", ""),
    ("3.5.0", "error", "missing-key", "FetchRequest", "ReplicaState", ""),
    ("4cd36f7ee4", "warning", "tag-reused", "FetchResponse", f"{PARTITION}.DivergingEpoch", "12"),
    ("d85d37b683", "warning", "flexible-versions-changed", "CreateTopicsResponse", "", "5"),
    ("3.0.0", "info", "unset-value-changed", "DeleteTopicsRequest", "Topics.Name", "6"),
    ("2.3.0", "error", "default-changed", "MetadataResponse", "ClusterId", "0-1"),
    ("2c3c5c8fb3", "error", "flexible-versions-changed", "PartitionRecord", "", "0"),
    ("1e05bab7c6", "error", "type-changed", "ShareSnapshotValue", "SnapshotEpoch", "0"),
    ("a2c78beaf4", "error", "versions-outside", DESCRIBED, "Groups.AuthorizedOperations", ""),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The audit of the whole history."""
    target = tmp_path_factory.mktemp("audit") / "audit"
    audit(str(history_repo()), RELEASES, target, "trunk")
    return target


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (folder / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def at(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    kind = "release" if "." in name else "commit"
    return [row for row in rows if row["kind"] == kind and str(row["name"]).startswith(name)]


@pytest.mark.parametrize(
    "expected", EXPECTED, ids=lambda item: f"{item[0]}-{item[2]}-{item[3]}-{item[4]}"
)
def test_what_went_wrong_is_found(rows: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    name, *wanted = expected
    keys = ("severity", "rule", "message_name", "field", "versions")
    assert wanted in [[row[key] for key in keys] for row in at(rows, name)]


def test_no_released_byte_changes_without_a_rule_that_says_so(rows: list[dict[str, Any]]) -> None:
    assert {row["rule"] for row in rows} <= {rule.name for rule in all_rules()}


@pytest.mark.parametrize("item", incidents()["incidents"], ids=lambda item: item["id"])
def test_every_incident_on_the_site_is_one(
    rows: list[dict[str, Any]], item: dict[str, Any]
) -> None:
    found = [row for row in at(rows, item["commit"]) if row["rule"] == item["rule"]]
    keys = {
        "message": "message_name",
        "field": "field",
        "versions": "versions",
        "severity": "severity",
    }
    matching = [row for row in found if all(row[key] == item[name] for name, key in keys.items())]
    assert [row["date"] for row in matching] == [item["date"]]
    if item["release"] is not None:
        # The release may have made the whole version another one, which says more than one of its
        # fields.
        rules = (item["rule"], "flexible-versions-changed")
        same = [row for row in at(rows, item["release"]) if row["rule"] in rules]
        assert item["message"] in {row["message_name"] for row in same}
    for commit in (item, item["fixed"]):
        if commit["commit"] is not None:
            message = (
                Git(history_repo()).run("log", "-1", "--format=%cs %b", commit["commit"]).decode()
            )
            assert message.startswith(commit["date"])
            assert f"upstream commit {commit['upstream']}" in message


def test_table_and_summary_say_the_same(folder: Path, rows: list[dict[str, Any]]) -> None:
    table = pq.read_table(folder / "tables" / "findings.parquet").to_pylist()
    keys = (
        "kind",
        "name",
        "date",
        "rule",
        "severity",
        "message",
        "field",
        "versions",
        "fingerprint",
    )
    assert [[row[key] for key in keys] for row in table] == [
        [row[key] for key in keys] for row in rows
    ]
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert (summary["commits"], summary["releases"]) == (431, 53)
    counted = Counter((row["kind"], row["severity"]) for row in rows)
    for kind in ("commit", "release"):
        of = {name: counted[kind, name] for name in ("error", "warning", "info")}
        assert summary["findings"][f"{kind}s"] == of
        assert of == {
            name: sum(item[f"{kind}s"][name] for item in summary["by_rule"]) for name in of
        }
    errors = [item["error"] for item in summary["worst"]]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("audit-summary", "summary.json"),
        ("audit-finding", "findings.jsonl"),
    ],
)
def test_what_is_written_is_as_its_schema_says(folder: Path, name: str, file: str) -> None:
    schema = read_schema(name)
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    documents = [
        json.loads(text) for text in (folder / file).read_text(encoding="utf-8").splitlines()
    ]
    assert documents
    assert [error.message for document in documents for error in judge.iter_errors(document)] == []
    assert {document["schema"] for document in documents} == {
        schema["properties"]["schema"]["const"]
    }


def test_nothing_to_judge_and_nowhere_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tag of"):
        audit(str(history_repo()), "nothing*", tmp_path / "audit")
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="holds other files"):
        audit(str(history_repo()), RELEASES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
