"""`wirebook init`: what it finds out, what it writes, and that it never takes the place of a
file."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.repositories import Repo, started
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.rules.settings_file import read_settings

WRITTEN = {
    "messages/GetNoteRequest.json", "messages/GetNoteResponse.json", "messages/NoteData.json",
    "wirebook.toml", ".pre-commit-config.yaml", ".github/workflows/wirebook.yml",
    "mkdocs.yml", "docs/index.md", ".gitignore",
}  # fmt: skip


def held(folder: Path) -> dict[str, bytes]:
    """Every file of a working tree."""
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {path: text for path, text in found.items() if not path.startswith(".git/")}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "otter")
    monkeypatch.chdir(made.folder)
    return made


def test_an_empty_repository_gets_everything_and_passes_the_check(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--ci", "--site"]) == 0
    out = capsys.readouterr().out
    assert held(repo.folder).keys() == WRITTEN
    assert all(f"  {path} " in out for path in WRITTEN)
    assert "Unchanged:" not in out
    assert main(["check", "--all"]) == 0
    assert "no findings; 3 messages checked" in capsys.readouterr().out
    settings = tomllib.loads((repo.folder / "wirebook.toml").read_text())
    assert settings == {
        "name": "otter",
        "product": "Otter",
        "title": "Otter protocol",
        "released": "none",
    }
    site = yaml.safe_load((repo.folder / "mkdocs.yml").read_text())
    # The site has the title of the profile.
    assert site["site_name"] == ""
    assert site["plugins"] == ["search", "wirebook"]
    repo.commit()
    assert repo.git("status", "--porcelain", "--ignored") == ""


def test_a_second_run_writes_nothing_and_lists_what_is_there(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "--ci", "--site"])
    before = held(repo.folder)
    capsys.readouterr()
    assert main(["init", "--ci", "--site"]) == 0
    out = capsys.readouterr().out
    assert held(repo.folder) == before
    assert "Written" not in out
    assert "add to it" not in out
    kept = {path for path in WRITTEN if not path.startswith(("docs/", "messages/"))}
    assert all(f"  {path} " in out for path in kept)


def test_specs_that_are_there_are_taken_with_their_tags_and_their_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = started(tmp_path / "kafka")
    for tag in ("v1.0.0", "v1.1.0", "nightly"):
        repo.git("tag", tag)
    monkeypatch.chdir(repo.folder / "clients")
    assert main(["init"]) == 0
    assert not (repo.folder / "messages").exists()
    assert not (repo.folder / "mkdocs.yml").exists()
    settings = read_settings((repo.folder / "wirebook.toml").read_bytes(), "wirebook.toml")
    assert (settings.profile.name, settings.profile.title) == ("kafka", "Kafka protocol")
    # The specs have Kafka's ApiVersions.
    assert settings.profile.family == "kafka"
    assert settings.released == ("v*",)
    repo.commit()
    assert main(["check"]) == 0


def test_files_that_are_there_stay_and_what_to_add_is_printed(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {
        "mkdocs.yml": "site_name: Ours\n",
        ".pre-commit-config.yaml": "repos: []\n",
        ".gitignore": "*.pyc",
        "wirebook.toml": 'name = "ours"\n',
    }
    for path, text in own.items():
        repo.write(path, text)
    assert main(["init", "--ci", "--site"]) == 0
    out = capsys.readouterr().out
    for path, text in own.items():
        assert (repo.folder / path).read_text() == text
    assert "      /build/\n      /site/\n" in out
    assert not (repo.folder / "docs").exists()
    assert "entry: wirebook check --hook" in out
    assert "      plugins:\n" in out


def refused(folder: Path, *arguments: str, **environment: str) -> str:
    """The one line of a run that is refused."""
    done = subprocess.run(
        [sys.executable, "-m", "wirebook.cli.main", "init", *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_without_a_repository_or_git_nothing_is_written(tmp_path: Path, repo: Repo) -> None:
    bare = tmp_path / "plain"
    bare.mkdir()
    assert "this is not a git repository with files; run `git init` first" in refused(bare)
    assert list(bare.iterdir()) == []
    assert "no such folder" in refused(bare, "nowhere")
    assert "git" in refused(repo.folder, PATH=str(bare))
    assert held(repo.folder) == {}


def test_a_broken_file_of_settings_stops_with_its_place(repo: Repo) -> None:
    path = "wirebook.toml"
    repo.write(path, "name = 1\nunknown = 2\n")
    repo.write(
        "a/FooData.json", '{"type": "data", "name": "Foo", "validVersions": "0", "fields": []}'
    )
    assert f"{path}:" in refused(repo.folder)
    assert held(repo.folder).keys() == {path, "a/FooData.json"}


@pytest.mark.parametrize("server", ["github", "gitlab"])
def test_the_commands_of_ci_check_a_change(repo: Repo, server: str, tmp_path: Path) -> None:
    """The scripts are run as the servers run them; only what installs wirebook is left out."""
    repo.git("config", "remote.origin.url", f"https://{server}.com/team/otter")
    assert main(["init", "--ci", "--site"]) == 0
    settings = repo.folder / "wirebook.toml"
    settings.write_text(settings.read_text().replace('released = "none"', 'released = ["v*"]'))
    repo.commit()
    repo.git("tag", "v1.0.0")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("switch", "-qc", "change")
    place = repo.folder / "messages" / "GetNoteRequest.json"
    place.write_text(place.read_text().replace('"type": "uuid"', '"type": "int64"'))
    repo.commit()
    path = ".gitlab-ci.yml" if server == "gitlab" else ".github/workflows/wirebook.yml"
    loaded = yaml.safe_load((repo.folder / path).read_text())
    if server == "gitlab":
        scripts = loaded["wirebook"]["script"]
    else:
        scripts = [step["run"] for step in loaded["jobs"]["protocol"]["steps"] if "run" in step]
    assert "pip install" in scripts[0]
    tool = tmp_path / "bin" / "wirebook"
    tool.parent.mkdir()
    tool.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m wirebook.cli.main "$@"\n'
    )
    tool.chmod(0o755)
    names = {"GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    summary = tmp_path / "summary.md"
    environment = {
        **os.environ, **names, "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(summary),
    }  # fmt: skip
    codes = [
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=repo.folder, env=environment, capture_output=True, check=False,
        ).returncode
        for script in scripts[1:]
        if "git fetch" not in script
    ]  # fmt: skip
    assert codes == [0, 1]
    left = summary if server == "github" else repo.folder / "wirebook.json"
    assert "type-changed" in left.read_text()
