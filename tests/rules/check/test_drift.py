"""`wirebook check --drift`: a tree against each of its releases, whatever the old side has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, request, started
from tests.support import history_repo, needs_shared
from wirebook.cli.main import main
from wirebook.rules.formats.drift import spans

FETCH = f"{FOLDER}/FetchRequest.json"
RELEASED = ("--released", "[0-9]*")


def spec(kind: str) -> str:
    field = {"name": "MaxWaitMs", "type": kind, "versions": "0+"}
    return json.dumps(request(fields=[field]))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Releases 1.0.0 and 1.1.0 have an int32 where 1.2.0, 1.3.0 and the branch have an int64."""
    tree = started(tmp_path / "repository")
    for kind, releases in (("int32", ("1.0.0", "1.1.0")), ("int64", ("1.2.0", "1.3.0"))):
        tree.write(FETCH, spec(kind))
        for release in releases:
            tree.write("README", release)
            tree.commit(release)
            tree.git("tag", release)
    monkeypatch.chdir(tree.folder)
    return tree


def drift(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["check", "--drift", *RELEASED, *arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)["findings"]


def test_what_the_old_side_has_is_drift(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--all", *RELEASED]) == 0
    capsys.readouterr()
    code, findings = drift(capsys)
    (row,) = findings
    assert code == 1
    assert (row["rule"], row["field"], row["severity"]) == ("type-changed", "MaxWaitMs", "error")
    assert row["releases"] == ["1.0.0", "1.1.0"]
    assert row["proof"]["writer"] == "a peer of 1.0.0"
    assert row["location"]["path"] == FETCH


def test_the_newest_releases_may_disagree_alone(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(FETCH, spec("int32"))
    (row,) = drift(capsys)[1]
    assert row["releases"] == ["1.2.0", "1.3.0"]


def test_the_table(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--drift", *RELEASED]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["message", "versions", "releases", "state", "rule", "field"]
    assert lines[3].split() == [
        "FetchRequest", "0-2", "1.0.0", "to", "1.1.0", "error", "type-changed", "MaxWaitMs",
    ]  # fmt: skip
    assert main(["check", "--drift", *RELEASED, "--explain"]) == 1
    assert "a peer of 1.0.0 sends" in capsys.readouterr().out
    assert main(["check", "--drift", *RELEASED, "--format", "markdown"]) == 1
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert rows[1] == "| FetchRequest | 0-2 | 1.0.0 to 1.1.0 | error | type-changed | MaxWaitMs |"


def test_a_waived_row_is_shown(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--drift", *RELEASED, "--waive"])
    waiver = capsys.readouterr().out.replace('reason = ""', 'reason = "nobody runs 1.1"')
    repo.write("waivers.toml", waiver.replace('by = ""', 'by = "the release manager"'))
    code, (row,) = drift(capsys)
    assert code == 0
    assert row["waived"]


def test_a_frozen_file_and_named_files(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["freeze", *RELEASED, "-o", "released.wirebook"]) == 0
    capsys.readouterr()
    assert main(["check", "--drift", "--released", "released.wirebook", "--format", "json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["findings"]
    assert row["releases"] == ["1.0.0", "1.1.0"]
    others = [path for path in (repo.folder / FOLDER).iterdir() if path.name != "FetchRequest.json"]
    assert drift(capsys, f"{FOLDER}/{others[0].name}") == (0, [])
    assert len(drift(capsys, FETCH)[1]) == 1


def test_without_releases_and_with_options_of_a_change(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--drift"]) == 2
    assert "--drift compares with releases" in capsys.readouterr().err
    assert main(["check", "--drift", "--hook", *RELEASED]) == 2
    assert "--drift judges no change" in capsys.readouterr().err


def test_a_hostile_name_leaves_the_table_whole(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    text = spec("int32").replace("MaxWaitMs", "Max|\\u001b[31m\\nWait")
    repo.write(FETCH, text)
    main(["check", "--drift", *RELEASED])
    assert "\x1b" not in capsys.readouterr().out
    main(["check", "--drift", *RELEASED, "--format", "markdown"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert {row.replace("\\|", "").count("|") for row in rows} == {7}


@pytest.mark.parametrize(
    ("names", "words"),
    [(["b", "c"], "b to c"), (["a", "c"], "a, c"), (["d", "a", "b"], "a to b, d"), ([], "")],
)
def test_releases_as_ranges(names: list[str], words: str) -> None:
    assert spans(names, ["a", "b", "c", "d"]) == words


@pytest.mark.long
@needs_shared
def test_the_history_of_kafka(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(history_repo())
    _, findings = drift(capsys)
    rows = {(row["message_name"], row["rule"], row["field"]): row for row in findings}
    value = rows["GroupMetadataValue", "default-changed", "members.rebalanceTimeout"]
    assert (value["releases"][0], value["releases"][-1]) == ("2.8.0", "3.5.2")
    epoch = rows["ShareSnapshotValue", "type-changed", "SnapshotEpoch"]
    assert epoch["releases"] == ["4.0.0", "4.0.1"]


def test_a_message_with_another_key_is_drift(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(FETCH, json.dumps(request(apiKey=77, fields=json.loads(spec("int64"))["fields"])))
    row = next(each for each in drift(capsys)[1] if each["rule"] == "api-key-changed")
    assert (row["severity"], row["releases"]) == ("error", ["1.3.0"])


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_protocols_have_the_releases_of_each(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = Repo(tmp_path / "several")
    for name in ("newt", "otter"):
        tree.write(f"{name}/FetchRequest.json", spec("int32"))
    table = '[[protocol]]\nname = "{0}"\npaths = ["/{0}"]\nreleased = ["{0}-v*"]\n'
    tree.write("wirebook.toml", table.format("newt") + table.format("otter"))
    tree.commit("first")
    for tag in ("newt-v1.0.0", "otter-v1.0.0", "otter-v2.0.0"):
        tree.git("tag", tag)
    tree.write("otter/FetchRequest.json", spec("int64"))
    tree.commit("another type")
    monkeypatch.chdir(tree.folder)
    assert main(["check", "--drift", "--format", form]) == 1
    out = capsys.readouterr().out
    assert "otter-v1.0.0 to otter-v2.0.0" in out.split("FetchRequest")[-1]
    assert ("3 releases: " in out) == (form == "markdown")
