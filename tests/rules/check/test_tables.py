"""`wirebook check` and the tables that a profile names: error codes and values of fields."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, started
from wirebook.cli.main import main

PROFILE = f"{FOLDER}/profile.toml"
ERRORS, VALUES = f"{FOLDER}/errors.json", f"{FOLDER}/values.json"
NAMED = '[tables]\nerrors = "errors.json"\nvalues = "values.json"\n'


def error(code: int, name: str, **more: object) -> dict[str, object]:
    return {"code": code, "name": name, "retriable": False, "first_release": None, "about": "It.", **more}


def errors(*entries: dict[str, object]) -> str:
    lines = ",\n".join(json.dumps(each) for each in entries)
    return f'{{"schema": "wirebook/errors/1", "errors": [\n{lines}\n]}}\n'


def values(*entries: tuple[int, str]) -> str:
    lines = ",\n".join(json.dumps({"value": n, "name": name, "meaning": "It."}) for n, name in entries)
    fields = '"fields": ["FetchRequest.MaxWaitMs"]'
    return f'{{"schema": "wirebook/values/1", "sets": [{{{fields}, "values": [\n{lines}\n]}}]}}\n'


SPEC = json.dumps({
    "apiKey": 900, "type": "request", "listeners": ["broker"], "name": "FooRequest", "validVersions": "0",
    "flexibleVersions": "none", "fields": [],
})  # fmt: skip
CODES = errors(error(0, "NONE"), error(1, "BUSY"), error(2, "COLD"))
REUSED = CODES.replace("BUSY", "AWAY")
MODES = values((0, "slow"), (1, "fast"))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = started(tmp_path / "repository")
    made.write(PROFILE, NAMED)
    made.write(ERRORS, CODES)
    made.write(VALUES, MODES)
    made.commit("the tables")
    monkeypatch.chdir(made.folder)
    return made


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", *(arguments or ("--against", "HEAD")), "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def rules(report: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in report["findings"]]


@pytest.mark.parametrize("staged", [("--staged",), ("--against", "HEAD")])
def test_a_table_that_differs_alone(
    staged: tuple[str], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(ERRORS, REUSED)
    repo.git("add", "-A")
    code, report = check(capsys, *staged)
    assert (code, rules(report)) == (1, ["error-code-reused"])
    (found,) = report["findings"]
    column = len('{"code": 1, "name": ') + 1
    for place in (found["location"], found["previous"]):
        assert (place["path"], place["line"], place["column"]) == (ERRORS, 3, column)
    assert report["compared"].endswith(f": 0 specs differ, and {ERRORS}")


def test_what_is_staged_counts(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, REUSED)
    assert check(capsys, "--staged")[0] == 0
    repo.git("add", "-A")
    repo.write(ERRORS, CODES)
    assert check(capsys, "--staged")[0] == 1
    assert check(capsys)[0] == 0


def test_a_range_and_two_sources(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, REUSED)
    repo.commit("another name")
    for arguments in (
        ("--against", "HEAD~1..HEAD"),
        ("--old", f"git:.@HEAD~1:{FOLDER}", "--new", FOLDER),
        ("--old", "git:.@HEAD~1", "--new", "."),
        ("--against", "git:.@HEAD~1"),
    ):
        code, report = check(capsys, *arguments)
        assert (code, rules(report)) == (1, ["error-code-reused"]), arguments


def test_a_table_outside_the_folder_of_its_profile(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    up = "../" * len(FOLDER.split("/"))
    repo.write(PROFILE, f'[tables]\nerrors = "{up}tables/codes.json"\n')
    repo.write("tables/codes.json", CODES)
    repo.commit("elsewhere")
    repo.write("tables/codes.json", REUSED)
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-reused"]
    assert rules(check(capsys)[1]) == ["error-code-reused"]
    repo.write("wirebook.toml", f'paths = ["{FOLDER}"]\n')
    assert rules(check(capsys)[1]) == ["error-code-reused"]


def test_a_table_that_moves_with_its_profile(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("mv", ERRORS, f"{FOLDER}/codes.json")
    repo.write(PROFILE, NAMED.replace('"errors.json"', '"codes.json"'))
    repo.git("add", "-A")
    assert check(capsys, "--staged")[1]["findings"] == []
    repo.write(f"{FOLDER}/codes.json", REUSED)
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-reused"]


def test_a_profile_that_names_another_table(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither table differs."""
    repo.write(f"{FOLDER}/codes.json", REUSED)
    repo.commit("a table that nothing names")
    repo.write(PROFILE, NAMED.replace('"errors.json"', '"codes.json"'))
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-reused"]
    assert rules(check(capsys)[1]) == ["error-code-reused"]


def test_a_table_that_the_profile_no_longer_names(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(PROFILE, NAMED.replace('errors = "errors.json"\n', ""))
    repo.write(ERRORS, REUSED)
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-reused"]
    (repo.folder / ERRORS).unlink()
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-removed"]


def test_a_code_that_a_release_had(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "DARK")))
    repo.commit("removed")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "DUSK"), error(1, "AWAY")))
    released = ("--against", "HEAD", "--released", "1.0.0")
    _, report = check(capsys, *released)
    assert [(each["rule"], each["severity"], each["released_in"]) for each in report["findings"]] == [
        ("error-code-reused", "error", "1.0.0"),
        ("error-code-reused", "warning", None),  # no release has it
    ]
    assert [each["previous"] is None for each in report["findings"]] == [True, False]
    # The name that the release has is restored.
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "DARK"), error(1, "BUSY")))
    code, report = check(capsys, *released)
    assert (code, report["findings"]) == (0, [])


def test_a_table_that_releases_have_elsewhere(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.git("mv", ERRORS, f"{FOLDER}/codes.json")
    repo.write(f"{FOLDER}/codes.json", errors(error(0, "NONE"), error(2, "COLD")))
    repo.write(PROFILE, NAMED.replace('"errors.json"', '"codes.json"'))
    repo.commit("moved, and a code removed")
    repo.write(f"{FOLDER}/codes.json", errors(error(0, "NONE"), error(2, "COLD"), error(1, "AWAY")))
    repo.git("add", "-A")
    assert main(["freeze", "--released", "1.*", "-o", "frozen.wirebook"]) == 0
    capsys.readouterr()
    sides = [("--staged",), ("--against", "HEAD")]
    for side, released in itertools.product(sides, ("1.*", "frozen.wirebook", "git:.@1.0.0")):
        _, report = check(capsys, *side, "--released", released)
        assert rules(report) == ["error-code-reused"]
        assert "is BUSY in release" in report["findings"][0]["message"]


def test_a_folder_that_moves_with_its_tables(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.git("mv", FOLDER.split("/")[0], "moved")
    folder = "/".join(("moved", *FOLDER.split("/")[1:]))
    assert check(capsys)[1]["findings"] == []
    assert check(capsys, "--staged", "--released", "1.*")[1]["findings"] == []
    repo.write(f"{folder}/errors.json", REUSED)
    repo.git("add", "-A")
    for arguments in (("--staged",), ("--against", "HEAD")):
        assert rules(check(capsys, *arguments)[1]) == ["error-code-reused"]


def test_a_folder_that_has_moved_since_a_release(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    assert main(["freeze", "--released", "1.*", "-o", "frozen.wirebook"]) == 0
    repo.git("mv", FOLDER.split("/")[0], "moved")
    folder = "/".join(("moved", *FOLDER.split("/")[1:]))
    repo.commit("moved")
    repo.write(f"{folder}/errors.json", REUSED)
    repo.git("add", "-A")
    capsys.readouterr()
    sides = [("--staged",), ("--against", "HEAD")]
    for side, released in itertools.product(sides, ("1.*", "frozen.wirebook", f"git:.@1.0.0:{FOLDER}")):
        code, report = check(capsys, *side, "--released", released)
        assert (code, rules(report)) == (1, ["error-code-reused"])


@pytest.mark.parametrize("name", ["", 'name = "other"\n'])
def test_the_releases_of_another_protocol(name: str, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.write("other/profile.toml", name + NAMED)
    repo.write("other/errors.json", errors(error(0, "FINE")))
    repo.write("other/FooRequest.json", SPEC)
    repo.commit("another protocol")
    repo.write("other/errors.json", errors(error(0, "FINE"), error(1, "LATE")))
    assert check(capsys, "--against", "HEAD", "--released", "1.*")[1]["findings"] == []


def test_values_in_the_released_versions_of_a_message(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(VALUES, MODES.replace("fast", "safe"))
    repo.git("add", "-A")
    code, report = check(capsys, "--staged")
    assert (code, rules(report)) == (1, ["value-reused"])
    (found,) = report["findings"]
    assert (found["message_name"], found["field"], found["versions"]) == ("FetchRequest", "MaxWaitMs", "0-2")
    repo.write(VALUES, values((0, "slow")))
    repo.git("add", "-A")
    code, report = check(capsys, "--staged")
    assert (code, rules(report)) == (0, ["value-removed"])


@pytest.mark.parametrize("staged", [("--staged",), ("--against", "HEAD")])
def test_a_table_that_cannot_be_read(
    staged: tuple[str], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(ERRORS, CODES.replace('"code": 2', '"code": 1'))
    repo.git("add", "-A")
    code, report = check(capsys, *staged)
    assert (code, report["findings"]) == (2, [])
    assert report["unchecked"] == [
        f'{ERRORS}:4:10: two error codes have the code "1"; the first is in line 3'
    ]
    repo.commit("committed anyway")
    repo.write(ERRORS, CODES)
    repo.git("add", "-A")
    # What can be read of the old side still counts, so that the error can be fixed.
    assert check(capsys, *staged)[0] == 0


def test_a_waiver_names_the_number(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, REUSED)
    waiver = '[[waiver]]\nrule = "error-code-reused"\nmessage = ""\nreason = "A typo."\nby = "the team"\n'
    repo.write("waivers.toml", f'{waiver}subject = "1 BUSY AWAY"\n')
    code, report = check(capsys)
    assert code == 0
    assert [each["waived"] is not None for each in report["findings"]] == [True]
    repo.write("waivers.toml", f'{waiver}subject = "1 BUSY GONE"\n')
    assert check(capsys)[0] == 1


def test_named_files_limit_what_is_judged(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, REUSED)
    assert rules(check(capsys, "--against", "HEAD", ERRORS)[1]) == ["error-code-reused"]
    assert rules(check(capsys, "--against", "HEAD", f"{FOLDER}/FetchRequest.json")[1]) == []


def test_every_table_is_judged_on_request(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.write(ERRORS, REUSED)
    repo.commit("another name")
    released = ("--against", "HEAD", "--released", "1.0.0")
    assert "error-code-reused" not in rules(check(capsys, *released)[1])
    assert "error-code-reused" in rules(check(capsys, *released, "--all")[1])


def test_the_table_of_one_of_several_protocols(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (repo.folder / PROFILE).unlink()
    repo.write(
        "wirebook.toml",
        f'[[protocol]]\nname = "a"\npaths = ["/{FOLDER}"]\ntables = {{ errors = "{ERRORS}" }}\n'
        '[[protocol]]\nname = "b"\npaths = ["/b"]\n',
    )
    repo.commit("several")
    repo.write(ERRORS, REUSED)
    repo.git("add", "-A")
    assert rules(check(capsys, "--staged")[1]) == ["error-code-reused"]
    assert rules(check(capsys)[1]) == ["error-code-reused"]
