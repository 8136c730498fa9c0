"""Notices on files beside specs that look like specs and have another ending, so that no check reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ENDINGS = (".jsonc", ".json5", ".yaml", ".yml")
# The beginning of a spec names its versions.
_SIGN, _HEAD = b"validVersions", 4096


def notices_on_unread(top: Path, paths: Iterable[str], excluded: Callable[[Path], bool]) -> Iterator[str]:
    """A notice for each file that looks like a spec beside those at `paths`, and is not called *.json.

    `excluded` decides which files the settings leave out.
    """
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        try:
            names = sorted(name for name in os.listdir(top / folder) if name.endswith(ENDINGS))
        except OSError:
            # The folder of a file that is read from elsewhere.
            continue
        for name in names:
            if not excluded(top / folder / name) and _looks_like_spec(top / folder / name):
                yield (
                    f"{folder}/{name}".lstrip("/") + " looks like a spec and is not read: specs end in .json"
                )


def _looks_like_spec(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return _SIGN in file.read(_HEAD)
    except OSError:
        return False
