"""An output takes the place of the last one, and no file of others is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirebook.specs.output import AUDIT, LIST, SITE, replaced
from wirebook.specs.problems import InputError

OLD = {"index.html": "old", "api/fetch.html": "old", "gone/page.html": "old"}
NEW = {"index.html": "new", "api/fetch.html": "new", "added/page.html": "new"}
OTHERS = {".git/HEAD": "ref", "CNAME": "example.org", ".nojekyll": ""}


def fill(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def build(target: Path, files: dict[str, str], kind: str = SITE) -> None:
    with replaced(target, kind) as folder:
        fill(folder, files)


def held(folder: Path) -> dict[str, str]:
    """Every file but the list."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LIST
    }


def test_hidden_files_and_those_of_the_host_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "site", tmp_path / "link"
    fill(target, {".git/HEAD": "ref", "CNAME": "example.org"})
    link.symlink_to(target)
    build(link, OLD)
    fill(target, OTHERS | {"api/.DS_Store": ""})
    for _ in range(2):
        build(link, NEW)
        assert held(target) == NEW | OTHERS
        assert not (target / "gone").exists()
    assert link.is_symlink()


def test_an_output_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)
    with pytest.raises(InputError, match="a wirebook audit"):
        build(tmp_path / "site", NEW, AUDIT)
    assert held(tmp_path / "site") == OLD


@pytest.mark.parametrize("name", ["index.html", ".wirebook-site", "manifest.json", LIST])
def test_a_folder_with_files_of_others_is_refused_before_the_work(
    name: str, tmp_path: Path
) -> None:
    fill(tmp_path, {name: '{"schema": "wirebook/manifest/1"}', "thesis.txt": "years of work"})
    before = held(tmp_path)
    with pytest.raises(InputError, match="holds other files"), replaced(tmp_path, SITE):
        pytest.fail("the block must not run")
    assert held(tmp_path) == before


def test_files_of_others_in_an_output_are_not_removed(tmp_path: Path) -> None:
    build(tmp_path, OLD)
    fill(tmp_path, {"gone/mine.html": "mine"})
    with pytest.raises(InputError, match=r"gone/mine\.html"):
        build(tmp_path, NEW)
    assert held(tmp_path) == OLD | {"gone/mine.html": "mine"}


def test_a_failure_keeps_the_last_output(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)
    for name in ("site", "new"):
        with pytest.raises(KeyError), replaced(tmp_path / name, SITE):
            raise KeyError
    assert held(tmp_path / "site") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    build(site, OLD)
    fill(elsewhere, {"page.html": "mine"})
    (site / "gone" / "page.html").unlink()
    (site / "gone" / "page.html").symlink_to(elsewhere / "page.html")
    build(site, NEW)
    assert held(elsewhere) == {"page.html": "mine"}
    assert held(site) == NEW
