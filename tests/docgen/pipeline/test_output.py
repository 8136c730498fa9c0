"""A catalog takes its place whole or not at all, and is the same bytes for the same data."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from wirebook.docgen.catalog.files import encoded, write_json
from wirebook.specs.output import LIST, replaced
from wirebook.specs.problems import InputError


def make(folder: Path, word: str = "new") -> None:
    write_json(folder / "manifest.json", {"schema": "wirebook/manifest/1", "word": word})


def stop(folder: Path) -> None:
    make(folder)
    raise InputError("stopped")


def word_in(folder: Path) -> str:
    return str(json.loads((folder / "manifest.json").read_text())["word"])


def leftovers(parent: Path) -> list[str]:
    return sorted(path.name for path in parent.iterdir() if path.name != "catalog")


def test_a_catalog_takes_its_place_when_it_is_done(tmp_path: Path) -> None:
    with replaced(tmp_path / "deep" / "catalog") as folder:
        make(folder)
    assert word_in(tmp_path / "deep" / "catalog") == "new"
    assert leftovers(tmp_path / "deep") == []


def test_an_older_catalog_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "catalog"
    with replaced(target) as folder:
        make(folder, "old")
        (folder / "stale.json").write_text("{}")
    with replaced(target) as folder:
        make(folder)
    assert {path.name for path in target.iterdir()} == {"manifest.json", LIST}
    assert word_in(target) == "new"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    with replaced(tmp_path / "catalog") as folder:
        make(folder)
    assert word_in(tmp_path / "catalog") == "new"


def test_what_fails_leaves_the_last_good_catalog(tmp_path: Path) -> None:
    target = tmp_path / "catalog"
    with replaced(target) as folder:
        make(folder, "old")
    with pytest.raises(InputError, match="stopped"), replaced(target) as folder:
        stop(folder)
    assert word_in(target) == "old"
    assert leftovers(tmp_path) == []


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught, replaced(tmp_path / "catalog") as folder:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder / "index.json"))
    assert "No space left on device" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "catalog").exists()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
def test_somebody_elses_files_are_left_alone(name: str, tmp_path: Path) -> None:
    target = tmp_path / "catalog"
    target.mkdir()
    (target / name).write_text('{"name": "my web app"}')
    with pytest.raises(InputError, match="holds other files"), replaced(target):
        pytest.fail("the block must not run")
    assert (target / name).read_text() == '{"name": "my web app"}'


def test_a_file_in_the_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "catalog").write_text("mine")
    with pytest.raises(InputError, match="is not a folder"), replaced(tmp_path / "catalog"):
        pytest.fail("the block must not run")
    assert (tmp_path / "catalog").read_text() == "mine"


def test_a_place_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is not a folder"), replaced(tmp_path / "file" / "catalog"):
        pytest.fail("the block must not run")


def test_documents_are_compact_and_keep_every_character() -> None:
    assert encoded({"b": "Ä\u202e", "a": [1, None]}) == '{"b":"Ä\u202e","a":[1,null]}'.encode()


def test_half_a_surrogate_pair_can_be_written() -> None:
    assert json.loads(encoded({"a": json.loads('"\\ud800"')})) == {"a": "\ud800"}
