"""Java's class archive: created at the end of the second run, it shortens the start of every later one.

Creating it costs as much CPU time as three runs save, so the first run, in CI the only one, leaves a note.
Java writes the archive when it exits, after the command has ended, to a file of that run; the next run
renames it once it is complete.

Only Java 17 gets one. Java 21 leaves Spark's folder of settings, the first entry of the class path, out of
the archive, and then rejects it in every later run ("shared class paths mismatch").
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from wirebook.specs.files import cache_folder, is_private

# An unfinished archive of this age was left by a Java that was killed.
ABANDONED_SECONDS = 3600.0
# An archive takes about 170 MB. One that was unused for so long is of a Java or a Spark that was replaced.
UNUSED_SECONDS = 30 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Archive:
    """Where the archive is, or is to be; `path` is None if none can be used.

    `makes` is whether this run is to create it. The checksum of the file is part of its name: Java trusts
    what the file declares.
    """

    folder: Path | None
    key: str
    path: Path | None
    makes: bool = False

    @classmethod
    def none(cls) -> Archive:
        """No archive: none is used and none is created."""
        return cls(None, "", None)

    @classmethod
    def find(cls, java_home: Path, spark_home: Path, flags: list[str]) -> Archive:
        """The archive for this Java and this Spark in the user's cache; without one, the run is noted."""
        folder = _folder() if _takes_archives(java_home) else None
        if folder is None:
            return cls.none()
        launcher = java_home / "bin" / "java"
        properties = [str(launcher), str(spark_home), *flags]
        for path in (launcher, java_home / "release", spark_home / "jars"):
            with contextlib.suppress(OSError):
                status = path.stat()
                properties.append(f"{status.st_size}:{status.st_mtime_ns}")
        key = hashlib.sha256("\0".join(properties).encode()).hexdigest()[:16]
        for path in folder.glob(".spark-*-*.jsa"):
            _adopt(path, folder / path.name[1:].rpartition("-")[0])
        usable: Path | None = None
        for path in sorted(folder.glob("spark-*.jsa")):
            with contextlib.suppress(OSError):
                if not path.name.startswith(f"spark-{key}-"):
                    _remove_unused(path)
                elif usable is None and path.stem.rpartition("-")[2] == _checksum(path):
                    usable = path
                    os.utime(path)
                else:  # it is damaged, or runs that ended at the same time left several
                    path.unlink()
        return cls(folder, key, usable, usable is None and _ran_before(folder, key))

    @property
    def flags(self) -> list[str]:
        """The options of Java that use the archive, or create it."""
        if self.path is not None:
            return [f"-XX:SharedArchiveFile={self.path}"]
        if self.folder is None or not self.makes:
            return []
        return [f"-XX:ArchiveClassesAtExit={self.folder / f'.spark-{self.key}-{os.getpid()}.jsa'}"]


def _takes_archives(java_home: Path) -> bool:
    """Whether a Java can use its own archives; its file `release` names its version."""
    try:
        release = (java_home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r'^JAVA_VERSION="17\b', release, re.MULTILINE) is not None


def _ran_before(folder: Path, key: str) -> bool:
    """Whether a run has left a note for this Java and this Spark; otherwise, leave one."""
    for note in folder.glob("spark-*.ran"):
        with contextlib.suppress(OSError):
            _remove_unused(note)
    note = folder / f"spark-{key}.ran"
    try:
        note.open("x").close()
    except FileExistsError:
        return True
    except OSError:
        pass
    return False


def _adopt(unfinished: Path, name: Path) -> None:
    """Give an archive of an earlier run its name, if its Java has finished it."""
    with contextlib.suppress(OSError):
        with unfinished.open("rb") as file:
            # Java writes the header last (FileMapInfo::write_header); until then there are zeros.
            whole = any(file.read(4))
        if whole:
            os.replace(unfinished, f"{name}-{_checksum(unfinished)}.jsa")
        elif time.time() - unfinished.stat().st_mtime > ABANDONED_SECONDS:
            unfinished.unlink()


def _remove_unused(path: Path) -> None:
    """Remove an archive for another Java or Spark, or a note, that no run has used for a long time."""
    if time.time() - path.stat().st_mtime > UNUSED_SECONDS:
        path.unlink()


def _folder() -> Path | None:
    """The cache folder of wirebook for this user; None if others can write to it."""
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if is_private(folder) and os.access(folder, os.W_OK) else None


def _checksum(path: Path) -> str:
    value = 0
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                value = zlib.crc32(block, value)
    except OSError:
        return ""
    return f"{value:08x}"
