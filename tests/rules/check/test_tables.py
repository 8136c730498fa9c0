"""`wirebook check` and the tables that a profile names: error codes and values of fields."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, request, started
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


MODES_OF_CHECK = (("--staged",), ("--against", "HEAD"), ("--against", "HEAD", "--all"))
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
    """The next change could give its numbers to anything, even if this one leaves the table as it is."""
    repo.write(PROFILE, NAMED.replace('errors = "errors.json"\n', ""))
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        code, report = check(capsys, *mode)
        assert (code, rules(report)) == (1, ["error-code-removed"]), mode
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


def test_a_name_that_a_release_had(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """A name keeps its number like a number its name, in two steps as in one."""
    repo.git("tag", "1.0.0")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD")))
    repo.write(VALUES, values((0, "slow")))
    repo.commit("removed")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "BUSY")))
    repo.write(VALUES, values((0, "slow"), (2, "fast")))
    code, report = check(capsys, "--against", "HEAD", "--released", "1.0.0")
    assert code == 1
    assert [(each["rule"], each["severity"], each["released_in"]) for each in report["findings"]] == [
        ("error-code-reused", "error", "1.0.0"),
        ("value-reused", "error", "1.0.0"),
    ]
    assert "error code 1 is BUSY in release 1.0.0, which is now 3" in report["findings"][0]["message"]
    # What the old side already has is its own affair, unless everything is judged.
    repo.commit("moved anyway")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "BUSY"), error(4, "DARK")))
    assert check(capsys, "--against", "HEAD", "--released", "1.0.0")[0] == 0
    assert check(capsys, "--against", "HEAD", "--released", "1.0.0", "--all")[0] == 1


def test_a_table_that_releases_have_elsewhere(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.git("mv", ERRORS, f"{FOLDER}/codes.json")
    repo.write(f"{FOLDER}/codes.json", errors(error(0, "NONE"), error(2, "COLD")))
    repo.write(PROFILE, NAMED.replace('"errors.json"', '"codes.json"'))
    repo.commit("moved, and a code removed")
    repo.write(f"{FOLDER}/codes.json", errors(error(0, "NONE"), error(2, "COLD"), error(1, "AWAY")))
    repo.git("add", "-A")
    capsys.readouterr()
    sides = [("--staged",), ("--against", "HEAD")]
    for side, released in itertools.product(sides, ("1.*", "git:.@1.0.0")):
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


def test_specs_that_move_away_from_their_tables(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """The profile and its tables stay where they are, and the specs get a copy with other meanings."""
    (repo.folder / "elsewhere").mkdir()
    repo.git("mv", f"{FOLDER}/FetchRequest.json", "elsewhere/")
    repo.write("elsewhere/profile.toml", NAMED)
    repo.write("elsewhere/errors.json", REUSED)
    repo.write("elsewhere/values.json", MODES.replace("fast", "last"))
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        code, report = check(capsys, *mode)
        assert (code, rules(report)) == (1, ["error-code-reused", "value-reused"]), mode
    repo.write("elsewhere/errors.json", CODES)
    repo.write("elsewhere/values.json", MODES)
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        assert check(capsys, *mode)[0] == 0, mode
    (repo.folder / "elsewhere/profile.toml").unlink()
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        code, report = check(capsys, *mode)
        assert (code, rules(report)) == (1, ["error-code-removed", "value-removed"]), mode


def test_a_profile_nearer_to_the_specs_than_that_of_their_tables(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    above = FOLDER.rpartition("/")[0]
    for name in ("profile.toml", "errors.json", "values.json"):
        repo.git("mv", f"{FOLDER}/{name}", f"{above}/{name}")
    repo.commit("above")
    repo.write(PROFILE, NAMED)
    repo.write(ERRORS, REUSED)
    repo.write(VALUES, values((0, "slow")).replace("FetchRequest", "FooRequest"))
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        code, report = check(capsys, *mode)
        assert (code, rules(report)) == (1, ["error-code-reused"]), mode


def test_a_folder_that_has_moved_since_a_release(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("tag", "1.0.0")
    repo.git("mv", FOLDER.split("/")[0], "moved")
    folder = "/".join(("moved", *FOLDER.split("/")[1:]))
    repo.commit("moved")
    repo.write(f"{folder}/errors.json", REUSED)
    repo.git("add", "-A")
    capsys.readouterr()
    sides = [("--staged",), ("--against", "HEAD")]
    for side, released in itertools.product(sides, ("1.*", f"git:.@1.0.0:{FOLDER}")):
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
    assert (code, rules(report)) == (1, ["value-removed"])


def test_a_former_name_stays_with_its_number(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """No release is known: what the old side lists is all that peers are known to have."""
    renamed = error(1, "AWAY", former_names=["BUSY"])
    repo.write(ERRORS, errors(error(0, "NONE"), renamed, error(2, "COLD")))
    assert check(capsys)[0] == 0
    repo.commit("renamed")
    for later in (
        (error(0, "NONE"), error(2, "COLD"), error(3, "BUSY")),  # given to another number
        (error(0, "NONE"), renamed, error(2, "COLD"), error(3, "BUSY")),  # also if both are listed
        (error(0, "NONE"), error(1, "AWAY"), error(2, "COLD")),  # forgotten
        (error(0, "NONE"), error(1, "BUSY", deprecated=True), error(2, "AWAY")),  # swapped
    ):
        repo.write(ERRORS, errors(*later))
        code, report = check(capsys)
        assert (code, "error-code-reused" in rules(report)) == (1, True), later
    repo.write(
        ERRORS, errors(error(0, "NONE"), error(1, "GONE", former_names=["AWAY", "BUSY"]), error(2, "COLD"))
    )
    assert check(capsys)[0] == 0
    repo.write(ERRORS, errors(error(0, "NONE"), error(1, "BUSY", former_names=["AWAY"]), error(2, "COLD")))
    assert check(capsys)[0] == 0


def test_a_deprecated_name_stays_with_its_number(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, CODES.replace('"BUSY"', '"BUSY", "deprecated": true'))
    repo.commit("deprecated")
    repo.write(ERRORS, errors(error(0, "NONE"), error(2, "COLD"), error(3, "BUSY")))
    code, report = check(capsys)
    assert (code, rules(report)) == (1, ["error-code-reused"])


def test_a_table_does_not_return_with_other_meanings(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever compares with it after that no longer knows what it was."""
    for path, rule in ((ERRORS, "error-code-removed"), (VALUES, "value-removed")):
        text = (repo.folder / path).read_text()
        (repo.folder / path).unlink()
        code, report = check(capsys)
        assert (code, rules(report), report["findings"][0]["severity"]) == (1, [rule], "error")
        assert report["findings"][0]["change"].startswith("removed: 0 ")
        repo.write(path, text)
    repo.write(ERRORS, errors(error(0, "NONE"), error(1, "BUSY")))
    assert check(capsys)[0] == 1
    repo.write(ERRORS, CODES)
    repo.write(VALUES, values((0, "slow")))
    assert check(capsys)[0] == 1


@pytest.mark.parametrize("staged", [("--staged",), ("--against", "HEAD")])
def test_a_table_that_cannot_be_read(
    staged: tuple[str], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(ERRORS, CODES.replace('"code": 2', '"code": 1'))
    repo.git("add", "-A")
    code, report = check(capsys, *staged)
    assert (code, report["findings"]) == (2, [])
    assert report["unchecked"] == [f"{ERRORS}:4:10: two error codes have the code 1; the first is in line 3"]
    repo.commit("committed anyway")
    repo.write(ERRORS, CODES)
    repo.git("add", "-A")
    # What can be read of the old side still counts, so that the error can be fixed.
    assert check(capsys, *staged)[0] == 0


def test_an_earlier_table_of_another_form_still_counts(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table without a key that became required is no missing table."""
    repo.write(ERRORS, CODES.replace('"first_release": null, ', ""))
    repo.write(VALUES, MODES.replace('"meaning": "It."', '"means": "It."'))
    repo.commit("committed anyway")
    repo.git("tag", "1.0.0")
    repo.write(ERRORS, REUSED)
    repo.write(VALUES, MODES.replace("fast", "last"))
    for arguments in ((), ("--against", "HEAD", "--released", "1.0.0")):
        code, report = check(capsys, *arguments)
        assert (code, rules(report)) == (1, ["error-code-reused", "value-reused"])
    repo.write(ERRORS, CODES)
    repo.write(VALUES, MODES)
    assert check(capsys)[0] == 0


def test_a_table_of_the_old_side_or_a_release_that_is_no_table(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(ERRORS, "[]")
    repo.commit("committed anyway")
    repo.git("tag", "1.0.0")
    repo.write(ERRORS, CODES)
    repo.commit("repaired")
    repo.write(ERRORS, errors(error(0, "NONE"), error(1, "BUSY"), error(2, "COLD"), error(3, "DARK")))
    code, report = check(capsys, "--against", "HEAD", "--released", "1.0.0")
    assert (code, report["unchecked"]) == (2, [f"1.0.0: {ERRORS}:1:1: this must be an object"])
    code, report = check(capsys, "--against", "HEAD~1")
    assert code == 2
    (why,) = report["unchecked"]
    assert why.startswith(f"{ERRORS}:1:1: this must be an object (this is the file of the old side, ")
    assert why.endswith("--against names another one)")


def test_a_waiver_names_the_number(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(ERRORS, REUSED)
    waiver = '[[waiver]]\nrule = "error-code-reused"\nmessage = ""\nreason = "A typo."\nby = "the team"\n'
    repo.write("waivers.toml", f'{waiver}subject = "1 BUSY AWAY"\n')
    code, report = check(capsys)
    assert code == 0
    assert [each["waived"] is not None for each in report["findings"]] == [True]
    repo.write("waivers.toml", f'{waiver}subject = "1 BUSY GONE"\n')
    assert check(capsys)[0] == 1


@pytest.mark.parametrize("staged", [("--staged",), ("--against", "HEAD")])
def test_a_table_is_named(staged: tuple[str, ...], repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """No spec is named, and none differs."""
    assert check(capsys, *staged, ERRORS)[1]["unchecked"] == []
    repo.write(ERRORS, REUSED)
    repo.git("add", "-A")
    code, report = check(capsys, *staged, ERRORS)
    assert (code, rules(report), report["unchecked"]) == (1, ["error-code-reused"], [])
    assert rules(check(capsys, *staged, f"{FOLDER}/FetchRequest.json")[1]) == []
    repo.write(ERRORS, CODES.replace("It.", "Busy."))
    repo.git("add", "-A")
    code, report = check(capsys, *staged, ERRORS)
    assert (code, rules(report), report["unchecked"]) == (0, [], [])


def test_a_table_is_named_in_a_range(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    code, report = check(capsys, "--against", "HEAD~1..HEAD", ERRORS)
    assert (code, rules(report), report["unchecked"]) == (0, [], [])
    repo.write(ERRORS, REUSED)
    repo.commit("another name")
    code, report = check(capsys, "--against", "HEAD~1..HEAD", ERRORS)
    assert (code, rules(report), report["unchecked"]) == (1, ["error-code-reused"], [])


def test_a_named_table_in_another_folder(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    up = "../" * len(FOLDER.split("/"))
    repo.write(PROFILE, f'[tables]\nerrors = "{up}tables/codes.json"\n')
    repo.write("tables/codes.json", CODES)
    repo.commit("elsewhere")
    named = ("--against", "HEAD", "tables/codes.json")
    assert check(capsys, *named)[1]["unchecked"] == []
    repo.write("tables/codes.json", REUSED)
    code, report = check(capsys, *named)
    assert (code, rules(report), report["unchecked"]) == (1, ["error-code-reused"], [])


def test_a_named_file_that_is_no_table(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(f"{FOLDER}/other.json", CODES)
    code, report = check(capsys, "--against", "HEAD", f"{FOLDER}/other.json")
    assert (code, len(report["unchecked"])) == (2, 1)
    assert "this is not a message spec" in report["unchecked"][0]
    # A profile does not make a table of a spec.
    repo.write(PROFILE, NAMED.replace('"errors.json"', '"FetchRequest.json"'))
    repo.write(f"{FOLDER}/FetchRequest.json", '{"name": "FetchRequest"}')
    assert check(capsys, "--against", "HEAD", f"{FOLDER}/FetchRequest.json")[0] == 2


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
    code, report = check(capsys, "--against", "HEAD", ERRORS)
    assert (code, rules(report), report["unchecked"]) == (1, ["error-code-reused"], [])


@pytest.mark.parametrize(
    "protocols",
    [
        'tables = { errors = "tables/codes.json" }\n[[protocol]]\nname = "b"\npaths = ["/b"]\n',
        '[[protocol]]\nname = "b"\ntables = { errors = "tables/codes.json" }\n',
    ],
)
def test_a_named_table_of_one_of_several_protocols(
    repo: Repo, capsys: pytest.CaptureFixture[str], protocols: str
) -> None:
    (repo.folder / PROFILE).unlink()
    repo.write("wirebook.toml", f'[[protocol]]\nname = "a"\npaths = ["/{FOLDER}"]\n{protocols}')
    repo.write("tables/codes.json", CODES)
    repo.commit("several")
    named = ("--against", "HEAD", "tables/codes.json")
    code, report = check(capsys, *named)
    assert (code, rules(report), report["unchecked"]) == (0, [], [])
    repo.write("tables/codes.json", REUSED)
    repo.write(f"{FOLDER}/FetchRequest.json", json.dumps(request(validVersions="0-3")))
    code, report = check(capsys, *named)
    assert (code, rules(report), report["unchecked"]) == (1, ["error-code-reused"], [])


def test_a_profile_that_goes_with_its_tables(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (repo.folder / PROFILE).unlink()
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        assert "error-code-removed" in rules(check(capsys, *mode)[1]), mode


def test_a_table_that_another_profile_names_now(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(PROFILE, 'name = "own"\n')
    repo.write("wirebook.toml", f'[protocol]\ntables = {{ errors = "{ERRORS}", values = "{VALUES}" }}\n')
    repo.git("add", "-A")
    assert not {"error-code-removed", "value-removed"} & {*rules(check(capsys, "--staged")[1])}


def test_a_table_whose_key_is_written_with_escapes(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    up = "../" * len(FOLDER.split("/"))
    repo.write(PROFILE, f'[tables]\nerrors = "{up}tables/codes.json"\n')
    repo.write("tables/codes.json", CODES.replace('"errors":', '"\\u0065rrors":'))
    repo.commit("elsewhere")
    repo.write("tables/codes.json", REUSED.replace('"errors":', '"\\u0065rrors":'))
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        assert rules(check(capsys, *mode)[1]) == ["error-code-reused"], mode


@pytest.mark.parametrize("name", ["codes.txt", ".hidden/codes.json", "build/codes.json", "codes"])
@pytest.mark.parametrize("what", ["errors", "levels"])
def test_a_table_where_no_check_looks(
    name: str, what: str, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(PROFILE, f'[tables]\n{what} = "{name}"\n')
    repo.write(f"{FOLDER}/{name}", CODES)
    repo.git("add", "-Af")
    for mode in MODES_OF_CHECK:
        assert main(["check", *mode]) == 2, mode
        assert f"{PROFILE}:2:1: a table is a .json file outside of" in capsys.readouterr().err


@pytest.mark.parametrize("attribute", ["filter=x", "ident", "export-subst"])
def test_a_profile_that_git_converts(attribute: str, repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", f"profile.toml {attribute}\n")
    repo.write(PROFILE, f"{NAMED}# $Id$ $Format:%H$\n")
    repo.git("add", "-A")
    assert main(["check", "--staged"]) == 2
    assert f"cannot be used: {attribute} (.gitattributes:1)" in capsys.readouterr().err


def test_a_table_outside_the_paths_of_all_protocols(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (repo.folder / PROFILE).unlink()
    repo.write(
        "wirebook.toml",
        f'[[protocol]]\nname = "a"\npaths = ["/{FOLDER}"]\ntables = {{ errors = "tables/codes.json" }}\n'
        '[[protocol]]\nname = "b"\npaths = ["/b"]\n',
    )
    repo.write("tables/codes.json", CODES)
    repo.commit("several")
    repo.write("tables/codes.json", REUSED)
    repo.git("add", "-A")
    for mode in MODES_OF_CHECK:
        assert rules(check(capsys, *mode)[1]) == ["error-code-reused"], mode


@pytest.mark.parametrize("delisted", [False, True])
def test_values_of_a_field_and_a_message_renamed_since_a_release(
    delisted: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("tag", "1.0.0")
    spec = json.loads((repo.folder / FOLDER / "FetchRequest.json").read_text())
    field = next(each for each in spec["fields"] if each["name"] == "MaxWaitMs")
    field["name"] = "PatienceMs"
    spec["name"] = "PullRequest"
    (repo.folder / FOLDER / "FetchRequest.json").unlink()
    repo.write(f"{FOLDER}/PullRequest.json", json.dumps(spec))
    listed = MODES.replace("FetchRequest.MaxWaitMs", "PullRequest.PatienceMs")
    repo.write(VALUES, listed)
    repo.commit("renamed")
    if delisted:
        other = listed.replace("PullRequest.PatienceMs", "PullRequest.Other")
        repo.write(VALUES, other)
    else:
        repo.write(VALUES, listed.replace("fast", "last"))
    repo.git("add", "-A")
    _, report = check(capsys, "--staged", "--released", "1.0.0")
    severities = {(each["rule"], each["severity"]) for each in report["findings"]}
    assert ("value-removed" if delisted else "value-reused", "error") in severities, report["findings"]


def test_a_waiver_of_shared_values_accepts_no_further_field(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = ["FetchRequest.Mode", "FetchRequest.Second", "PutRequest.Mode"]

    def renamed(count: int) -> str:
        """The values, with another name for the number of the first fields."""
        sets = [(fields[:count], "slow"), (fields[count:], "fast")]
        return json.dumps({"schema": "wirebook/values/1", "sets": [
            {"fields": some, "values": [{"value": 1, "name": name, "meaning": "It."}]}
            for some, name in sets if some
        ]})  # fmt: skip

    modes = [{"name": name, "type": "int8", "versions": "0+", "about": "It."} for name in ("Mode", "Second")]
    repo.spec(request(name="FetchRequest", apiKey=1, fields=modes), FOLDER)
    repo.spec(request(name="PutRequest", apiKey=2, fields=modes), FOLDER)
    repo.write(VALUES, renamed(0))
    repo.commit("values")
    repo.git("tag", "5.0.0")
    repo.write("wirebook.toml", 'released = "5.0.0"\n')
    repo.commit("frozen")
    for count in (1, 2, 3):
        repo.write(VALUES, renamed(count))
        code, report = check(capsys)
        (finding,) = (each for each in report["findings"] if each["rule"] == "value-reused")
        assert (code, finding["waived"]) == (1, None)
        waiver = {key: finding[key] for key in ("rule", "field", "versions", "change")}
        waiver |= {"message": finding["message_name"], "subject": finding["subject"]}
        waiver |= {"reason": "A typo.", "by": "the team"}
        lines = "".join(f"{key} = {json.dumps(text)}\n" for key, text in waiver.items() if text)
        repo.write("waivers.toml", f"[[waiver]]\n{lines}")
        assert check(capsys)[0] == 0
