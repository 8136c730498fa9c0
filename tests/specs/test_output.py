"""An output takes the place of the last one, and no file of others is lost, wherever a run ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.specs.output_folders import NEW, OLD, OTHERS, build, fill, held, used
from wirebook.specs.output import AUDIT, LIST, SITE, owned, replaced
from wirebook.specs.problems import InputError


def test_files_of_others_stay_and_only_ours_are_removed(tmp_path: Path) -> None:
    target = used(tmp_path)
    for _ in range(2):
        build(target, NEW)
        assert held(target) == NEW | OTHERS
        assert (target / ".git/refs").is_dir()
        assert (target / "link").readlink() == Path("nowhere")
        assert not (target / "gone").exists()
        assert owned(target, SITE) == frozenset((*NEW, LIST))
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("name", ["index.html", ".wirebook-site", "manifest.json", LIST])
def test_a_folder_that_no_output_of_ours_is_in_is_refused_before_the_work(
    name: str, tmp_path: Path
) -> None:
    fill(tmp_path, {name: '{"schema": "wirebook/manifest/1"}', "thesis.txt": "years of work"})
    before = held(tmp_path)
    with pytest.raises(InputError, match="holds other files"), replaced(tmp_path, SITE):
        pytest.fail("the block must not run")
    assert held(tmp_path) == before


def test_an_output_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)
    with pytest.raises(InputError, match="a wirebook audit"):
        build(tmp_path / "site", NEW, AUDIT)
    assert held(tmp_path / "site") == OLD


def test_a_file_of_others_with_the_name_of_a_new_one_is_not_overwritten(tmp_path: Path) -> None:
    target = used(tmp_path)
    before = held(target)
    for taken in ("CNAME", "mine", "CNAME/page.html", "link/page.html"):
        with pytest.raises(InputError, match="was not written by wirebook"):
            build(target, {**NEW, taken: "ours"})
        assert held(target) == before


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)
    fill(tmp_path, {"elsewhere/page.html": "mine"})
    shutil.rmtree(tmp_path / "site" / "gone")
    (tmp_path / "site" / "gone").symlink_to(tmp_path / "elsewhere")
    build(tmp_path / "site", NEW)
    assert (tmp_path / "elsewhere" / "page.html").read_text() == "mine"
    assert (tmp_path / "site" / "gone").is_symlink()
