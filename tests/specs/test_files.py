"""What runs that were killed leave is removed, and on every system no process is harmed to find out."""

from __future__ import annotations

import ctypes
import errno
import os
import pwd
import stat
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.files import (
    cache_folder,
    is_private,
    is_running,
    locked_exclusively,
    read_file,
    read_input,
    rewrite,
    write_atomically,
)
from wirebook.specs.output import replaced
from wirebook.specs.problems import InputError


def ended() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_whether_a_process_runs() -> None:
    assert is_running(os.getpid())
    assert is_running(os.getppid())
    assert not is_running(ended())
    assert not is_running(10**30)


def test_a_name_with_any_number_stops_nothing(tmp_path: Path) -> None:
    left = tmp_path / f".out.wirebook-{10**30}-abc"
    left.mkdir()
    with replaced(tmp_path / "out", "x/") as folder:
        (folder / "manifest.json").write_text("{}")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


class Kernel:
    """Three functions of Windows, for process 7, which runs, 8, which has ended, and 9, of another user."""

    def __init__(self) -> None:
        self.open: list[int] = []
        self.error = 0
        self.OpenProcess = self._Open(self)

    class _Open:
        def __init__(self, kernel: Kernel) -> None:
            self.kernel = kernel
            self.restype: Any = None

        def __call__(self, access: int, inherit: bool, pid: Any) -> int | None:
            assert (access, inherit) == (0x100000, False)
            self.kernel.error = {9: 5}.get(pid.value, 87)
            if pid.value not in (7, 8):
                return None
            self.kernel.open.append(pid.value)
            return int(pid.value)

    def WaitForSingleObject(self, handle: Any, milliseconds: int) -> int:  # noqa: N802
        assert milliseconds == 0
        return 0x102 if handle.value == 7 else 0

    def CloseHandle(self, handle: Any) -> int:  # noqa: N802
        self.open.remove(handle.value)
        return 1


def test_windows_is_asked_without_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel()
    monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: kernel, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: kernel.error, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal is sent"))
    assert [is_running(pid) for pid in (7, 8, 9, 10)] == [True, False, True, False]
    assert kernel.open == []


def test_a_folder_that_others_may_write_to_is_not_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    assert is_private(tmp_path)
    assert not is_private(tmp_path / "missing")
    tmp_path.chmod(0o777)
    assert not is_private(tmp_path)
    # Windows has other means, and no such function.
    monkeypatch.delattr(os, "getuid")
    assert is_private(tmp_path)


@pytest.mark.parametrize("given", ["", "cache", "./cache", "~/cache"])
@pytest.mark.parametrize("home", [None, "", "home", "."])
def test_the_cache_is_never_in_the_working_folder(
    given: str, home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", home)
    assert cache_folder() == Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "wirebook")

    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(RuntimeError):
        cache_folder()


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "chmod", full)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/a.json'"):
        write_atomically(tmp_path / "a.json", b"{}")
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_held_by_one_process_at_a_time(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "catalog"
    with (
        locked_exclusively(place, "taken"),
        pytest.raises(InputError, match="taken"),
        locked_exclusively(place, "taken"),
    ):
        pytest.fail("the block must not run")
    with locked_exclusively(place, "taken"):
        pass
    assert list(tmp_path.rglob("*")) == [place.parent]


def test_a_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    (tmp_path / ".catalog.wirebook-lock").write_text("")
    with locked_exclusively(tmp_path / "catalog", "taken"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    dead = ended()
    left = tmp_path / f".other.json.wirebook-tmp-{dead}-abc"
    kept = {
        f".a.wirebook-tmp-{os.getpid()}-abc", f"a.wirebook-tmp-{dead}-abc", ".a.wirebook-tmp-x-abc",
        ".wirebook-files",
    }  # fmt: skip
    for name in (left.name, *kept):
        (tmp_path / name).write_text("")
    write_atomically(tmp_path / "a.json", b"{}")
    assert {path.name for path in tmp_path.iterdir()} == {*kept, "a.json"}


def test_files_that_are_replaced_get_their_texts_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {tmp_path / name: name.encode() for name in "abc"}
    for path, text in texts.items():
        path.write_bytes(text)
    replace = os.replace

    def broken(source: str, there: Path) -> None:
        if there == tmp_path / "c":
            raise OSError(errno.EIO, os.strerror(errno.EIO), source)
        replace(source, there)

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match=f"'{tmp_path}/c'"):
        rewrite(dict.fromkeys(texts, b"new"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == texts


def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    texts = {tmp_path / name: name.encode() for name in "ab"}
    for path, text in texts.items():
        path.write_bytes(text)
    (tmp_path / "b").chmod(0o444)
    with pytest.raises(PermissionError, match=f"the file is read-only: '{tmp_path}/b'"):
        rewrite(dict.fromkeys(texts, b"new"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == texts


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(1, 200), st.integers(0, 50))
def test_content_is_read_whatever_size_is_expected(
    content: bytes, expected: int, limit: int, beginning: int
) -> None:
    """A file may grow or shrink between the question for its size and the reading."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        state = SimpleNamespace(st_mode=stat.S_IFREG, st_size=expected)
        with patch("wirebook.specs.files.os.fstat", return_value=state):
            found = read_file(file.name, limit, beginning=min(beginning, limit))
    is_whole = max(len(content), expected) <= limit
    assert found == (content if is_whole else content[: min(beginning, limit)], is_whole)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").write_bytes(b"{}")
    (tmp_path / "link").symlink_to("a")
    assert read_file(tmp_path / "link", 9, links=True) == read_file(tmp_path / "a", 9) == (b"{}", True)
    assert read_file(tmp_path, 9) is read_file(tmp_path / "pipe", 9) is None
    with pytest.raises(OSError, match="link"):
        read_file(tmp_path / "link", 9)


def test_a_large_limit_costs_no_memory(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"{}")
    tracemalloc.start()
    try:
        assert read_input(small, 64 << 20) == b"{}"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
