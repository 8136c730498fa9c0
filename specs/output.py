"""Output folders: filled apart and then put in place; files of other origin are kept."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from wirebook.specs.files import locked, refuse_links, write_atomically
from wirebook.specs.problems import InputError

LIST = ".wirebook-files"
SCHEMA = "wirebook/files/1"
CATALOG, SITE, AUDIT, FLEET = "catalog", "site", "audit", "fleet"

# Files that hosts of pages read at the top of a site, which a fresh checkout of one may contain.
HOSTING = frozenset(("CNAME", "_headers", "_redirects", "robots.txt"))


@contextmanager
def replaced(target: Path, kind: str = CATALOG) -> Iterator[Path]:
    """Yield a new folder to fill; its files replace the last output in `target` if the block succeeds.

    Of the existing files, only those that an output of this kind wrote are removed: `LIST` names them. If
    `target` is a link, it stays one. Raises InputError like `check_output`, if a file would replace one of
    other origin, and if something cannot be written.
    """
    check_output(target, kind)
    place = Path(os.path.realpath(target))
    is_new = not place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
        # In the folder itself, so that files only change their names.
        temporary = Path(tempfile.mkdtemp(prefix=".wirebook-", dir=place))
        try:
            temporary.chmod(0o755)
            yield temporary
            with locked([place]):
                check_output(target, kind)
                _publish(temporary, place, kind)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            if is_new:
                with suppress(OSError):
                    place.rmdir()
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", str(target)) from error


@contextmanager
def all_replaced(*outputs: tuple[Path, str]) -> Iterator[tuple[Path, ...]]:
    """Like `replaced`, for several folders, which are put in place once all of them are filled."""
    places = [Path(os.path.realpath(target)) for target, _ in outputs]
    for (target, _), place in zip(outputs, places, strict=True):
        for other in places:
            if other is not place and place.is_relative_to(other):
                raise InputError(f"is within {other}, the folder of another output", str(target))
    with ExitStack() as stack:
        yield tuple(stack.enter_context(replaced(*output)) for output in outputs)


def check_output(target: Path, kind: str = CATALOG) -> None:
    """Raise InputError if an output cannot be written to `target`.

    That is the case for a file, a path through a link of a repository, a folder without write permission, and
    a folder with files that no output of this kind wrote. Hidden files are allowed and kept, and in a site
    the files that its host reads (`HOSTING`).
    """
    refuse_links(target)
    place = Path(os.path.realpath(target))
    existing = next(folder for folder in (place, *place.parents) if folder.exists() or folder.is_symlink())
    if not existing.is_dir():
        raise InputError("is not a folder; the output needs its own folder", str(existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError("this folder cannot be written to", str(existing))
    if existing != place or owned(place, kind) is not None:
        return
    try:
        others = sorted(name for name in os.listdir(place) if not name.startswith("."))
    except OSError as error:
        raise InputError(error.strerror or str(error), str(target)) from None
    if kind == SITE:
        others = [name for name in others if name not in HOSTING]
    if others:
        raise InputError(
            f'holds other files ("{others[0]}"), which do not belong to a wirebook {kind}; '
            "choose an empty folder for the output",
            str(target),
        )


def owned(folder: Path, kind: str) -> frozenset[str] | None:
    """The files in a folder that an output of this kind wrote, as paths below it; None without one."""
    try:
        number = os.open(
            folder / LIST, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
        with open(number, "rb") as file:
            listed = json.loads(file.read()) if stat.S_ISREG(os.fstat(number).st_mode) else None
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(listed, dict) or (listed.get("schema"), listed.get("kind")) != (SCHEMA, kind):
        return None
    files = listed.get("files")
    if not isinstance(files, list) or not all(isinstance(path, str) and _is_below(path) for path in files):
        return None
    return frozenset((*files, LIST))


def _is_below(path: str) -> bool:
    return not {"", ".", ".."} & set(path.split("/")) and not set("\\\0") & set(path) and not Path(path).drive


def _publish(temporary: Path, place: Path, kind: str) -> None:
    """Replace the files of the last output, and remove those that the new one does not have."""
    new = frozenset(_files(temporary))
    old = owned(place, kind) or frozenset({LIST})
    for path in sorted(new - old):
        _refuse_collision(place, path, old)
    # Meanwhile the list names the files of both.
    _list(place, kind, old | new)
    for path in sorted(old - new - {LIST}):
        if not any((place / above).is_symlink() for above in Path(path).parents[:-1]):
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
                (place / path).unlink()
    for folder in sorted({above for path in old - new for above in Path(path).parents[:-1]}, reverse=True):
        with suppress(OSError):
            (place / folder).rmdir()
    # Pages follow the files that they load.
    for path in sorted(new, key=lambda path: (path.endswith((".html", ".json")), path)):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(temporary / path, place / path)
    _list(place, kind, new)


def _list(place: Path, kind: str, files: frozenset[str]) -> None:
    listed = {"schema": SCHEMA, "kind": kind, "files": sorted(files - {LIST})}
    write_atomically(place / LIST, (json.dumps(listed, indent=0) + "\n").encode())


def _files(folder: Path) -> Iterator[str]:
    """Every file below a folder, as a path below it."""
    for above, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(above, name))]
        for name in (*names, *links):
            yield Path(above, name).relative_to(folder).as_posix()


def _refuse_collision(place: Path, path: str, old: Collection[str]) -> None:
    """Raise InputError if a new file would replace one of other origin, or go through a link."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        part = "/".join(parts[:count])
        target = place / part
        if not os.path.lexists(target):
            return
        is_folder = target.is_dir() and not target.is_symlink()
        if (count < len(parts) and is_folder) or part in old:
            continue
        if is_folder and all(f"{part}/{inner}" in old for inner in _files(target)):
            continue
        raise InputError("was not written by wirebook, and the output has a file of this name", str(target))
