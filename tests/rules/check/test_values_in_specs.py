"""`wirebook check` and the values that specs list: compared with the other side and with all
releases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from tests.rules.listed_values import FAST, SAFE, field, spec, value
from wirebook.cli.main import main

SETTINGS = 'paths = ["m"]\nreleased = "v*"\n[negotiation]\nname = "A"\napi_key = 99\n'
TABLE = f'{SETTINGS}[tables]\nvalues = "m/values.json"\n'


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repository")
    made.write("wirebook.toml", SETTINGS)
    made.spec(spec(field(SAFE, FAST)), "m")
    made.commit("the specs")
    made.git("tag", "v1.0.0")
    monkeypatch.chdir(made.folder)
    return made


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["check", "--against", "HEAD", *arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)["findings"]


def of_values(findings: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    return [
        (each["rule"], each["severity"], each["released_in"])
        for each in findings
        if each["rule"].startswith("value-")
    ]


REUSED = [("value-reused", "error", "v1.0.0")]


def test_a_number_of_a_release(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(spec(field(SAFE, value(1, "fair"))), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (1, REUSED)
    assert findings[0]["location"]["path"] == findings[0]["previous"]["path"] == "m/FooData.json"
    assert findings[0]["field"] == "Mode"
    repo.spec(spec(field(SAFE, FAST, value(2, "fair"))), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (0, [("value-added", "info", None)])


def test_a_number_that_no_release_has(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(spec(field(SAFE, FAST, value(2, "fair"))), "m")
    repo.commit("one more")
    repo.spec(spec(field(SAFE, FAST, value(2, "slow"))), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (0, [("value-reused", "warning", None)])


def test_a_number_that_was_removed_since(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    deprecated = value(1, "fast", deprecatedVersions="0+")
    repo.spec(spec(field(SAFE, deprecated)), "m")
    repo.commit("deprecated")
    repo.git("tag", "v2.0.0")
    repo.spec(spec(field(SAFE)), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (0, [("value-removed", "info", "v1.0.0")])
    repo.commit("removed")
    repo.spec(spec(field(SAFE, value(1, "fair"))), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (1, REUSED)


def test_a_new_version_may_give_it_another_meaning(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    values = (SAFE, value(1, "fast", versions="0"), value(1, "fair", versions="1+"))
    repo.spec(spec(field(*values), top=1), "m")
    assert of_values(check(capsys)[1]) == []


def test_a_field_and_a_message_that_are_renamed(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(spec(field(SAFE, value(1, "fair"), name="Kind")), "m")
    assert of_values(check(capsys)[1]) == REUSED
    repo.spec(spec(field(SAFE, FAST, name="Kind")), "m")
    assert of_values(check(capsys)[1]) == []


@pytest.mark.parametrize("key", ["values", "v\\u0061lues"])
@pytest.mark.parametrize("folder", ["m", "m/message"])
def test_a_spec_takes_the_place_of_a_table_that_stays(
    folder: str, key: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("wirebook.toml", TABLE)
    listed = [{"value": 1, "name": "fast", "meaning": "Fast."}]
    sets = [{"fields": ["BarData.Mode"], "values": listed}]
    repo.write("m/values.json", {"schema": "wirebook/values/1", "sets": sets})
    repo.spec(spec(field(), name="BarData"), folder)
    repo.commit("a table")
    repo.git("tag", "v1.1.0")
    text = json.dumps(spec(field(value(1, "fair")), name="BarData"))
    repo.write(f"{folder}/BarData.json", text.replace('"values"', f'"{key}"'))
    repo.git("add", "-A")
    for arguments in ((), ("--staged",)):
        assert of_values(check(capsys, *arguments)[1]) == [("value-reused", "error", "v1.1.0")]
    repo.spec(spec(field(SAFE, FAST), name="BarData"), folder)
    assert of_values(check(capsys)[1]) == [("value-added", "info", None)]


def test_a_shared_struct_takes_the_place_of_a_table_that_stays(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    def shared(*values: dict[str, object]) -> dict[str, Any]:
        structs = [{"name": "Own", "versions": "0+", "fields": [field(*values)]}]
        return {"type": "structs", "commonStructs": structs}

    repo.write("wirebook.toml", TABLE)
    listed = [{"value": 1, "name": "fast", "meaning": "Fast."}]
    sets = [{"fields": ["BarData.Own.Mode"], "values": listed}]
    repo.write("m/values.json", {"schema": "wirebook/values/1", "sets": sets})
    own = {"name": "Own", "type": "Own", "versions": "0+", "about": "It."}
    repo.spec(spec(own, name="BarData", imports=["Own.json"]), "m")
    repo.write("m/Own.json", shared())
    repo.commit("a table")
    repo.git("tag", "v1.1.0")
    repo.write("m/Own.json", shared(value(1, "fair")))
    repo.git("add", "-A")
    for arguments in ((), ("--staged",)):
        assert of_values(check(capsys, *arguments)[1]) == [("value-reused", "error", "v1.1.0")]


def test_a_table_moves_into_a_spec(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    table = {"schema": "wirebook/values/1", "sets": [{"fields": ["BarData.Mode"], "values": [
        {**each, "meaning": "It."} for each in (SAFE, FAST)]}]}  # fmt: skip
    repo.write("wirebook.toml", TABLE)
    repo.write("m/values.json", table)
    repo.spec(spec(field(), name="BarData"), "m")
    repo.commit("a table")
    repo.git("tag", "v2.0.0")
    repo.write("wirebook.toml", SETTINGS)
    (repo.folder / "m/values.json").unlink()
    repo.spec(spec(field(SAFE, FAST), name="BarData"), "m")
    assert of_values(check(capsys)[1]) == []
    repo.spec(spec(field(SAFE, value(1, "fair")), name="BarData"), "m")
    assert of_values(check(capsys)[1]) == [("value-reused", "error", "v2.0.0")]


def test_a_shared_struct_is_one_finding(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    def shared(*values: dict[str, object], names: Sequence[str] = ("Setting",)) -> None:
        structs = [{"name": name, "versions": "0+", "fields": [field(*values)]} for name in names]
        repo.write("m/Common.json", {"type": "structs", "commonStructs": structs})

    shared(SAFE, FAST)
    holder = {"name": "S", "type": "Setting", "versions": "0+", "about": "It."}
    for name in ("AData", "BData"):
        repo.spec(spec(holder, {**holder, "name": "T"}, name=name, imports=["Common.json"]), "m")
    repo.commit("shared")
    repo.git("tag", "v2.0.0")
    shared(SAFE, value(1, "fair"))
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (1, [("value-reused", "error", "v2.0.0")])
    assert findings[0]["location"]["path"] == "m/Common.json"
    assert "this also applies to BData 0 (T.Mode)" in findings[0]["message"]
    # At another line of the file, too.
    shared(SAFE, value(1, "fair"), names=("Other", "Setting"))
    (finding,) = (each for each in check(capsys)[1] if each["rule"] == "value-reused")
    assert "this also applies to BData 0 (T.Mode)" in finding["message"]


def test_what_cannot_be_read_is_a_finding(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(spec(field(SAFE, value(0, "fast"))), "m")
    assert main(["check", "--against", "HEAD"]) == 1
    printed = capsys.readouterr().out
    assert "error[bad-value]" in printed
    assert "two values have the value 0; the first is in line" in " ".join(printed.split())


FAIR = value(1, "fair")
MODE, OTHER = field(SAFE, FAST), field(SAFE, FAIR)


def test_a_table_changes_without_a_spec(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    def table(*values: dict[str, object]) -> None:
        listed = [{**each, "meaning": "It."} for each in values]
        sets = [{"fields": ["BarData.Mode"], "values": listed}]
        repo.write("m/values.json", {"schema": "wirebook/values/1", "sets": sets})

    repo.write("wirebook.toml", TABLE)
    repo.spec(spec(field(), name="BarData"), "m")
    table(SAFE, FAST)
    repo.commit("a table")
    repo.git("tag", "v1.1.0")
    table(SAFE, FAIR)
    assert of_values(check(capsys)[1]) == [("value-reused", "error", "v1.1.0")]


def test_a_list_is_removed_once_all_of_it_is_deprecated(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {"deprecatedVersions": "0+"}
    repo.spec(spec(field({**SAFE, **old}, {**FAST, **old})), "m")
    repo.commit("deprecated")
    repo.git("tag", "v2.0.0")
    repo.spec(spec(field()), "m")
    code, findings = check(capsys)
    assert (code, of_values(findings)) == (0, [("value-removed", "info", "v1.0.0")])
    repo.commit("removed")
    repo.spec(spec(OTHER), "m")
    assert of_values(check(capsys)[1]) == REUSED
