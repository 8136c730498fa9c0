"""Output of commands does not leave the repository through a link that a change added."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, broken, started
from wirebook.cli.main import main


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose last commit breaks a message and adds links out of the repository."""
    repo = started(tmp_path / "repo")
    repo.spec(broken())
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    (repo.folder / "reports").symlink_to(tmp_path / "outside")
    repo.commit("the break, and a link")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.mark.share(2)
@pytest.mark.parametrize("output", ["reports/a", "reports/inner/a", "reports/../reports/a"])
@pytest.mark.parametrize(
    "command",
    [
        ["check", "--against", "HEAD^...", "--format", "sarif"],
        ["report", "--against", "HEAD^..."],
        ["report", "--against", "HEAD^...", "--for-comment"],
        ["changes", "HEAD^", "HEAD"],
    ],
)
def test_nothing_is_written_through_a_link_of_the_change(
    command: list[str], output: str, changed: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--output", output]) == 2
    assert f"wirebook: {output}: " in (said := capsys.readouterr().err)
    assert "is a link in a git repository" in said
    assert [path.name for path in (tmp_path / "outside").rglob("*")] == ["inner"]
    assert main([*command, "--output", str(tmp_path / "outside" / "a")]) in (0, 1)
    assert (tmp_path / "outside" / "a").stat().st_size


def test_a_site_and_a_catalog_are_not_built_through_a_link(
    changed: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (changed.folder / "site").symlink_to(tmp_path / "outside" / "inner")
    assert main(["build", "--site-dir", "reports/site"]) == 2
    assert "reports is a link in a git repository" in capsys.readouterr().err
    assert main(["audit", ".", "--releases", "*", "--output", "reports/inner"]) == 2
    assert "reports is a link in a git repository" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "outside").rglob("*")] == ["inner"]
