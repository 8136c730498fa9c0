"""Makes the changes of the file system fail, one after the other: a full disk, a broken one, or a kill.

Python reports what it is about to do to the file system to audit hooks (PEP 578), whichever function of the
standard library does it, and a hook may raise. Writes are not reported, so files are opened by a class that
counts them. What C libraries write by themselves (pyarrow, a Java process) is not seen.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

KINDS = ("ENOSPC", "EIO", "kill")
KILLED = 9
# What takes space, and fails on a full disk again and again; the others free some or need none.
_TAKES_SPACE = frozenset(("open", "write", "os.mkdir", "os.link", "os.symlink"))
_CHANGES = _TAKES_SPACE | {"os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "exchange"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Fault(NamedTuple):
    """How a run of a command with one fault ended: `event` is what failed, "" where nothing did any more."""

    kind: str
    number: int
    event: str
    code: int
    out: str

    @property
    def is_cleaning(self) -> bool:
        """Whether it was a removal that failed: what was to be removed is left."""
        return self.event in ("os.remove", "os.rmdir")


class _Layer:
    """Counts the changes below some folders, and fails one."""

    def __init__(self, tops: list[str], kind: str, number: int, note: Callable[[str], None]) -> None:
        self.tops = tops
        self.kind = kind
        self.left = number
        self.note = note
        self.is_full = False

    def point(self, event: str, path: object = None, half: Callable[[], object] = lambda: None) -> None:
        """One change, of a path where the system names it: raises, or ends the process, if it is the one."""
        named = (path,) if path is not None else ()
        if self.is_full and event in _TAKES_SPACE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *named)
        self.left -= 1
        if self.left >= 0 or self.left < -1 or self.kind == "":
            return
        if self.kind == "ENOSPC" and event not in _TAKES_SPACE:
            # Fails at the next change that takes space.
            self.left += 1
            return
        self.note(event)
        half()
        if self.kind == "kill":
            os._exit(KILLED)
        self.is_full = self.kind == "ENOSPC"
        number = errno.ENOSPC if self.is_full else errno.EIO
        raise OSError(number, os.strerror(number), *named)

    def hook(self, event: str, given: tuple[Any, ...]) -> None:
        if event == "ctypes.dlsym" and given[1] in ("renameat2", "renamex_np"):
            self.point("exchange")
        elif event == "open":
            path, _, flags = given
            if isinstance(flags, int) and flags & _WRITES and self.watches(path):
                self.point("open", path)
        elif event in _CHANGES and any(self.watches(path) for path in given[:2]):
            self.point(event, given[0])

    def watches(self, path: object) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        place = os.path.abspath(os.fsdecode(path))
        return any(place.startswith(top) for top in self.tops)

    def opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """A function like `open` whose files count what is written to them."""
        layer = self

        class Counted(io.FileIO):
            def write(self, data: Any) -> int:
                layer.point("write", half=lambda: super(Counted, self).write(bytes(data)[: len(data) // 2]))
                return super().write(data)

        def opened(file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None,
                   errors: Any = None, newline: Any = None, closefd: bool = True,
                   opener: Any = None) -> Any:  # fmt: skip
            by_number = isinstance(file, int) and stat.S_ISREG(os.fstat(file).st_mode)
            plain = set(mode) <= set("wxabt")
            if not (plain and set(mode) & set("wxa") and (by_number or layer.watches(file))):
                return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
            raw = Counted(file, mode.replace("b", "").replace("t", ""), closefd, opener)
            buffered = io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

        return opened


def _run(
    main: Callable[[], int],
    tops: list[str],
    kind: str,
    number: int,
    said: Path,
    prepare: Callable[[], object],
) -> None:
    text = os.open(said, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.dup2(text, 1)
    os.dup2(text, 2)
    events = os.open(f"{said}.event", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(fd, "w")) for fd in (1, 2))

    def note(event: str) -> None:
        os.write(events, event.encode())

    layer = _Layer(tops, kind, number, note)
    prepare()
    builtins.open = io.open = layer.opened(io.open)
    sys.addaudithook(layer.hook)
    code = main()
    if not kind:
        Path(f"{said}.modules").write_text("\n".join(sys.modules))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(
    main: Callable[[], int],
    tops: list[Path],
    kind: str,
    number: int,
    said: Path,
    prepare: Callable[[], object] = lambda: None,
) -> Fault:
    """Run a command in a process of its own, in which one change below some folders fails.

    That is the change with a `number`, of those that can fail so; without a `kind`, none. `prepare` runs
    before the changes are counted. `said` is a file for what it prints, outside of the folders.
    """
    watched = [os.path.abspath(top) for top in tops]
    process = get_context("fork").Process(target=_run, args=(main, watched, kind, number, said, prepare))
    process.start()
    process.join(600)
    event = Path(f"{said}.event").read_text()
    if not kind:
        # What the command imports is imported here, so that the next processes have it.
        for name in Path(f"{said}.modules").read_text().split("\n"):
            if name.partition(".")[0] in ("wirebook", "mkdocs", "pyarrow", "pyspark"):
                with suppress(ImportError):
                    import_module(name)
    return Fault(kind, number, event, process.exitcode or 0, said.read_text(errors="replace"))
