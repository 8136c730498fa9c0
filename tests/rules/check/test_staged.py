"""`wirebook check --staged`: what it goes by as it is staged, and what is asked for in odd ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, broken, request, started
from wirebook.cli.main import main

PATH = f"{FOLDER}/FetchRequest.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a break that is staged."""
    repo = started(tmp_path / "repo")
    repo.git("checkout", "-q", "-b", "feature")
    repo.spec(broken())
    repo.git("add", "-A")
    return repo


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.chdir(folder)
    return main(["check", *arguments])


@pytest.mark.parametrize("name", ["wirebook.toml", "pyproject.toml"])
def test_configuration_counts_as_it_is_staged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    head = "[tool.wirebook.severities]\n" if name == "pyproject.toml" else "[severities]\n"
    repo.write(name, f'{head}type-changed = "off"\n')
    assert run(repo.folder / FOLDER, monkeypatch, "--staged") == 1
    notice = f"{name} is not staged: it counts from the commit that it is in"
    assert " ".join(capsys.readouterr().out.split()).count(notice) == 1
    repo.git("add", name)
    repo.write(name, f'{head}type-changed = "info"\n')
    assert run(repo.folder / FOLDER, monkeypatch, "--staged") == 1
    assert "this change lowers type-changed to off" in capsys.readouterr().out
    assert run(repo.folder, monkeypatch) == 1
    assert "this change lowers type-changed to info" in capsys.readouterr().out


def test_configuration_counts_as_it_is_staged_though_the_working_tree_lacks_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if it is in a pyproject.toml, which other tools use, too."""
    for name, head in (("wirebook.toml", ""), ("pyproject.toml", "tool.wirebook.")):
        repo.write(name, f'[{head}severities]\ntype-changed = "off"\n')
        repo.git("add", name)
        for left in ('[project]\nname = "x"\n', None):
            if left is None or name == "wirebook.toml":
                (repo.folder / name).unlink()
            else:
                repo.write(name, left)
            assert run(repo.folder, monkeypatch, "--staged") == 1, (name, left)
            assert "this change lowers type-changed to off" in capsys.readouterr().out
            repo.write(name, "")
        repo.git("rm", "-q", "-f", "--cached", name)
        (repo.folder / name).unlink()


def test_waivers_count_as_they_are_staged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiver = (
        '[[waiver]]\nrule = "type-changed"\nmessage = "FetchRequest"\nfield = "MaxWaitMs"\nversions = "0-2"\n'
        'change = "type: int32 -> int64"\n'
    )
    repo.write("waivers.toml", f'{waiver}reason = "not out yet"\nby = "b"\n')
    words = "waivers.toml is not staged: what it accepts counts from the commit that it is in"
    assert run(repo.folder, monkeypatch, "--staged") == 1
    assert words in " ".join(capsys.readouterr().out.split())
    repo.git("add", "waivers.toml")
    assert run(repo.folder, monkeypatch, "--staged") == 0
    assert "not staged" not in capsys.readouterr().out
    # Without --staged the working tree counts as it is.
    repo.git("rm", "-q", "--cached", "waivers.toml")
    assert run(repo.folder, monkeypatch) == 0
    assert "not staged" not in capsys.readouterr().out


def test_who_mends_the_file_and_does_not_stage_it_is_told(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("waivers.toml", '[[waiver]]\nrule = "type-changed"\nmessage = "FetchRequest"\n')
    repo.git("add", "-A")
    assert run(repo.folder, monkeypatch, "--staged") == 2
    assert "staged" not in capsys.readouterr().err
    repo.write("waivers.toml", "")
    assert run(repo.folder, monkeypatch, "--staged") == 2
    assert "this is what is staged: git add waivers.toml" in capsys.readouterr().err


def test_a_waiver_is_placed_and_shown_from_anywhere(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '[[waiver]]\nrule = "tag-reused"\nmessage = "FetchRequest"\nreason = "r"\nby = "b"\n'
    repo.write("waivers.toml", text)
    assert run(repo.folder / FOLDER, monkeypatch) == 1
    told = capsys.readouterr().out
    assert "  --> waivers.toml:1:1\n    |\n  1 | [[waiver]]\n" in told


def test_what_is_only_meant_to_be_added_is_not_staged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("reset", "-q", "--hard")
    repo.spec(request(name="BarRequest", apiKey=77))
    repo.git("add", "-N", "-A")
    assert run(repo.folder, monkeypatch, "--staged") == 0
    assert "0 specs differ" in capsys.readouterr().out


def test_what_is_only_meant_to_be_added_is_not_staged_beside_a_link(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index with links is read as a whole."""
    repo.git("reset", "-q", "--hard")
    (repo.folder / "link").symlink_to("package.json")
    repo.commit()
    repo.spec(request(name="BarRequest", apiKey=77))
    repo.write("clients/profile.toml", 'name = "x"\n')
    repo.write("wirebook.toml", 'exclude = ["clients"]\n')
    repo.write("clients/.gitattributes", "*.json -text\n")
    (repo.folder / "OtherRequest.json").symlink_to("package.json")
    repo.git("add", "-N", "-A")
    assert run(repo.folder, monkeypatch, "--staged") == 0
    printed = capsys.readouterr().out
    assert "0 specs differ" in printed
    assert "wirebook.toml is not staged" in printed
    # An empty file that is staged counts.
    repo.write("EmptyRequest.json", "")
    repo.git("add", "EmptyRequest.json")
    assert run(repo.folder, monkeypatch, "--staged") == 2
    assert "EmptyRequest.json:1:1" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["profile.toml", "base.toml", "wirebook.toml", "waivers.toml"])
@pytest.mark.parametrize(("is_in_base", "beside_link"), [(True, False), (False, True)])
def test_a_file_in_a_merge_conflict_that_decides_what_specs_mean(
    name: str,
    is_in_base: bool,
    beside_link: bool,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo.git("reset", "-q", "--hard")
    if name == "base.toml":
        repo.write("profile.toml", 'extends = "base.toml"\n')
    if beside_link:
        (repo.folder / "link").symlink_to("package.json")
    if is_in_base:
        repo.write(name, "")
    repo.commit()
    for branch, words in (("theirs", "# theirs\n"), ("ours", "# ours\n")):
        repo.git("checkout", "-q", "-b", branch, "feature")
        repo.write(name, words)
        repo.commit()
    repo.git("merge", "-q", "theirs", check=False)
    repo.spec(broken())
    repo.git("add", FOLDER)
    assert run(repo.folder, monkeypatch, "--staged") == 2
    printed = capsys.readouterr()
    file = f"{name}:" if name != "base.toml" else f'"{name}" cannot be read:'
    assert f"{file} this file has a merge conflict" in " ".join((printed.out + printed.err).split())


def test_files_are_found_however_they_are_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(repo.folder)
    (tmp_path / "near.json").write_text("{}")
    for name in (PATH, str(repo.folder / PATH), str(tmp_path / "link" / PATH), f"{FOLDER}/../message/"):
        assert run(repo.folder, monkeypatch, "--staged", name) == 1, name
    capsys.readouterr()
    assert run(repo.folder, monkeypatch, "../near.json") == 2
    assert "outside the repository" in capsys.readouterr().err


def test_a_file_of_a_submodule_is_a_matter_of_its_own(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    outer = started(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(repo.folder), "inner")
    outer.commit()
    assert run(outer.folder, monkeypatch, f"inner/{PATH}") == 2
    assert "inner is another repository" in capsys.readouterr().err


def test_the_default_branch_of_the_remote_whatever_it_is_called(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Who works on it is not told that nothing differs from the commit that has just been pushed."""
    repo = started(tmp_path / "repo", branch="develop")
    repo.spec(broken())
    repo.commit()
    repo.git("clone", "-q", str(repo.folder), str(tmp_path / "clone"))
    assert run(tmp_path / "clone", monkeypatch) == 1
    assert "against the first parent of HEAD" in capsys.readouterr().out
    repo.git("clone", "-q", "--depth=1", f"file://{repo.folder}", str(tmp_path / "shallow"))
    assert run(tmp_path / "shallow", monkeypatch) == 2
    assert "git fetch --deepen=1" in capsys.readouterr().err


def test_no_fetch_is_advised_where_there_is_nowhere_to_fetch_from(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(repo.folder, monkeypatch, "--against", "mian") == 2
    told = capsys.readouterr().err
    assert "did you mean main?" in told
    assert "git fetch" not in told


def test_a_dash_is_no_file(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(repo.folder, monkeypatch, "--staged", "--output", "-") == 1
    assert "error[type-changed]" in capsys.readouterr().out
    assert not (repo.folder / "-").exists()
