"""Output folders: filled apart and then put in place; files of other origin are kept."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from wirebook.specs.files import locked, refuse_links, write_atomically
from wirebook.specs.problems import InputError

LIST = ".wirebook-files"
SCHEMA = "wirebook/files/1"
CATALOG, SITE, AUDIT, FLEET = "catalog", "site", "audit", "fleet"

# Files that hosts of pages read at the top of a site, which a fresh checkout of one may contain.
HOSTING = frozenset(("CNAME", "_headers", "_redirects", "robots.txt"))


@contextmanager
def replaced(target: Path, kind: str = CATALOG) -> Iterator[Path]:
    """Yield a new folder to fill; its files replace the last output in `target` if the block
    succeeds.

    Of the existing files, only those that an output of this kind wrote are removed: `LIST` names
    them. If `target` is a link, it stays one. Raises InputError like `check_output`, if a file
    would replace one of other origin, and if something cannot be written.
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

    That is the case for a file, a path through a link of a repository, a folder without write
    permission, and a folder with files that no output of this kind wrote. Hidden files are allowed
    and kept, and in a site the files that its host reads (`HOSTING`).
    """
    refuse_links(target)
    place = Path(os.path.realpath(target))
    existing = next(folder for folder in (place, *place.parents) if os.path.lexists(folder))
    if not existing.is_dir():
        raise InputError("is not a folder; the output needs its own folder", str(existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError("this folder cannot be written to", str(existing))
    if existing != place or owned(place, kind) is not None:
        return
    hosting = HOSTING if kind == SITE else frozenset()
    others = sorted(
        name for name in os.listdir(place) if not name.startswith(".") and name not in hosting
    )
    if others:
        words = f'holds other files ("{others[0]}"), which do not belong to a wirebook {kind}'
        raise InputError(f"{words}; choose an empty folder for the output", str(target))


def owned(folder: Path, kind: str) -> frozenset[str] | None:
    """The files in a folder that an output of this kind wrote, as paths below it; None without
    one."""
    path = folder / LIST
    try:
        listed = json.loads(path.read_bytes()) if path.is_file() and not path.is_symlink() else {}
        if (listed["schema"], listed["kind"]) != (SCHEMA, kind):
            return None
        files = [str(name) for name in listed["files"]]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return frozenset((*files, LIST)) if all(map(_is_below, files)) else None


def _is_below(path: str) -> bool:
    return (
        not {"", ".", ".."} & set(path.split("/"))
        and not set("\\\0") & set(path)
        and not Path(path).drive
    )


def _publish(temporary: Path, place: Path, kind: str) -> None:
    """Replace the files of the last output, and remove those that the new one does not have."""
    new = frozenset(_files(temporary))
    old = owned(place, kind) or frozenset({LIST})
    for path in sorted(new - old):
        _refuse_collision(place, path, old)
    # Meanwhile the list names the files of both.
    _list(place, kind, old | new)
    gone = [path for path in old - new - {LIST} if not _is_behind_link(place, path)]
    for path in gone:
        with suppress(OSError):
            (place / path).unlink()
    for folder in sorted({str(above) for path in gone for above in _folders(path)}, reverse=True):
        with suppress(OSError):
            (place / folder).rmdir()
    # Pages follow the files that they load.
    for path in sorted(new, key=lambda path: (path.endswith((".html", ".json")), path)):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(temporary / path, place / path)
    _list(place, kind, new)


def _folders(path: str) -> list[PurePosixPath]:
    """The folders of a path below an output, without that of the output."""
    return list(PurePosixPath(path).parents)[:-1]


def _is_behind_link(place: Path, path: str) -> bool:
    return any((place / above).is_symlink() for above in _folders(path))


def _list(place: Path, kind: str, files: frozenset[str]) -> None:
    listed = {"schema": SCHEMA, "kind": kind, "files": sorted(files - {LIST})}
    write_atomically(place / LIST, (json.dumps(listed, indent=0) + "\n").encode())


def _files(folder: Path) -> Iterator[str]:
    """Every file below a folder, as a path below it."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _refuse_collision(place: Path, path: str, old: frozenset[str]) -> None:
    """Raise InputError if a new file would replace one of other origin, or go through a link."""
    target = place / path
    taken = [place / each for each in (path, *map(str, _folders(path))) if each not in old]
    blocking = [
        each for each in taken if os.path.lexists(each) and (each.is_symlink() or not each.is_dir())
    ]
    if target.is_dir() and not target.is_symlink():
        blocking += [target / each for each in _files(target) if f"{path}/{each}" not in old]
    if blocking:
        words = "was not written by wirebook, and the output has a file of this name"
        raise InputError(words, str(blocking[0]))
