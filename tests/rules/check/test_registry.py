"""`wirebook check` and what lies beside the specs that differ: the registry, and the other half of an API."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, request, response, started
from tests.rules.check.levels import LEVELS, REGISTRY, level
from wirebook.cli.main import main


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = started(tmp_path / "repository")
    made.write(REGISTRY, LEVELS)
    made.commit("the registry")
    monkeypatch.chdir(made.folder)
    return made


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    code = main(["check", "--against", "HEAD", "--format", "json", *arguments])
    out, err = capsys.readouterr()
    report = json.loads(out) if out else {"findings": [], "unchecked": []}
    return code, report["findings"], err + "".join(report["unchecked"])


def rules(findings: list[dict[str, Any]]) -> list[str]:
    return [finding["rule"] for finding in findings]


def test_a_new_version_without_api_version(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    code, found, _ = check(capsys)
    assert code == 1
    assert rules(found) == ["api-version-missing"]
    assert found[0]["location"]["path"] == f"{FOLDER}/FetchRequest.json"
    repo.write(REGISTRY, [*LEVELS, level(2, "1.2-IV0")])
    assert check(capsys)[:2] == (0, [])


def test_the_registry_of_the_index(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """What is judged is what is staged: a registry that only the working tree lacks is there."""
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.git("add", "-A")
    (repo.folder / REGISTRY).unlink()
    assert main(["check", "--staged"]) == 1
    assert "api-version-missing" in capsys.readouterr().out


@pytest.mark.parametrize("staged", [(), ("--staged",)])
def test_the_registry_alone(staged: tuple[str], repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, [*LEVELS, level(3, "1.2-IV0")])
    repo.git("add", "-A")
    code, found, _ = check(capsys, *staged)
    assert code == 1
    assert rules(found) == ["api-version-ids"]
    assert found[0]["location"]["path"] == REGISTRY
    assert found[0]["location"]["line"] > 10


def test_the_frame_of_a_registry(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, "[\n" + ",\n".join(json.dumps(level(n, f"1.{n}-IV0")) for n in (1, 0)) + "\n]\n")
    assert main(["check", "--against", "HEAD"]) == 1
    out = capsys.readouterr().out
    entry = json.dumps(level(1, "1.1-IV0"))
    assert f"  --> {REGISTRY}:2:1\n    |\n  2 | {entry},\n    | {'^' * len(entry)}\n" in out


def test_a_registry_that_is_gone(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (repo.folder / REGISTRY).unlink()
    code, found, _ = check(capsys)
    assert (code, rules(found)) == (1, ["api-version-removed"])


CHANGED = [LEVELS[0], level(1, "9.9-IV0")]


@pytest.mark.parametrize("arguments", [(), ("--all",), ("--staged",)])
@pytest.mark.parametrize("case", ["nearer", "nearer than others", "moved", "moved to one", "with a decoy"])
def test_another_registry_in_the_place_of_the_old_one(
    case: str, arguments: tuple[str, ...], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """What specs use now is compared with what they used, wherever both are."""
    name = "api_versions.json"
    if case.startswith("nearer"):
        above = FOLDER.rpartition("/")[0]
        repo.git("mv", REGISTRY, f"{above}/{name}")
        if case.endswith("others"):
            repo.spec(request(name="OtherRequest", apiKey=2), f"{above}/another")
            repo.write(f"{above}/another/{name}", LEVELS)
        repo.commit("above")
        repo.write(REGISTRY, CHANGED)
    elif case == "with a decoy":
        repo.write(f"a/{name}", LEVELS)
        repo.write(REGISTRY, CHANGED)
    else:
        repo.write(f"elsewhere/{name}", CHANGED)
        if case == "moved to one":
            repo.commit("another registry")
        for path in ("FetchRequest.json", "FetchResponse.json"):
            repo.git("mv", f"{FOLDER}/{path}", f"elsewhere/{path}")
    repo.git("add", "-A")
    assert (
        main(["check", *(arguments if "--staged" in arguments else ("--against", "HEAD", *arguments))]) == 1
    )
    assert "api-version-changed" in capsys.readouterr().out


def test_a_registry_that_cannot_be_read(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, {"no": "registry"})
    code, found, why = check(capsys)
    assert (code, found) == (2, [])
    assert "this is not a registry of protocol levels" in why


def test_a_date_that_no_calendar_has(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, [{**LEVELS[0], "date": "2025-02-29"}, *LEVELS[1:]])
    code, found, why = check(capsys)
    assert (code, found) == (2, [])
    assert f"(the date of {LEVELS[0]['version']} is not like 2013-12-03)" in why


def test_a_registry_that_is_named(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, [LEVELS[0]])
    code, found, _ = check(capsys, REGISTRY)
    assert (code, rules(found)) == (1, ["api-version-removed"])


def test_a_registry_beside_the_paths_of_the_configuration(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("wirebook.toml", f'paths = ["{FOLDER}/*Request.json"]\n')
    repo.write(REGISTRY, [LEVELS[0]])
    repo.commit("a configuration")
    assert rules(check(capsys, "--against", "HEAD~1")[1]) == ["api-version-removed"]
    repo.write("wirebook.toml", f'exclude = ["{REGISTRY}"]\n')
    assert rules(check(capsys)[1]) == []


def test_two_directories(repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, [*LEVELS, level(1, "1.2-IV0")])
    assert main(["check", "--old", f"{repo.folder}@HEAD", "--new", ".", "--format", "json"]) in (0, 1)
    out = json.loads(capsys.readouterr().out)
    assert rules(out["findings"]) == ["api-version-ids"]


def test_a_registry_without_an_old_side(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(REGISTRY, [level(1, "1.0-IV0")])
    shutil.copytree(repo.folder / FOLDER, tmp_path / "no-git")
    monkeypatch.chdir(tmp_path / "no-git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert main(["check", "--format", "json"]) == 1
    assert "api-version-ids" in rules(json.loads(capsys.readouterr().out)["findings"])


def test_the_other_half_of_an_api_does_not_follow(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(REGISTRY, [*LEVELS, level(2, "1.2-IV0")])
    repo.spec(request(validVersions="0-3"))
    code, found, _ = check(capsys)
    assert (code, rules(found)) == (1, ["partner-versions-differ"])
    assert "only one of them has version 3" in found[0]["message"]


def test_the_other_half_under_a_name_of_its_own(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    there = repo.folder / FOLDER / "FetchResponse.json"
    there.rename(there.with_name("Answer.json"))
    repo.write(REGISTRY, [*LEVELS, level(2, "1.2-IV0")])
    repo.commit("another name")
    repo.spec(request(validVersions="0-3"))
    assert "partner-versions-differ" in rules(check(capsys)[1])


def test_two_files_for_one_api_key(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(f"{FOLDER}/CopyRequest.json", request(name="CopyRequest"))
    repo.write(REGISTRY, [*LEVELS, level(2, "1.2-IV0")])
    code, found, _ = check(capsys)
    assert code == 1
    assert "duplicate-api-key" in rules(found)
    text = next(finding for finding in found if finding["rule"] == "duplicate-api-key")
    assert text["location"]["path"].endswith("Request.json")
    assert "FetchRequest" in text["message"]


def test_one_message_in_two_files(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(f"{FOLDER}/FetchRequestCopy.json", request())
    found = check(capsys)[1]
    assert {"duplicate-api-key", "duplicate-message-name"} <= set(rules(found))


def test_two_files_for_one_api_key_between_two_directories(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(f"{FOLDER}/CopyRequest.json", request(name="CopyRequest"))
    assert main(["check", "--old", f"{repo.folder}@HEAD", "--new", "."]) == 1
    assert "error[duplicate-api-key]" in capsys.readouterr().out


def test_colours_by_the_environment(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(REGISTRY, [LEVELS[0]])
    monkeypatch.delenv("NO_COLOR", raising=False)
    for forced in ("0", "1"):
        monkeypatch.setenv("FORCE_COLOR", forced)
        main(["check", "--against", "HEAD"])
        assert ("\x1b[" in capsys.readouterr().out) == (forced == "1")
    monkeypatch.setenv("NO_COLOR", "1")
    main(["check", "--against", "HEAD"])
    assert "\x1b[" not in capsys.readouterr().out


NAMED = f"{FOLDER}/levels.json"
PROFILES = {
    f"{FOLDER}/profile.toml": '[tables]\nlevels = "levels.json"\n',
    "wirebook.toml": f'[protocol.tables]\nlevels = "{NAMED}"\n',
    "several": f'[[protocol]]\nname = "a"\npaths = ["/{FOLDER}"]\ntables.levels = "{NAMED}"\n',
}
MODES = ((), ("--all",), ("--staged",))


def levels_named(repo: Repo, profile: str, levels: object = LEVELS) -> None:
    """A registry that a profile names, beside one that nothing names."""
    repo.write("wirebook.toml" if profile == "several" else profile, PROFILES[profile])
    repo.write(NAMED, levels)


def rules_of(capsys: pytest.CaptureFixture[str], *mode: str) -> list[str]:
    main(["check", *(mode if "--staged" in mode else ("--against", "HEAD", *mode)), "--format", "json"])
    return rules(json.loads(capsys.readouterr().out)["findings"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_registry_that_a_profile_names(
    profile: str, mode: tuple[str, ...], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """It counts even if only it differs, and in the place of one beside the specs."""
    levels_named(repo, profile)
    repo.commit("a registry of another name")
    repo.write(NAMED, CHANGED)
    repo.git("add", "-A")
    assert rules_of(capsys, *mode) == ["api-version-changed"]
    repo.write(NAMED, LEVELS)
    repo.write(REGISTRY, CHANGED)
    repo.git("add", "-A")
    assert rules_of(capsys, *mode) == []
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    repo.write(REGISTRY, [*LEVELS, level(2, "1.2-IV0")])
    repo.git("add", "-A")
    assert "api-version-missing" in rules_of(capsys, *mode)
    repo.write(NAMED, [*LEVELS, level(2, "1.2-IV0")])
    repo.git("add", "-A")
    assert rules_of(capsys, *mode) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", [*PROFILES][:2])
def test_a_profile_that_names_another_registry(
    profile: str, mode: tuple[str, ...], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """What specs use now is compared with what they used, even if neither file differs."""
    repo.write(NAMED, CHANGED)
    repo.write(profile, PROFILES[profile].partition("levels")[0])
    repo.commit("a registry that nothing names")
    levels_named(repo, profile, CHANGED)
    repo.git("add", "-A")
    assert rules_of(capsys, *mode) == ["api-version-changed"]


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_registry_that_no_profile_names_any_more(
    is_deleted: bool, repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """The finding states what is true also if the file is still there."""
    levels_named(repo, f"{FOLDER}/profile.toml")
    repo.git("rm", "-q", REGISTRY)
    repo.commit("a registry of another name")
    repo.write(f"{FOLDER}/profile.toml", "")
    if is_deleted:
        (repo.folder / NAMED).unlink()
    _, findings, _ = check(capsys)
    (removal,) = [finding for finding in findings if finding["rule"] == "api-version-removed"]
    assert removal["message"].startswith("the specs no longer have the registry of protocol levels")
    assert removal["fix"] == "keep levels.json, and name it in the profile"


def test_a_registry_of_another_name_is_named(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    levels_named(repo, f"{FOLDER}/profile.toml")
    repo.commit("a registry of another name")
    assert check(capsys, NAMED) == (0, [], "")
    repo.write(NAMED, [LEVELS[0]])
    code, found, why = check(capsys, NAMED)
    assert (code, rules(found), why) == (1, ["api-version-removed"], "")


def test_a_registry_in_another_folder_than_its_profile(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    up = "../" * len(FOLDER.split("/"))
    repo.write(f"{FOLDER}/profile.toml", f'[tables]\nlevels = "{up}tables/levels.json"\n')
    repo.write("tables/levels.json", LEVELS)
    repo.commit("a registry elsewhere")
    repo.write("tables/levels.json", CHANGED)
    repo.git("add", "-A")
    for mode in MODES:
        assert rules_of(capsys, *mode) == ["api-version-changed"]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Two folders, each with an API and a registry of its own."""
    repo = Repo(tmp_path / "two")
    for folder, key, levels in (("a", 1, "1"), ("b", 2, "7")):
        repo.write(f"{folder}/api_versions.json", [level(0, f"{levels}.0-IV0"), level(1, f"{levels}.1-IV0")])
        with_history(repo, folder, key, f"{levels}.0-IV0")
    repo.commit()
    monkeypatch.chdir(repo.folder)
    return repo


def with_history(repo: Repo, folder: str, key: int, *added: str) -> None:
    """An API with a version for each of some protocol levels."""
    more = {
        "apiKey": key, "validVersions": f"0-{len(added) - 1}", "flexibleVersions": "none",
        "fields": [{"name": "F", "type": "int32", "versions": "0+", "about": "It."}],
        "history": [{"version": n, "added": name, "about": "It."} for n, name in enumerate(added)],
    }  # fmt: skip
    repo.spec(request(name=f"{folder.upper()}Request", **more), folder)
    repo.spec(response(name=f"{folder.upper()}Response", **more), folder)


def test_each_spec_has_its_own_registry(two: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether or not a spec of another folder differs as well."""
    assert rules_of(capsys, "--all") == []
    with_history(two, "b", 2, "7.0-IV0", "7.2-IV0")
    two.write("b/api_versions.json", [level(n, f"7.{n}-IV0") for n in range(3)])
    two.git("add", "-A")
    for others in (False, True):
        if others:
            with_history(two, "a", 1, "1.0-IV0", "1.2-IV0")
            two.write("a/api_versions.json", [level(n, f"1.{n}-IV0") for n in range(3)])
            two.git("add", "-A")
        for mode in MODES:
            assert rules_of(capsys, *mode) == [], (others, mode)


def test_no_spec_uses_a_level_of_another_registry(two: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    with_history(two, "a", 1, "1.0-IV0", "1.2-IV0")
    two.write("a/api_versions.json", [level(n, f"1.{n}-IV0") for n in range(3)])
    with_history(two, "b", 2, "7.0-IV0", "1.2-IV0")
    two.git("add", "-A")
    for mode in MODES:
        found = rules_of(capsys, *mode)
        assert sorted(found) == ["api-version-missing", *["api-version-unknown"] * 2], mode


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("named", [False, True])
def test_a_registry_that_moves_with_its_specs(
    named: bool, mode: tuple[str, ...], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not deleted, unless a spec stays that has used it."""
    if named:
        two.git("mv", "b/api_versions.json", "b/levels.json")
        two.write("b/profile.toml", '[tables]\nlevels = "levels.json"\n')
        two.commit()
    two.git("mv", "b", "c")
    assert rules_of(capsys, *mode) == []
    (two.folder / "b").mkdir()
    two.git("mv", "c/BRequest.json", "b/BRequest.json")
    assert rules_of(capsys, *mode) == ["api-version-removed"]


CLAIM = '[[protocol]]\nname = "{0}"\npaths = ["/{1}"]\ntables.levels = "levels/{0}.json"\n'
REST = '[[protocol]]\nname = "z"\n'


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tables", "count"),
    [
        (CLAIM.format("x", "a") + CLAIM.format("y", "b"), 2),
        (CLAIM.format("x", "a") + REST, 1),
        (REST + CLAIM.format("y", "b"), 1),
    ],
)
def test_tables_of_protocols_that_name_other_registries(
    tables: str, count: int, mode: tuple[str, ...], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever of the new protocols most of the specs go to."""
    for name, first in (("x", "1.0-IV0"), ("y", "7.0-IV0")):
        two.write(f"levels/{name}.json", [level(0, first), level(2, first.replace(".0", ".1"))])
    two.commit()
    two.write("wirebook.toml", tables)
    two.git("add", "-A")
    assert rules_of(capsys, *mode).count("api-version-changed") == count


@pytest.mark.parametrize("mode", MODES)
def test_another_registry_is_reported_once_for_a_spec_that_another_protocol_gets(
    mode: tuple[str, ...], two: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, name in (("a", "x"), ("b", "y")):
        two.write(f"levels/{name}.json", (two.folder / folder / "api_versions.json").read_text())
        two.git("rm", "-q", f"{folder}/api_versions.json")
    two.write("wirebook.toml", CLAIM.format("x", "a") + CLAIM.format("y", "b"))
    two.commit()
    two.write("wirebook.toml", CLAIM.format("x", 'a", "/b'))
    two.git("add", "-A")
    unknown = ["api-version-unknown"] * (2 if mode == ("--all",) else 0)
    assert sorted(rules_of(capsys, *mode)) == [*["api-version-changed"] * 2, *unknown]
