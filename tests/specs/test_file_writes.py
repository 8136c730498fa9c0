"""Files are written whole or not at all, with the modes that they should have."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirebook.specs.files import (
    create_files,
    read_input,
    refuse_links,
    write_atomically,
    write_files,
)
from wirebook.specs.problems import InputError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tree(folder: Path) -> dict[str, str]:
    """The files below a folder with their texts, and the folders with nothing."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else ""
        for path in folder.rglob("*")
    }


@pytest.fixture(params=[0o022, 0o077, 0o000])
def mask(request: pytest.FixtureRequest) -> Iterator[int]:
    """A mask of modes that the user has set."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_new_files_have_the_modes_of_the_user(mask: int, tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"1")
    write_atomically(tmp_path / "b", b"2")
    create_files({tmp_path / "c": b"3"})
    assert [mode(tmp_path / name) for name in "abc"] == [0o666 & ~mask] * 3
    # An existing file keeps its mode.
    (tmp_path / "a").chmod(0o640)
    write_files({tmp_path / "a": b"4", tmp_path / "b": b"5"})
    assert (mode(tmp_path / "a"), mode(tmp_path / "b")) == (0o640, 0o666 & ~mask)
    assert tree(tmp_path) == {"a": "4", "b": "5", "c": "3"}


def test_a_link_of_a_repository_is_refused_in_every_folder_of_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, repository = tmp_path / "outside", tmp_path / "repository"
    (outside / "in").mkdir(parents=True)
    (repository / ".git").mkdir(parents=True)
    (repository / "plain").mkdir()
    (repository / "reports").symlink_to(outside)
    (tmp_path / "home").symlink_to(repository)
    monkeypatch.chdir(repository)
    for name in (
        "reports/a",
        "reports/in/a",
        "plain/../reports/a",
        "reports/in/../a",
        "reports/../plain/a",
        str(repository / "reports" / "a"),
        str(tmp_path / "home" / "reports" / "a"),
    ):
        with pytest.raises(InputError, match=r"reports is a link in a git repository") as caught:
            refuse_links(name)
        assert caught.value.path == name
    # The last part is replaced; other links are those of the user.
    for name in ("reports", "plain/a", "a", str(tmp_path / "home" / "plain" / "a")):
        refuse_links(name)
    monkeypatch.chdir(repository / "reports")
    refuse_links("a")


def test_new_files_and_their_folders_are_made_together(tmp_path: Path) -> None:
    create_files({tmp_path / "x/y/a": b"a", tmp_path / "x/b": b"b"})
    made = {"x": "", "x/y": "", "x/y/a": "a", "x/b": "b"}
    assert tree(tmp_path) == made
    with pytest.raises(FileExistsError):
        create_files({tmp_path / "z/a": b"a", tmp_path / "x/b": b"c"})
    assert tree(tmp_path) == made


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_input(path, 5) == b"12345"
    path.write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(InputError) as caught:
        read_input(path, 1 << 20)
    assert str(caught.value) == f"{path}: it is larger than 1 MiB"
    with pytest.raises(InputError) as caught:
        read_input(tmp_path, 5, "it")
    assert str(caught.value) == "it: this is not a regular file"
