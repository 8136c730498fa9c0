"""Files that are read whole or not at all, and never half-written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from wirebook.specs.problems import InputError

# Opening does not wait for a pipe. Windows has no such flag.
_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_input(path: Path, limit: int, name: str | None = None) -> bytes:
    """Read a file that may be untrusted; `name` is what errors call it.

    Raises InputError for a pipe or a device, which may never end, and for more than `limit` bytes; OSError.
    """
    file = os.open(path, _TO_READ)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise InputError("this is not a regular file", name or str(path))
        text = os.read(file, min(status.st_size, limit) + 1)
    finally:
        os.close(file)
    if len(text) > limit:
        raise InputError(f"this is larger than {limit >> 20} MiB", name or str(path))
    return text


def write_atomically(path: Path, text: bytes) -> None:
    """Write a file atomically. Raises OSError, and then keeps the old file.

    A pipe or a terminal cannot be replaced, so it is written to directly, also through system links such as
    /dev/stdout. Any other link is replaced: that of a repository might lead to /dev/null.
    """
    of_system = Path(os.path.abspath(path)).parts[1:2] in (("dev",), ("proc",))
    if path.exists() and not path.is_file() and (of_system or not path.is_symlink()):
        path.write_bytes(text)
        return
    if not path.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "there is no such folder", str(path.parent))
    _replace(path, text, 0o666 & ~_mask())


def refuse_links(path: str | Path) -> None:
    """Raise InputError if a folder of a path is a link within a git repository.

    The author of a change decides where such a link leads. The last part of the path may be a link, which
    `write_atomically` replaces.
    """
    for folder in list(Path(os.path.abspath(os.curdir), path).parents)[-2::-1]:
        if not folder.is_symlink():
            continue
        above = Path(os.path.realpath(folder.parent))
        if any(os.path.lexists(each / ".git") for each in (above, *above.parents)):
            raise InputError(
                f"{folder} is a link in a git repository, and nothing is written through one; "
                f"name the folder that it leads to, {os.path.realpath(folder)}",
                str(path),
            )


def rewrite(texts: Mapping[Path, bytes]) -> None:
    """Replace the contents of existing files, and keep their modes: all or none.

    Raises OSError, also for a read-only file: to replace it, a writable folder would be enough.
    """
    modes = {path: path.stat().st_mode & 0o7777 for path in texts}
    for path, mode in modes.items():
        # root may write to any file.
        if not mode & 0o222 or not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    former = {path: path.read_bytes() for path in texts}
    replaced: list[Path] = []
    try:
        for path, text in texts.items():
            _replace(path, text, modes[path])
            replaced.append(path)
    except BaseException:
        for path in replaced:
            _replace(path, former[path], modes[path])
        raise


def create(
    texts: Mapping[Path, bytes],
    changed: Mapping[Path, bytes] | None = None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Create new files, with missing folders, and then change existing ones: all or none.

    Raises FileExistsError if a new file exists, which is then left unchanged, OSError, and what `check`
    raises once the new files exist; everything created by then is removed again.
    """
    created: list[Path] = []
    folders: list[Path] = []
    try:
        for path, text in texts.items():
            with _naming(path):
                _make_folders(path.parent, folders)
                with open(path, "xb") as file:
                    created.append(path)
                    file.write(text)
        check()
        rewrite(changed or {})
    except BaseException:
        for done in reversed(created):
            done.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Give an error the name of the file: that of a failed write has none, or that of a temporary file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _make_folders(folder: Path, created: list[Path]) -> None:
    """Create a folder and its missing parents, and add them to `created`."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir()
        created.append(each)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _replace(path: Path, text: bytes, mode: int) -> None:
    """Write a file next to another one and give it its name. Raises OSError."""
    import tempfile

    with _naming(path):
        number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.wirebook-")
        try:
            with open(number, "wb") as file:
                file.write(text)
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


@contextmanager
def locked(folders: Collection[Path]) -> Iterator[None]:
    """Lock folders against other runs, waiting for them; does nothing if the system has no locks."""
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
