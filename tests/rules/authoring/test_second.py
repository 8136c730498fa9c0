"""A second protocol in a repository that has one: what the commands advise, and that it works."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.repositories import Repo
from wirebook.cli.main import main
from wirebook.rules.authoring.second import second_protocol
from wirebook.rules.project.workspace import Workspace


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with the protocol of one team, and the folder of another."""
    repo = Repo(tmp_path / "ledger")
    monkeypatch.chdir(repo.folder)
    assert main(["init", "--yes"]) == 0
    repo.commit("the first protocol")
    team = repo.folder / "teams" / "cards"
    team.mkdir(parents=True)
    monkeypatch.chdir(team)
    return repo


def advised(out: str) -> list[str]:
    """The two commands at the end of an output."""
    append, new = out.rstrip("\n").splitlines()[-2:]
    assert append.startswith("  printf ")
    assert new.startswith("  wirebook new --protocol cards request ")
    return [append.strip(), new.strip()]


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with printf")
@pytest.mark.parametrize("command", [["init", "--yes"], ["new", "request", "Charge"]])
def test_the_commands_for_a_second_protocol_are_printed_and_work(
    command: list[str], repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(command) == 0
    append, new = advised(capsys.readouterr().out)
    repo.git("clean", "-fdq", "--", "messages")
    subprocess.run(["sh", "-c", append], check=True)
    assert main(new.split()[1:]) == 0
    assert (repo.folder / "teams/cards/PlaceOrderRequest.json").exists()
    # The names and the keys are those of a protocol of its own.
    assert main(["new", "--protocol", "cards", "request", "GetNote"]) == 0
    repo.commit("the second protocol")
    capsys.readouterr()
    assert main(["check", "--all"]) == 0
    assert "[cards]" in capsys.readouterr().out
    assert second_protocol(Workspace.here(Path.cwd())) == []


def test_the_folder_of_the_protocol_is_no_place_for_another(repo: Repo) -> None:
    places = (".", "messages", "messages/more")
    (repo.folder / "messages" / "more").mkdir()
    assert [second_protocol(Workspace.here(repo.folder / place)) for place in places] == [[], [], []]
    repo.write("specs/other/OtherRequest.json", "{}")
    assert second_protocol(Workspace.here(repo.folder / "teams"))


def test_the_settings_in_pyproject_get_the_tables(repo: Repo) -> None:
    (repo.folder / "wirebook.toml").unlink()
    repo.write("pyproject.toml", "[tool.wirebook]\n")
    append, _ = second_protocol(Workspace.here(Path.cwd()))
    assert "[[tool.wirebook.protocol]]" in append
    assert append.endswith(">> ../../pyproject.toml")


def test_a_profile_in_the_settings_is_not_made_invalid(repo: Repo) -> None:
    (repo.folder / "profile.toml").unlink()
    repo.write("wirebook.toml", '[protocol]\nname = "ledger"\n')
    assert second_protocol(Workspace.here(Path.cwd())) == []
