"""Folders whose names look like stages of an index, pathspecs or options of git, or have a line end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response
from tests.rules.check.running import Run
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run

FOLDERS = ["0:m", "1:m", "2:0:m", ":", ":/x", ":(top)m", ":(glob)*", ":!m", "-m", "*", "[m]", "m\nn", " m "]


@pytest.mark.share(2)
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("above", ["", "a/"])
def test_files_are_read_where_they_are(above: str, folder: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    place = f"{above}{folder}"
    repo.write(f"{place}/f", "inside\n")
    repo.write(f"{place}/target", "target")
    repo.write("m/f", "another\n")
    repo.write("f", "top\n")
    (repo.folder / place / "link").symlink_to("target")
    (repo.folder / "to").symlink_to(place)
    commit = repo.commit(f"m/f {place}/f")
    with GitRepo(repo.folder, index=True) as git:
        for side in (commit, ""):
            assert git.text(side, f"{place}/f") == b"inside\n"
            assert git.text(side, f"{place}/target") == b"target"
            assert git.text(side, f"{place}/link") == b"target"
            assert git.text(side, f"{place}/none") is None
            assert (git.is_link(side, f"{place}/link"), git.is_link(side, f"{place}/f")) == (True, False)
            names = [f"{place}/f", f"{place}/none", "m/f", "f"]
            assert {path: item.data for path, item in git.at(side, names).items()} == {
                f"{place}/f": b"inside\n",
                "m/f": b"another\n",
                "f": b"top\n",
            }
        assert git.existing(commit, [f"{place}/f", f"{place}/none"]) == [f"{place}/f"]
        assert git.followed(commit, "to") == place
        assert git.followed(commit, f"{place}/link") == f"{place}/target"


def test_many_names_with_line_ends_take_few_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    names = [f"a\n{number}" for number in range(250)]
    for name in names:
        repo.write(name, name)
    commit = repo.commit()
    commands: list[str] = []

    def counted(folder: Path, *arguments: str, index: bool) -> bytes:
        commands.append(arguments[0])
        return run(folder, *arguments, index=index)

    monkeypatch.setattr("wirebook.specs.sources.git.run", counted)
    with GitRepo(repo.folder) as git:
        for side in (commit, ""):
            found = git.at(side, [*names, "a\nnone"])
            assert {path: item.data.decode() for path, item in found.items()} == {
                name: name for name in names
            }
    assert len(commands) == 6


def test_a_file_in_a_merge_conflict_has_no_text(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    for path in ("a\nb", "c"):
        repo.write(path, "0")
    repo.commit()
    for branch in ("one", "two"):
        repo.git("checkout", "-q", "-b", branch, "main")
        for path in ("a\nb", "c"):
            repo.write(path, branch)
        repo.commit()
    repo.git("merge", "one", check=False)
    with GitRepo(repo.folder, index=True) as git:
        assert git.at("", ["a\nb", "c"]) == {}


@pytest.mark.share(2)
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_profile_is_read_in_every_way(folder: str, tmp_path: Path, check: Run) -> None:
    repo = Repo(tmp_path / "repo")
    place = f"{folder}/message"
    for spec in (request(name="FooRequest"), response(name="FooResponse")):
        repo.spec(spec, place)
    repo.write(f"{folder}/profile.toml", 'name = "x"\n[headers]\nrequest = [3, 3]\n')
    repo.commit("the specs")
    repo.git("checkout", "-q", "-b", "topic")
    repo.write(f"{folder}/profile.toml", 'name = "x"\n[headers]\nrequest = [4, 4]\n')
    assert check(repo.folder).code == 1
    repo.git("add", "-A")
    assert check(repo.folder, "--staged").code == 1
    repo.commit("other headers")
    assert check(repo.folder, "--against", "main...").code == 1
    assert check(repo.folder, "--old", "git:.@main", "--new", "git:.@topic").code == 1
