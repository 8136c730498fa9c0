"""What all processes of a test run share: a folder, and what is built in it once."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

_VARIABLE = "WIREBOOK_TEST_RUN"
# The folder that this process has created, and therefore removes: workers, and a pytest that a test
# starts, inherit the name of one that others still use.
_created: list[str] = []
_temporary: list[Path] = []


def begin_run() -> None:
    """Create the folder of a run, whose workers inherit its name; nothing in a worker."""
    if _VARIABLE not in os.environ:
        os.environ[_VARIABLE] = tempfile.mkdtemp(prefix="wirebook-tests-")
        _created.append(os.environ[_VARIABLE])


def end_run() -> None:
    """Remove the folder of a run in the process that created it, which ends after all its
    workers."""
    while _created:
        shutil.rmtree(_created.pop(), ignore_errors=True)


def temporary(prefix: str) -> Path:
    """A new folder of this process, which it removes when its tests end."""
    _temporary.append(Path(tempfile.mkdtemp(prefix=f"wirebook-{prefix}-")))
    return _temporary[-1]


def remove_temporary() -> None:
    """Remove the folders of this process."""
    while _temporary:
        shutil.rmtree(_temporary.pop(), ignore_errors=True)


def is_shared(path: Path) -> bool:
    """Whether a path is in the folder of the run."""
    return path.is_relative_to(os.environ[_VARIABLE])


def built_once(name: str, build: Callable[[Path], None]) -> Path:
    """The folder that `build` fills: by the first process that asks for it, while others wait."""
    folder = Path(os.environ[_VARIABLE]) / name
    complete = folder.with_suffix(".complete")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            complete.touch()
    return folder
