"""Files that are read whole or not at all, and never half-written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from wirebook.specs.problems import InputError

# Opening does not wait for a pipe. Windows has no such flag.
_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_input(path: Path, limit: int, name: str | None = None) -> bytes:
    """Read a file that may be untrusted; `name` is what errors call it.

    Raises OSError, and InputError for a pipe or a device and for more than `limit` bytes.
    """
    file = os.open(path, _TO_READ)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise InputError("this is not a regular file", name or str(path))
        text = os.read(file, limit + 1)
    finally:
        os.close(file)
    if len(text) > limit:
        raise InputError(f"it is larger than {limit >> 20} MiB", name or str(path))
    return text


def write_atomically(path: Path, text: bytes) -> None:
    """Write a file atomically. Raises OSError, and then keeps the old file.

    A pipe or a terminal cannot be replaced, so it is written to directly, also through system links
    such as /dev/stdout. Any other link is replaced: that of a repository might lead to /dev/null.
    """
    of_system = Path(os.path.abspath(path)).parts[1:2] in (("dev",), ("proc",))
    if path.exists() and not path.is_file() and (of_system or not path.is_symlink()):
        path.write_bytes(text)
    else:
        write_files({path: text})


def write_files(texts: Mapping[Path, bytes]) -> None:
    """Write files beside those of their names, and replace them once all are written.

    Existing files keep their modes. Raises OSError, and then keeps them all.
    """
    written: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            written[path] = path.with_name(f".{path.name}.wirebook-{os.getpid()}")
            with open(written[path], "xb") as file:
                file.write(text)
            if path.is_file() and not path.is_symlink():
                shutil.copymode(path, written[path])
        for path, temporary in written.items():
            os.replace(temporary, path)
    except OSError as error:
        # The name of a temporary file would say nothing.
        raise OSError(error.errno, error.strerror, str(next(iter(texts)))) from error
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)


def create_files(texts: Mapping[Path, bytes]) -> None:
    """Create files, with missing folders, or none if one exists. Raises OSError."""
    for path in texts:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as file:
            file.write(text)


def refuse_links(path: str | Path) -> None:
    """Raise InputError if a folder of a path is a link within a git repository.

    The author of a change decides where it leads. `write_atomically` replaces a link at the end.
    """
    for folder in list(Path(os.path.abspath(os.curdir), path).parents)[-2::-1]:
        above = Path(os.path.realpath(folder.parent))
        if folder.is_symlink() and any(
            os.path.lexists(each / ".git") for each in (above, *above.parents)
        ):
            raise InputError(
                f"{folder} is a link in a git repository, and nothing is written through one; "
                f"name the folder that it leads to, {os.path.realpath(folder)}",
                str(path),
            )
