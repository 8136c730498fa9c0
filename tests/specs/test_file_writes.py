"""Files are written whole or not at all, with the modes that they should have."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wirebook.specs import files
from wirebook.specs.files import (
    cache_folder,
    create,
    is_private,
    is_running,
    locked,
    read_file,
    read_input,
    refuse_links,
    rewrite,
    sweep,
    write_atomically,
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


def refuse(number: int, *names: str) -> Any:
    """A function of the system that fails."""

    def failing(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), *names)

    return failing


def test_new_files_have_the_modes_of_the_user(mask: int, tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"1")
    write_atomically(tmp_path / "b", b"2", executable=True)
    create({tmp_path / "c": b"3"})
    assert [mode(tmp_path / name) for name in "abc"] == [0o666 & ~mask, 0o777 & ~mask, 0o666 & ~mask]
    assert os.umask(mask) == mask
    # An existing file keeps its mode only where it is rewritten.
    (tmp_path / "a").chmod(0o640)
    rewrite({tmp_path / "a": b"4", tmp_path / "b": b"5"})
    assert (mode(tmp_path / "a"), mode(tmp_path / "b")) == (0o640, 0o777 & ~mask)
    assert tree(tmp_path) == {"a": "4", "b": "5", "c": "3"}


def test_a_pipe_is_written_to_and_a_missing_folder_is_named(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"words")
    reader.join()
    assert (found, stat.S_ISFIFO(pipe.stat().st_mode)) == ([b"words"], True)
    with pytest.raises(NotADirectoryError, match=f"there is no such folder: '{tmp_path}/none'"):
        write_atomically(tmp_path / "none" / "a", b"")
    with pytest.raises(NotADirectoryError, match="there is no such folder"):
        write_atomically(pipe / "a", b"")


def test_a_link_is_replaced_wherever_it_leads(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    for target in ("/dev/null", "/dev/stdout", "file", "pipe", "nowhere"):
        place = tmp_path / "report.md"
        place.symlink_to(target)
        write_atomically(place, b"words")
        assert not place.is_symlink(), target
        assert place.read_bytes() == b"words"
        place.unlink()
    assert (tmp_path / "file").read_text() == "mine"


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


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs the links of a system")
def test_the_links_of_the_system_are_written_to(tmp_path: Path) -> None:
    read, write = os.pipe()
    for name in (f"/dev/fd/{write}", f"/proc/self/fd/{write}"):
        if os.path.exists(name):
            write_atomically(Path(name), b"words")
            assert os.read(read, 100) == b"words"
    os.close(read)
    os.close(write)
    write_atomically(Path("/dev/null"), b"words")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_new_files_and_their_folders_are_made_together(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("1")
    create({tmp_path / "x/y/a": b"a", tmp_path / "x/b": b"b"}, {tmp_path / "old": b"2"})
    assert tree(tmp_path) == {"old": "2", "x": "", "x/y": "", "x/y/a": "a", "x/b": "b"}


def test_what_a_check_refuses_is_removed_again(tmp_path: Path) -> None:
    def refuse_files() -> None:
        assert (tmp_path / "x/y/a").read_bytes() == b"a"
        raise InputError("no")

    (tmp_path / "old").write_text("1")
    with pytest.raises(InputError):
        create({tmp_path / "x/y/a": b"a"}, {tmp_path / "old": b"2"}, refuse_files)
    assert tree(tmp_path) == {"old": "1"}


@pytest.mark.parametrize("there", ["x/y/a", "x/b", "c"])
def test_an_existing_file_stays_and_nothing_else_is_made(there: str, tmp_path: Path) -> None:
    place = tmp_path / there
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("mine")
    (tmp_path / "old").write_text("1")
    before = tree(tmp_path)
    names = {tmp_path / "x/y/a": b"a", tmp_path / "x/b": b"b", tmp_path / "c": b"c"}
    with pytest.raises(FileExistsError, match=f"'{place}'"):
        create(names, {tmp_path / "old": b"2"})
    assert tree(tmp_path) == before


def test_if_a_file_cannot_be_changed_no_other_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old"
    old.write_text("1")
    monkeypatch.setattr(os, "replace", refuse(errno.EIO, str(old)))
    with pytest.raises(OSError, match=f"'{old}'"):
        create({tmp_path / "x/a": b"a"}, {old: b"2"})
    assert tree(tmp_path) == {"old": "1"}
    with pytest.raises(FileNotFoundError):
        create({tmp_path / "x/a": b"a"}, {tmp_path / "none": b"2"})
    assert tree(tmp_path) == {"old": "1"}


@pytest.mark.parametrize("function", ["chmod", "mkdir"])
def test_an_error_names_the_file_and_leaves_nothing(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, function, refuse(errno.EIO))
    with pytest.raises(OSError, match=f"'{tmp_path}/x/a'"):
        create({tmp_path / "x/a": b"a"})
    assert tree(tmp_path) == {}


def test_a_copy_that_is_not_complete_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without links, a new file is written under its own name."""

    class Full:
        def __init__(self, path: Path) -> None:
            self.path = path

        def __enter__(self) -> Full:
            self.path.touch(exist_ok=False)
            return self

        def __exit__(self, *_: object) -> None:
            pass

        write = staticmethod(refuse(errno.ENOSPC))

    def opened(path: Any, kind: str = "r") -> Any:
        return Full(path) if kind == "xb" else open(path, kind)

    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    monkeypatch.setattr(files, "open", opened, raising=False)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/x/a'"):
        create({tmp_path / "x/a": b"a"})
    assert tree(tmp_path) == {}


def test_without_links_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refuse(errno.EPERM))
    create({tmp_path / "a": b"a", tmp_path / "b": b"b"})
    assert tree(tmp_path) == {"a": "a", "b": "b"}
    with pytest.raises(FileExistsError):
        create({tmp_path / "c": b"c", tmp_path / "a": b"x"})
    assert tree(tmp_path) == {"a": "a", "b": "b"}
    real = os.replace

    def broken(source: Any, there: Path) -> None:
        if there == tmp_path / "b" and Path(source).read_bytes() == b"2":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(source, there)

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match=f"'{tmp_path}/b'"):
        rewrite({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert tree(tmp_path) == {"a": "a", "b": "b"}


def test_only_files_that_a_dead_process_left_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "is_running", lambda pid: pid == 7)
    names = [
        ".a.wirebook-tmp-8-x",
        ".a.wirebook-tmp-7-x",
        "a.wirebook-tmp-8-x",
        ".a.wirebook-tmp--x",
        ".a-8-x",
    ]
    for name in names:
        (tmp_path / name).write_text("")
    (tmp_path / ".b.wirebook-tmp-8-y").mkdir()
    (tmp_path / ".c.wirebook-tmp-8-z").symlink_to("a")
    (tmp_path / ".wirebook-tmp-9-wirebook-tmp-8-q").write_text("")
    sweep(tmp_path)
    sweep(tmp_path / "none")
    kept = {*names[1:], ".b.wirebook-tmp-8-y", ".c.wirebook-tmp-8-z"}
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == (b"12345", True)
    assert read_file(path, 4) == (b"", False)
    assert read_file(path, 4, beginning=3) == (b"123", False)
    assert read_input(path, 5) == b"12345"
    path.write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(InputError) as caught:
        read_input(path, 1 << 20)
    assert str(caught.value) == f"{path}: this is larger than 1 MiB"
    with pytest.raises(InputError) as caught:
        read_input(tmp_path, 5, "it")
    assert str(caught.value) == "it: this is not a regular file"


@pytest.mark.parametrize(
    ("bits", "private"), [(0o700, True), (0o755, True), (0o720, False), (0o702, False), (0o777, False)]
)
def test_a_private_folder_is_written_to_by_nobody_else(bits: int, private: bool, tmp_path: Path) -> None:
    tmp_path.chmod(bits)
    assert is_private(tmp_path) is private
    tmp_path.chmod(0o700)


def test_a_folder_of_another_user_or_behind_a_link_is_not_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert not is_private(tmp_path / "link")
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert not is_private(tmp_path)


def test_a_process_of_another_user_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, runs in ((PermissionError, True), (ProcessLookupError, False), (OverflowError, False)):

        def kill(pid: int, number: int, error: type[Exception] = error) -> None:
            assert (pid, number) == (7, 0)
            raise error

        monkeypatch.setattr(os, "kill", kill)
        assert is_running(7) is runs


def test_the_cache_is_where_the_system_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "wirebook"
    monkeypatch.delenv("XDG_CACHE_HOME")
    # Only Windows has the other variable.
    assert cache_folder() == tmp_path / ".cache" / "wirebook"


def test_locks_are_taken_in_order_and_given_back(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("b", "a")]
    for folder in folders:
        folder.mkdir()
    opened: list[int] = []
    with locked(folders):
        opened += [int(name) for name in os.listdir("/proc/self/fd")]
        held = [os.readlink(f"/proc/self/fd/{number}") for number in sorted(opened) if _is_open(number)]
        assert [path for path in held if path.startswith(str(tmp_path))] == [
            str(tmp_path / "a"),
            str(tmp_path / "b"),
        ]
    after = [
        os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_open(int(name))
    ]
    assert not [path for path in after if path.startswith(str(tmp_path))]
    with pytest.raises(FileNotFoundError), locked([tmp_path / "a", tmp_path / "none"]):
        pytest.fail("the block must not run")


def _is_open(number: int) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")
