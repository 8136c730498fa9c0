"""Logs on object storage and other file systems that only Spark reads: listed, and each read once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wirebook.fleet.reading.progress import FilePosition
from wirebook.specs.problems import InputError


class StoredObject(NamedTuple):
    """A file at an address, as a listing has it; `modified` are microseconds since 1970."""

    path: str
    size: int
    modified: int


def is_address(name: str) -> bool:
    """Whether a name is that of a file system of Hadoop, such as s3a://; file:// is this machine's."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme != "file"


def unread(listed: Iterable[StoredObject], positions: Iterable[FilePosition]) -> list[StoredObject]:
    """The files that were not read yet, in order. Raises InputError for one that has changed since."""
    new = []
    read_objects = {position.path: position for position in positions}
    for stored in sorted(set(listed)):
        before = read_objects.get(stored.path)
        if before is None:
            new.append(stored)
        elif (before.size, before.modified) != (stored.size, stored.modified):
            raise InputError(
                "has changed since it was read, and would count twice: at an address, a log has to be "
                "complete when it appears; choose a new --output to read everything again",
                stored.path,
            )
    return new


def check_texts(positions: Iterable[FilePosition], others: Sequence[FilePosition]) -> None:
    """Raise InputError if a file has the text of one with another path, as far as the digests of their starts
    show it: it was copied or renamed.
    """
    paths = {other.prefix: other.path for other in reversed(others)}
    for position in positions:
        other = paths.get(position.prefix, position.path)
        if position.prefix and other != position.path:
            raise InputError(
                f"has the same text as {other}, and would count twice; leave one of them out", position.path
            )
