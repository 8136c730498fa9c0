"""Files that are never half written, and the one folder for what may be thrown away."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wirebook.specs.problems import InputError

_MARK = "wirebook-tmp-"  # and the process that writes a temporary file


def read_input(path: Path, limit: int, name: str | None = None) -> bytes:
    """The text of a file that somebody else may have written; `name` is what to call it.

    Raises InputError for a pipe or a device, which may never end, and for more than `limit` bytes; OSError.
    """
    import stat

    # To open a pipe would wait for somebody to write to it.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError("this is not a regular file", name or str(path))
        text = file.read(limit + 1)
    if len(text) > limit:
        raise InputError(f"this is larger than {limit >> 20} MiB", name or str(path))
    return text


def write_atomically(path: Path, text: bytes, *, executable: bool = False) -> None:
    """Write a file atomically; raises OSError, and then leaves the old one.

    A pipe or a terminal cannot be replaced, and is written to.
    """
    import errno

    if path.exists() and not path.is_file():
        path.write_bytes(text)
        return
    if not path.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "there is no such folder", str(path.parent))
    _replace_all([(path, text, (0o777 if executable else 0o666) & ~_mask())])


def rewrite(texts: Mapping[Path, bytes]) -> None:
    """Give files that are there new texts, and keep their modes; raises OSError.

    No file is replaced before every text is on the disk, so a full disk leaves them all as they were. If a
    file cannot be replaced, those before it get their old texts back.
    """
    _replace_all([(path, text, path.stat().st_mode & 0o7777) for path, text in texts.items()])


def create(texts: Mapping[Path, bytes], changed: Mapping[Path, bytes] | None = None) -> None:
    """Write new files, with the folders that they need, then new texts of files that are there: all or none.

    Raises FileExistsError for a new file that is there, which is left as it is, and OSError; what was made by
    then is removed again.
    """
    made: list[Path] = []
    folders: list[Path] = []
    places: dict[Path, str] = {}
    path = next(iter(texts), Path())
    try:
        for path, text in texts.items():
            _make_folders(path.parent, folders)
            if path.parent not in folders:
                sweep(path.parent)
            number, places[path] = _beside(path)
            with open(number, "wb") as file:
                file.write(text)
            os.chmod(places[path], 0o666 & ~_mask())
        for path in texts:
            _put(places[path], path)
            made.append(path)
        rewrite(changed or {})
    except BaseException as error:
        for done in (*map(str, reversed(made)), *places.values()):
            with suppress(OSError):
                os.unlink(done)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError) and error.filename not in map(str, changed or {}):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    for place in places.values():
        with suppress(OSError):
            os.unlink(place)


def _make_folders(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it that are missing, and add them to `made`."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir()
        made.append(each)


def _put(place: str, path: Path) -> None:
    """Give a written file its name, if no file has it. Raises FileExistsError, OSError."""
    try:
        os.link(place, path)
    except FileExistsError:
        raise
    except OSError:
        # This file system has no links.
        with open(place, "rb") as source, open(path, "xb") as file:
            try:
                file.write(source.read())
            except BaseException:
                os.unlink(path)
                raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _replace_all(files: Sequence[tuple[Path, bytes, int]]) -> None:
    places: list[str] = []
    kept: dict[Path, str] = {}
    for folder in {path.parent for path, _, _ in files}:
        sweep(folder)
    try:
        for path, text, mode in files:
            number, place = _beside(path)
            places.append(place)
            with open(number, "wb") as file:
                file.write(text)
            os.chmod(place, mode)
        if len(files) > 1:
            for path, _, _ in files:
                kept[path] = _copied(path)
        replaced: list[Path] = []
        try:
            for path, _, _ in files:
                os.replace(places[0], path)
                del places[0]
                replaced.append(path)
        except BaseException:
            for done in replaced:
                if done in kept:
                    os.replace(kept.pop(done), done)
            raise
    except OSError as error:
        # A failed write does not name its file, and the name of the temporary one means nothing to users.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        for place in (*places, *kept.values()):
            with suppress(OSError):
                os.unlink(place)


def _beside(path: Path) -> tuple[int, str]:
    """A new file beside another one, open; by the process in its name, `sweep` finds what a kill left."""
    import tempfile

    return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.{_MARK}{os.getpid()}-")


def _copied(path: Path) -> str:
    """The same file under another name, or a copy of it where the file system has no links."""
    number, place = _beside(path)
    os.close(number)
    try:
        os.unlink(place)
        os.link(path, place, follow_symlinks=False)
    except OSError:
        import shutil

        shutil.copy2(path, place, follow_symlinks=False)
    return place


def sweep(folder: Path) -> None:
    """Remove the temporary files that killed runs have left in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            pid = entry.name.rpartition(_MARK)[2].partition("-")[0] if _MARK in entry.name else ""
            is_left = entry.name.startswith(".") and pid.isdecimal() and entry.is_file(follow_symlinks=False)
            if is_left and not is_running(int(pid)):
                with suppress(OSError):
                    os.unlink(entry.path)


@contextmanager
def locked(folders: Collection[Path]) -> Iterator[None]:
    """Keep other runs from writing into some folders, and wait for them; without a lock where the system has
    none.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    numbers = []
    try:
        for folder in sorted(folders):
            numbers.append(os.open(folder, os.O_RDONLY))
            with suppress(OSError):
                fcntl.flock(numbers[-1], fcntl.LOCK_EX)
        yield
    finally:
        for number in numbers:
            os.close(number)


@contextmanager
def locked_alone(place: Path, words: str) -> Iterator[None]:
    """Hold a lock for a file or folder, which need not be there, by a file beside it.

    Raises InputError with `words` if another process holds it. Without a lock where the system has none.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    place = Path(os.path.realpath(place))
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = place.with_name(f".{place.name}.wirebook-lock")
    number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = os.stat(lock).st_ino == os.fstat(number).st_ino
        except OSError:
            # Held, or removed by the one that held it: whoever comes too late starts again.
            is_there = False
        if not is_there:
            raise InputError(words, str(place))
        try:
            yield
        finally:
            with suppress(OSError):
                os.unlink(lock)
    finally:
        os.close(number)


def cache_folder() -> Path:
    """Where what may be thrown away is kept: `wirebook` in the cache folder that the system names.

    That is $XDG_CACHE_HOME where it is a full path (XDG Base Directory Specification), %LOCALAPPDATA% on
    Windows, else ~/.cache. Raises RuntimeError if the user has no home: what is relative would be written
    into whatever folder the command runs in.
    """
    given = os.environ.get("XDG_CACHE_HOME")
    if not given or not os.path.isabs(given):
        given = os.environ.get("LOCALAPPDATA") if os.name == "nt" else None
    if not given or not os.path.isabs(given):
        given = os.path.join(_home(), ".cache")
    return Path(given) / "wirebook"


def _home() -> str:
    """The user's home: $HOME, or what the system knows where that is no full path; raises RuntimeError."""
    home = os.path.expanduser("~")
    if os.environ.get("HOME") == "" or not os.path.isabs(home):
        try:
            import pwd

            home = pwd.getpwuid(os.getuid()).pw_dir
        except (ImportError, KeyError):
            home = ""
    if not os.path.isabs(home):
        raise RuntimeError("the user has no home folder")
    return home


def is_private(folder: Path) -> bool:
    """Whether only the user owns and can write to a folder, so that its files may be executed."""
    getuid = getattr(os, "getuid", None)
    if getuid is None:
        # Windows guards the folders of users by access lists, which these bits do not show.
        return True
    try:
        state = folder.lstat()
    except OSError:
        return False
    return state.st_uid == getuid() and not state.st_mode & 0o022


def is_running(pid: int) -> bool:
    """Whether a process of that number runs on this machine, whichever user's."""
    if sys.platform == "win32":
        return _is_running_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        # Another user's.
        return True
    return True


def _is_running_on_windows(pid: int) -> bool:
    """As `is_running`, where os.kill with 0 would interrupt processes (CTRL_C_EVENT) instead of asking."""
    import ctypes

    synchronize, access_denied, wait_timeout = 0x100000, 5, 0x102
    kernel: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009  absent elsewhere
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(kernel.OpenProcess(synchronize, False, ctypes.c_uint32(pid)))
    if not handle:
        return bool(getattr(ctypes, "get_last_error")() == access_denied)  # noqa: B009
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == wait_timeout)
    finally:
        kernel.CloseHandle(handle)
