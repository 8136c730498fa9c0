"""Logs on object storage and other file systems that only Spark reads: listed, and each read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.specs.problems import InputError


class StoredObject(NamedTuple):
    """A file at an address, as a listing has it; `modified` are microseconds since 1970."""

    path: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class ReadObject:
    """A file at an address that was read: its size, time of change, and a digest of the start of its text."""

    size: int
    modified: int
    digest: str


def is_address(name: str) -> bool:
    """Whether a name is that of a file system of Hadoop, such as s3a://; file:// is this machine's."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme != "file"


def unread(listed: Iterable[StoredObject], read_objects: Mapping[str, ReadObject]) -> list[StoredObject]:
    """The files that were not read yet, in order. Raises InputError for one that has changed since."""
    new = []
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


def check_texts(digests: Mapping[str, str], read_objects: Mapping[str, ReadObject]) -> None:
    """Raise InputError if two files have the same text: one was copied or renamed."""
    paths = {read.digest: path for path, read in read_objects.items() if path not in digests}
    for path, digest in sorted(digests.items()):
        other = paths.setdefault(digest, path)
        if other != path:
            raise InputError(
                f"has the same text as {other}, and would count twice; leave one of them out", path
            )
