"""Output folders: filled apart and then put in place of the last output."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wirebook.specs.files import refuse_links, write_atomically
from wirebook.specs.problems import InputError

LIST = ".wirebook-files"
CATALOG, SITE, AUDIT, FLEET = "catalog", "site", "audit", "fleet"

# Files that hosts of pages read at the top of a site, which a fresh checkout of one may contain.
HOSTING = frozenset(("CNAME", "_headers", "_redirects", "robots.txt"))


@contextmanager
def replaced(target: Path, kind: str) -> Iterator[Path]:
    """Yield a new folder; its files replace the last output in `target` if the block succeeds.

    A link stays one. Raises InputError like `check_output`, and if something cannot be written.
    """
    check_output(target, kind)
    place = Path(os.path.realpath(target))
    try:
        place.mkdir(parents=True, exist_ok=True)
        # In the folder itself, so that files only change their names.
        temporary = Path(tempfile.mkdtemp(prefix=".wirebook-", dir=place))
        try:
            temporary.chmod(0o755)
            yield temporary
            check_output(target, kind)
            new = set(_files(temporary))
            _list(place, kind, new | _listed(place, kind))
            for name in os.listdir(place):
                if _is_ours(name):
                    each = place / name
                    shutil.rmtree(each) if each.is_dir() else each.unlink()
            for name in os.listdir(temporary):
                os.replace(temporary / name, place / name)
            _list(place, kind, new)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            with suppress(OSError):
                place.rmdir()  # a new folder that stayed empty
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", str(target)) from error


def check_output(target: Path, kind: str) -> None:
    """Raise InputError if an output cannot be written to `target`.

    That is the case for a file, a path through a link of a repository, a folder without write
    permission, and a folder with files that no output of this kind wrote. Hidden files are allowed
    and kept, and so are the files that the host of a site reads (`HOSTING`).
    """
    refuse_links(target)
    place = Path(os.path.realpath(target))
    existing = next(folder for folder in (place, *place.parents) if os.path.lexists(folder))
    if not existing.is_dir():
        raise InputError("is not a folder; the output needs its own folder", str(existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError("this folder cannot be written to", str(existing))
    if existing != place:
        return
    listed = _listed(place, kind)
    others = (path for path in _files(place) if path not in listed and _is_ours(path))
    other = min(others, default=None)
    if other is not None:
        raise InputError(
            f'holds other files ("{other}"), which do not belong to a wirebook {kind}; '
            "choose an empty folder for the output",
            str(target),
        )


def _is_ours(path: str) -> bool:
    """Whether a file below an output, or a name in it, would be removed by the next output."""
    return not path.startswith(".") and "/." not in path and path not in HOSTING


def _listed(place: Path, kind: str) -> frozenset[str]:
    """The files in a folder that an output of this kind wrote, as paths below it."""
    path = place / LIST
    if path.is_symlink() or not path.is_file():
        return frozenset()
    first, *names = path.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
    return frozenset(names if first == kind else ())


def _list(place: Path, kind: str, files: Iterable[str]) -> None:
    lines = [kind, *sorted(files)]
    write_atomically(place / LIST, "".join(f"{line}\n" for line in lines).encode())


def _files(folder: Path) -> Iterator[str]:
    """Every file below a folder, as a path below it."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
