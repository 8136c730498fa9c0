"""Output folders: filled elsewhere and moved into place in one step; files of other origin are kept."""

from __future__ import annotations

import ctypes
import errno
import glob
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wirebook.specs.files import is_running, locked, refuse_links, write_atomically
from wirebook.specs.problems import InputError

LIST = ".wirebook-files"
SCHEMA = "wirebook/files/1"
CATALOG, SITE, AUDIT, FLEET = "catalog", "site", "audit", "fleet"

# Files that hosts of pages read at the top of a site, which a fresh checkout of one may contain.
HOSTING = frozenset(("CNAME", "_headers", "_redirects", "robots.txt"))
_UNFINISHED = re.compile(r"\.(?P<name>.*\.)?wirebook-(?P<pid>\d+)-\w+")


@contextmanager
def replaced(target: Path, kind: str = CATALOG) -> Iterator[Path]:
    """Yield a new folder to fill; its files replace the last output in `target` if the block succeeds.

    Of the existing files, only those that an output of this kind wrote are removed: `LIST` names them. If
    `target` is a link, it stays one. Raises InputError like `check_output`, if a file would replace one of
    other origin, and if something cannot be written.
    """
    with all_replaced((target, kind)) as (folder,):
        yield folder


@contextmanager
def all_replaced(*outputs: tuple[Path, str]) -> Iterator[tuple[Path, ...]]:
    """Like `replaced`, for several folders that are put in place together, one run at a time."""
    real_targets = [Path(os.path.realpath(target)) for target, _ in outputs]
    for (target, kind), real_target in zip(outputs, real_targets, strict=True):
        check_output(target, kind)
        enclosing = [
            other for other in real_targets if other is not real_target and real_target.is_relative_to(other)
        ]
        if enclosing:
            raise InputError(f"is within {enclosing[0]}, the folder of another output", str(target))
    temporary: list[Path] = []
    set_aside: list[Path] = []
    target = outputs[0][0]
    try:
        in_place = [_stays(real_target) for real_target in real_targets]
        for real_target, stays in zip(real_targets, in_place, strict=True):
            temporary.append(_working_folder(real_target, stays=stays))
        yield tuple(temporary)
        with locked({real_target.parent for real_target in real_targets}), _undoing() as undo:
            published = []
            for number, (_, kind) in enumerate(outputs):
                set_aside.append(_aside(temporary[number]))
                published.append(
                    _Publication(temporary[number], real_targets[number], kind, set_aside[-1], undo)
                )
                published[-1].publish(inside=in_place[number])
            for publication in published:
                publication.tidy()
    except OSError as error:
        reason = error.strerror or str(error)
        number, file = _culprit(error, temporary)
        failed_target = str(outputs[number][0] if temporary else target)
        raise InputError(f"cannot be written: {reason}{file}", failed_target) from error
    finally:
        for folder in (*temporary, *set_aside):
            shutil.rmtree(folder, ignore_errors=True)


Steps = list[Callable[[], object]]


@contextmanager
def _undoing() -> Iterator[Steps]:
    """If the block fails, undo the steps that it added, the last one first."""
    steps: Steps = []
    try:
        yield steps
    except BaseException:
        for step in reversed(steps):
            with suppress(OSError):
                step()
        raise


def _aside(temporary: Path) -> Path:
    """The path of a folder for old files, which `_sweep` also removes."""
    return temporary.with_name(f"{temporary.name}_old")


def _working_folder(place: Path, *, stays: bool) -> Path:
    """Create an empty folder for this run: next to `place`, or in it if `place` itself must stay."""
    place.parent.mkdir(parents=True, exist_ok=True)
    folder, name = (place, "") if stays else (place.parent, f"{place.name}.")
    _sweep(place.parent, f"{place.name}.")
    _sweep(place, "")
    temporary = Path(tempfile.mkdtemp(prefix=f".{name}wirebook-{os.getpid()}-", dir=folder))
    temporary.chmod(stat.S_IMODE(place.stat().st_mode) if place.is_dir() else 0o755)
    return temporary


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


def _listing(kind: str, files: Collection[str]) -> bytes:
    return (json.dumps({"schema": SCHEMA, "kind": kind, "files": sorted(files)}, indent=0) + "\n").encode()


def _stays(place: Path) -> bool:
    """Whether a folder itself must stay: a mount point, the working folder, or another user's."""
    if not place.is_dir():
        return False
    state, parent = place.stat(), place.parent.stat()
    return (
        os.path.ismount(place)
        or state.st_dev != parent.st_dev
        or not os.access(place.parent, os.W_OK | os.X_OK)
        or (hasattr(os, "geteuid") and state.st_uid != os.geteuid())
        or Path(os.path.realpath(os.curdir)).is_relative_to(place)
    )


class _Publication:
    """A folder of output that is put in place; each step adds its inverse to `undo`."""

    def __init__(self, temporary: Path, place: Path, kind: str, aside: Path, undo: Steps) -> None:
        self.temporary = temporary
        self.place = place
        self.kind = kind
        self.aside = aside
        self.undo = undo
        self.left: Collection[Path] = ()

    def publish(self, *, inside: bool) -> None:
        """Put the folder in place, in one step unless the existing folder must stay (`inside`)."""
        temporary, folder = self.temporary, self.place
        new = frozenset(_files(temporary))
        (temporary / LIST).write_bytes(_listing(self.kind, new))
        new |= {LIST}
        if not inside and not os.path.lexists(folder):
            os.rename(temporary, folder)
            self.undo.append(lambda: os.rename(folder, temporary))
            return
        # Another run may have written its output in the meantime, or somebody a file.
        check_output(folder, self.kind)
        old = owned(folder, self.kind) or frozenset({LIST})
        for path in sorted(new - old):
            _refuse_collision(folder, path, old)
        if not inside and _exchanged(temporary, folder, old):
            self.undo.append(lambda: exchange(temporary, folder))
            return
        self.aside.mkdir()
        self._merge(old, new)

    def _merge(self, old: frozenset[str], new: frozenset[str]) -> None:
        """Replace file after file, then remove old ones; at every moment, the list names all of our files."""
        output = self.place
        self._list(old | new)
        # Pages follow the files that they load.
        for path in sorted(new - {LIST}, key=lambda path: (path.endswith((".html", ".json")), path)):
            target = output / path
            for folder in reversed(target.relative_to(output).parents[:-1]):
                if (output / folder).is_symlink() or (output / folder).is_file():
                    self._remove(output / folder)
                if not (output / folder).is_dir():
                    (output / folder).mkdir()
                    self.undo.append((output / folder).rmdir)
            if target.is_dir() and not target.is_symlink():
                self._remove(target)
            self._put(self.temporary / path, target)
        for path in sorted(old - new):
            target = output / path
            through_link = any((output / above).is_symlink() for above in Path(path).parents[:-1])
            if not through_link and (target.is_symlink() or not target.is_dir()):
                with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                    self._remove(target)
        self._list(new)
        self.left = {up for path in old - new for up in Path(path).parents[:-1]}

    def tidy(self) -> None:
        """Remove folders that are now empty, once nothing needs to be undone."""
        for folder in sorted(self.left, reverse=True):
            with suppress(OSError):
                (self.place / folder).rmdir()

    def _list(self, files: frozenset[str]) -> None:
        (self.temporary / LIST).write_bytes(_listing(self.kind, files - {LIST}))
        self._put(self.temporary / LIST, self.place / LIST)

    def _put(self, source: Path, target: Path) -> None:
        """Replace a file; the old one is kept under another name until everything is done."""
        if not os.path.lexists(target):
            _move(source, target)
            self.undo.append(lambda: os.unlink(target))
            return
        kept = self._kept()
        try:
            os.link(target, kept, follow_symlinks=False)
        except OSError:
            shutil.copy2(target, kept, follow_symlinks=False)
        _move(source, target)
        self.undo.append(lambda: _move(kept, target))

    def _remove(self, target: Path) -> None:
        kept = self._kept()
        try:
            os.rename(target, kept)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.move(target, kept)
        self.undo.append(lambda: shutil.move(kept, target))

    def _kept(self) -> Path:
        return self.aside / str(len(self.undo))


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


def _exchanged(temporary: Path, place: Path, old: Collection[str]) -> bool:
    """Swap two folders in one step, keeping files of other origin; False if that is impossible."""
    try:
        _carry(place, temporary, old)
    except OSError:
        return False
    if not exchange(temporary, place):
        return False
    # Files that were added since the folder was listed.
    for path in set(_files(temporary)) - set(old):
        if not os.path.lexists(place / path):
            with suppress(OSError):
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                os.rename(temporary / path, place / path)
    return True


def _carry(place: Path, temporary: Path, old: Collection[str]) -> None:
    """Link the files of other origin from the old folder into the new one, or copy them."""
    for above, folders, names in os.walk(place):
        below = Path(above).relative_to(place)
        links = [name for name in folders if os.path.islink(os.path.join(above, name))]
        kept = [name for name in (*names, *links) if (below / name).as_posix() not in old]
        if (kept or not (folders or names)) and not (temporary / below).is_dir():
            (temporary / below).mkdir(parents=True)
            shutil.copystat(above, temporary / below)
        for name in folders:
            if os.path.ismount(os.path.join(above, name)):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(place))
        for name in kept:
            source, copy = os.path.join(above, name), temporary / below / name
            try:
                os.link(source, copy, follow_symlinks=False)
            except OSError:
                shutil.copy2(source, copy, follow_symlinks=False)


def exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step; False if the system or the file system cannot.

    Linux has renameat2 for this (RENAME_EXCHANGE), macOS renamex_np (RENAME_SWAP).
    """
    names = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform.startswith("linux"):
            here = ctypes.c_int(-100)  # AT_FDCWD
            return bool(library.renameat2(here, names[0], here, names[1], ctypes.c_uint(2)) == 0)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*names, ctypes.c_uint(2)) == 0)
    except (AttributeError, OSError, TypeError):
        pass
    return False


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        write_atomically(target, source.read_bytes())


def _sweep(folder: Path, name: str) -> None:
    """Remove the folders that killed runs left."""
    for path in folder.glob(f".{_escaped(name)}wirebook-*"):
        match = _UNFINISHED.fullmatch(path.name)
        if match is None or (match["name"] or "") != name or is_running(int(match["pid"])):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)


def _escaped(name: str) -> str:
    return glob.escape(name)


def _culprit(error: OSError, temporary: Sequence[Path]) -> tuple[int, str]:
    """Which of the folders an error is about, and the file: a failed write does not name its file."""
    named = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
    if named is None:
        files = [folder / name for folder in temporary for name in _files(folder)]
        named = max(files, key=lambda file: file.lstat().st_mtime_ns, default=None)
    for number, folder in enumerate(temporary):
        if named is not None and named.is_relative_to(folder):
            return number, f' (the file "{named.relative_to(folder)}")' if named != folder else ""
    return len(temporary) - 1, "" if named is None else f' (the file "{named}")'
