"""Files of the catalog: the same bytes for the same data, and never half of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from specs.problems import InputError

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

MANIFEST = "manifest.json"
_UNFINISHED = re.compile(r"\.(?P<name>.+)\.wirebook-(?P<pid>\d+)-\w+")


CATALOG = "wirebook/manifest/"


def is_catalog(folder: Path, kind: str = CATALOG) -> bool:
    """Whether a folder is a catalog, or an output of another `kind`: its manifest says so."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and str(manifest.get("schema", "")).startswith(kind)


@contextmanager
def replaced(
    target: Path, kind: str = CATALOG, refuse: Callable[[Path], None] | None = None
) -> Iterator[Path]:
    """A new folder to fill, which takes the place of `target` once the block has ended well.

    `refuse` raises InputError where `target` is somebody else's; without it, all but an older output of its
    kind is. Raises InputError, too, where `target` cannot be written.
    """
    target = Path(os.path.abspath(target))
    if refuse is not None:
        refuse(target)
    else:
        refuse_others(target, kind)
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        prefix = f".{target.name}.wirebook-{os.getpid()}-"
        temporary = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        temporary.chmod(0o755)
        yield temporary
        _swap(temporary, target)
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(target)
        raise InputError(f"cannot be written: {error.strerror or error}", where) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def refuse_others(target: Path, kind: str = CATALOG) -> None:
    """Raise InputError where `target` is somebody else's: a file, or a folder with other files in it."""
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_dir():
        raise InputError("is not a folder; the output goes into one of its own", str(target))
    try:
        empty = next(target.iterdir(), None) is None
    except OSError as error:
        raise InputError(error.strerror or str(error), str(target)) from None
    if not empty and not is_catalog(target, kind):
        raise InputError("holds other files; choose an empty folder for the output", str(target))


def _swap(temporary: Path, target: Path) -> None:
    if not target.exists():
        os.rename(temporary, target)
        return
    old = temporary.with_name(temporary.name + "-old")
    os.rename(target, old)
    try:
        os.rename(temporary, target)
    except OSError:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove what runs that were killed have left beside `target`."""
    for path in target.parent.glob(f".{target.name}.wirebook-*"):
        match = _UNFINISHED.match(path.name)
        if match is None or match["name"] != target.name:
            continue
        try:
            os.kill(int(match["pid"]), 0)
        except ProcessLookupError:
            if path.name.endswith("-old") and not target.exists():
                # Killed between the two renames: the last good catalog is this one.
                with suppress(OSError):
                    os.rename(path, target)
                    continue
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue


def write_json(path: Path, document: object) -> None:
    """Write one JSON document, compact, with a line break at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(document) + b"\n")


class JsonList:
    """A JSON document with one long list, written item by item: {"schema": …, "<name>": [...]}."""

    def __init__(self, path: Path, schema: str, name: str) -> None:
        self.file = path.open("wb")
        self.file.write(f'{{"schema":"{schema}","{name}":['.encode())
        self.empty = True

    def add(self, item: object) -> None:
        """Write one item."""
        self.file.write(b"\n" if self.empty else b",\n")
        self.file.write(encoded(item))
        self.empty = False

    def __enter__(self) -> JsonList:
        return self

    def __exit__(self, *error: object) -> None:
        with self.file:
            self.file.write(b"\n]}\n")


def encoded(document: object) -> bytes:
    """JSON as the catalog holds it: one form for one value, whatever made it."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    # A spec may name half of a surrogate pair, which UTF-8 cannot.
    return text.encode("utf-8", "backslashreplace")


def write_table(folder: Path, part: int, table: pa.Table) -> None:
    """Write one part of a Parquet table, under a name that says nothing but its place."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table.replace_schema_metadata(None),
        folder / f"part-{part:04d}.parquet",
        compression="zstd",
        use_dictionary=True,
        write_statistics=True,
        row_group_size=1 << 17,
    )
