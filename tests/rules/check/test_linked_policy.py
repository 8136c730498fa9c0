"""A configuration that the change replaces by a link is looked up on the old side by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, broken, request, started
from wirebook.cli.main import main

STRICT = '[severities]\ntype-changed = "error"\nfield-renamed = "error"\n'
MILD = '[severities]\ntype-changed = "info"\n'


def renamed() -> dict[str, object]:
    """The request with a renamed field, by default a warning."""
    spec = request()
    return {**spec, "fields": [{**spec["fields"][0], "name": "Wait"}, *spec["fields"][1:]]}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository without a configuration yet."""
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def branch(repo: Repo) -> None:
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "feature")


def link(repo: Repo, path: str, target: str) -> None:
    """Replace a file or folder by a link."""
    repo.git("rm", "-rq", "--ignore-unmatch", path)
    (repo.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (repo.folder / path).symlink_to(target)


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    done = capsys.readouterr()
    return code, done.out + done.err


AGAINST = (("--against", "main..."), ("--against", "main"), ("--staged",))


@pytest.mark.parametrize("against", AGAINST)
@pytest.mark.parametrize("kind", ["file", "folder", "above"])
def test_a_named_configuration_that_becomes_a_link(
    repo: Repo, capsys: pytest.CaptureFixture[str], kind: str, against: tuple[str, ...]
) -> None:
    repo.write("ci/conf/ci.toml", STRICT)
    branch(repo)
    repo.spec(renamed())
    arguments = (*against, "--config", "ci/conf/ci.toml")
    repo.git("add", "-A")
    if against != ("--staged",):
        repo.commit("rename")
    code, out = check(capsys, *arguments)
    assert (code, "error[field-renamed]" in out) == (1, True)
    repo.write("mild/conf/ci.toml", MILD)
    if kind == "file":
        link(repo, "ci/conf/ci.toml", "../../mild/conf/ci.toml")
    elif kind == "folder":
        link(repo, "ci/conf", "../mild/conf")
    else:
        link(repo, "ci", "mild")
    repo.git("add", "-A")
    if against != ("--staged",):
        repo.commit("link")
    code, out = check(capsys, *arguments)
    assert (code, "error[field-renamed]" in out) == (1, True)
    assert "this change lowers field-renamed to its default" in out


def test_the_paths_of_a_configuration_that_becomes_a_link(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(request(), "tests/proto")
    repo.write("ci.toml", 'paths = ["tests/proto"]\n')
    branch(repo)
    repo.spec(broken(), "tests/proto")
    repo.write("o.toml", 'paths = ["n"]\n')
    link(repo, "ci.toml", "o.toml")
    repo.commit("link and break")
    code, out = check(capsys, "--against", "main...", "--config", "ci.toml")
    assert (code, "error[type-changed]" in out) == (1, True)
    assert "before: []" not in out


@pytest.mark.parametrize("shell", [True, False])
def test_the_folder_of_the_check_becomes_a_link(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shell: bool
) -> None:
    repo.write("service/wirebook.toml", STRICT)
    branch(repo)
    repo.spec(renamed())
    repo.write("mild/wirebook.toml", MILD)
    link(repo, "service", "mild")
    repo.commit("link and rename")
    monkeypatch.chdir(repo.folder / "service")
    if shell:
        # A shell keeps the name of the folder under which it was entered.
        monkeypatch.setenv("PWD", str(repo.folder / "service"))
    code, out = check(capsys, "--against", "main...")
    assert (code, "error[field-renamed]" in out) == ((1, True) if shell else (0, False))


def test_a_shell_of_another_folder_does_not_count(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("service/wirebook.toml", STRICT)
    branch(repo)
    repo.spec(renamed())
    repo.commit("rename")
    monkeypatch.setenv("PWD", str(repo.folder / "service"))
    assert check(capsys, "--against", "main...")[0] == 0


@pytest.mark.parametrize("name", ["wirebook.toml", "pyproject.toml"])
def test_a_configuration_found_by_search_becomes_a_link(
    repo: Repo, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    shared = name == "pyproject.toml"
    repo.write(name, STRICT.replace("[sev", "[tool.wirebook.sev") if shared else STRICT)
    branch(repo)
    repo.spec(renamed())
    repo.write("mild/o.toml", MILD.replace("[sev", "[tool.wirebook.sev") if shared else MILD)
    link(repo, name, "mild/o.toml")
    repo.commit("link and rename")
    code, out = check(capsys, "--against", "main...")
    assert (code, "error[field-renamed]" in out) == (1, True)


def test_a_configuration_that_was_a_link(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("shared/conf/ci.toml", STRICT)
    (repo.folder / "ci").symlink_to("shared")
    branch(repo)
    repo.spec(renamed())
    (repo.folder / "ci").unlink()
    repo.write("ci/conf/ci.toml", MILD)
    repo.commit("replace the link")
    code, out = check(capsys, "--against", "main...", "--config", "ci/conf/ci.toml")
    assert (code, "error[field-renamed]" in out) == (1, True)


def test_the_profile_of_a_folder_that_becomes_a_link(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    event = {
        "type": "event",
        "name": "Opened",
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": [{"name": "X", "versions": "0", "type": "int32", "about": "x"}],
    }
    repo.write("own/profile.toml", 'name = "otter"\nmessage_types = ["event"]\n')
    repo.write("own/Opened.json", event)
    branch(repo)
    more = {"name": "Y", "versions": "1", "type": "int8", "about": "y"}
    repo.git("mv", "own", "moved")
    repo.write("moved/Opened.json", {**event, "validVersions": "0-1", "fields": [*event["fields"], more]})
    repo.write("moved/profile.toml", 'name = "otter"\nmessage_types = ["event", "other"]\n')
    (repo.folder / "own").symlink_to("moved")
    repo.commit("link")
    code, out = check(capsys, "--against", "main...")
    assert "unknown-message-type" not in out
    assert "this change edits the profile of the protocol (own/profile.toml)" in out, out
    assert code == 0


@pytest.mark.parametrize("from_folder", [".", "ci"])
def test_a_frozen_baseline_whose_folder_becomes_a_link(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, from_folder: str
) -> None:
    repo.write("wirebook.toml", 'released = ["./released/one"]\n')
    repo.spec(request(), "released/one")
    repo.spec({**request(), "latestVersionUnstable": True})
    repo.write("ci/readme.txt", "")
    branch(repo)
    repo.spec({**broken(), "latestVersionUnstable": True})
    repo.spec({**broken(), "validVersions": "0"}, "empty/one")
    link(repo, "released", "empty")
    # A folder of that name below that of the check.
    repo.spec({**broken(), "validVersions": "0"}, "ci/released/one")
    repo.commit("link and break")
    monkeypatch.chdir(repo.folder / from_folder)
    code, out = check(capsys, "--against", "main...")
    assert (code, "versions 0-2" in out) == (1, True), out


def test_waivers_whose_folder_becomes_a_link(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    waiver = '[[waiver]]\nrule = "{}"\nmessage = "FetchRequest"\nreason = "r"\nby = "b"\n'
    repo.write("ci/wirebook.toml", 'waivers = "../team/waivers.toml"\n')
    repo.write("team/waivers.toml", waiver.format("tag-gap"))
    branch(repo)
    repo.write("other/waivers.toml", waiver.format("type-changed"))
    repo.spec(broken())
    link(repo, "team", "other")
    repo.commit("link")
    _, out = check(capsys, "--against", "main...", "--config", "ci/wirebook.toml")
    assert "this change adds a waiver: type-changed for FetchRequest" in out
    assert "this change removes a waiver: tag-gap for FetchRequest" in out


def test_a_link_of_the_base_that_leads_outside(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    (repo.folder / "ci").symlink_to("../..")
    branch(repo)
    repo.spec(broken())
    (repo.folder / "ci").unlink()
    repo.write("ci/ci.toml", MILD)
    repo.commit("replace the link")
    code, out = check(capsys, "--against", "main...", "--config", "ci/ci.toml")
    assert (code, "outside the repository" in out) == (2, True)
