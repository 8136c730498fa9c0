"""Released specs in one file, so that a check needs no tags: written by `wirebook freeze`, read as releases.

The file is JSON Lines: a header, then a line for each distinct spec with the releases that contain it, and
for each profile and table of error codes or values. Comments and descriptions are omitted, because no rule
on released versions reads them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from wirebook.specs.limits import MAX_FROZEN
from wirebook.specs.problems import InputError
from wirebook.specs.reading.imports import self_contained
from wirebook.specs.reading.reader import plain, read_message
from wirebook.specs.syntax.jsontext import parse_json

SCHEMA = "wirebook/released/2"
READABLE = (SCHEMA, f"{SCHEMA[:-1]}1")  # the first form has no profiles and tables
SUFFIX = ".wirebook"
FROZEN_MARK = b'{"schema":"wirebook/released/'
_FILE = b',"file":'
_SPEC = b',"spec":'  # inside a JSON string, its quotes would be escaped
AGAIN = "write a new one: wirebook freeze"


class FrozenSpec(NamedTuple):
    """A spec of a release: its path, the name of its git object, and its text without descriptions."""

    path: str
    digest: str
    text: bytes


class FrozenFile:
    """The content of a frozen baseline file."""

    def __init__(
        self, path: str, key: str, releases: Sequence[str], body: bytes, days: Mapping[str, str]
    ) -> None:
        self.path = path
        self.key = key
        self.releases = tuple(releases)
        self.days = days
        self.body = body

    def day(self, release: str) -> str:
        """The day of a release (YYYY-MM-DD); "" if the file does not have it."""
        return self.days.get(release, "")

    def texts(self, number: int, takes: Callable[[str], bool]) -> list[tuple[str, str, bytes]]:
        """The specs of a release, by its number, whose paths count."""
        return [(path, name, text) for path, name, text in self.specs[number] if takes(path)]

    def other_files(self, number: int, paths: Sequence[str]) -> dict[str, bytes]:
        """The profiles and tables of a release, by its number, that are at some paths, in their order."""
        others = self.others[number]
        return {path: others[path] for path in paths if path in others}

    @cached_property
    def others(self) -> list[dict[str, bytes]]:
        """The profiles and tables of each release."""
        files: list[dict[str, bytes]] = [{} for _ in self.releases]
        try:
            for line in self.body.splitlines():
                if _SPEC in line:
                    continue
                row = json.loads(line)
                for first, last in row["releases"]:
                    for number in range(first, last + 1):
                        files[number][row["path"]] = row["file"].encode()
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            raise InputError(f"this frozen baseline is damaged; {AGAIN}", self.path) from None
        return files

    @cached_property
    def specs(self) -> list[list[FrozenSpec]]:
        """The specs of each release."""
        by_release: list[list[FrozenSpec]] = [[] for _ in self.releases]
        try:
            for line in self.body.splitlines():
                head, _, spec = line.partition(_SPEC)
                if not spec and _FILE in head:
                    continue
                row = json.loads(head + b"}")
                frozen = FrozenSpec(row["path"], row["digest"], spec[:-1])
                for first, last in row["releases"]:
                    for number in range(first, last + 1):
                        by_release[number].append(frozen)
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            raise InputError(f"this frozen baseline is damaged; {AGAIN}", self.path) from None
        return by_release


def freeze(
    snapshots: Iterable[tuple[str, Iterable[tuple[str, str, bytes]]]],
    days: Mapping[str, str] | None = None,
    others: Sequence[Mapping[str, bytes]] = (),
) -> bytes:
    """The file content for some releases, oldest first: (name, specs as (path, object, text), day if known).

    `others` has the profiles and tables of each release by path.

    Raises InputError for an unreadable spec, or if no release has any.
    """
    names: list[str] = []
    texts: dict[tuple[str, str], bytes] = {}
    holders: dict[tuple[str, str], list[int]] = {}
    for number, (name, specs) in enumerate(snapshots):
        names.append(name)
        for path, digest, text in specs:
            if (path, digest) not in texts:
                read_message(text, path)
                whole = self_contained(text, path)
                texts[path, digest] = _compact(_without_words(plain(parse_json(whole, path).value)))
            holders.setdefault((path, digest), []).append(number)
    if not texts:
        raise InputError("there are no message specs in these releases")
    lines = []
    for (path, digest), numbers in sorted(holders.items()):
        head = _compact({"path": path, "digest": digest, "releases": list(_ranges(numbers))})
        lines.append(head[:-1] + _SPEC + texts[path, digest] + b"}\n")
    files: dict[tuple[str, str], list[int]] = {}
    for number, texts_by_path in enumerate(others):
        for path, text in texts_by_path.items():
            files.setdefault((path, text.decode("utf-8", "replace")), []).append(number)
    for (path, content), numbers in sorted(files.items()):
        lines.append(_compact({"path": path, "releases": list(_ranges(numbers)), "file": content}) + b"\n")
    body = b"".join(lines)
    header = {
        "schema": SCHEMA,
        "sha256": _sum(body),
        "bytes": len(body),
        "releases": names,
    }
    head = _compact({**header, "days": dict(days)} if days else header)
    return head + b"\n" + body


def is_frozen(path: Path) -> bool:
    """Whether a file is meant to be a frozen baseline, by its first bytes or its name."""
    if not path.is_file():
        return False
    if path.name.endswith(SUFFIX):
        return True
    with open(path, "rb") as file:
        return file.read(len(FROZEN_MARK)) == FROZEN_MARK


def read_frozen(path: Path, name: str) -> FrozenFile:
    """Read a frozen baseline file; `name` is its display name. Raises InputError, OSError."""
    with open(path, "rb") as file:
        return parse_frozen(file.read(MAX_FROZEN + 1), name)


def parse_frozen(content: bytes, name: str) -> FrozenFile:
    """A frozen baseline from its content.

    Raises InputError for content that is something else, of another version, truncated or damaged.
    """
    if len(content) > MAX_FROZEN:
        raise InputError(f"this is larger than any frozen baseline ({MAX_FROZEN >> 20} MiB)", name)
    if not content.startswith(FROZEN_MARK):
        raise InputError("this is not a frozen baseline; `wirebook freeze` writes one", name)
    line, end, body = content.partition(b"\n")
    try:
        head: Any = json.loads(line)
        schema, size, digest, releases = (head[key] for key in ("schema", "bytes", "sha256", "releases"))
        names = [str(release) for release in releases]
        days = {
            str(release): date.fromisoformat(day).isoformat() for release, day in head.get("days", {}).items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        version = line[len(FROZEN_MARK) :].partition(b'"')[0].decode("ascii", "replace")
        if end and version.isdigit() and f"wirebook/released/{version}" not in READABLE:
            schema, size, digest, names, days = f"wirebook/released/{version}", 0, "", [], {}
        else:
            what = "damaged" if end else "truncated"
            raise InputError(f"this frozen baseline is {what}; {AGAIN}", name) from None
    if schema not in READABLE:
        version = str(schema).rpartition("/")[2][:20]
        raise InputError(f"this frozen baseline is of version {version}, not {SCHEMA[-1]}; {AGAIN}", name)
    if not isinstance(size, int) or len(body) < size:
        raise InputError(f"this frozen baseline is truncated; {AGAIN}", name)
    if _sum(body) != digest or not names:
        raise InputError(f"this frozen baseline is damaged; {AGAIN}", name)
    return FrozenFile(name, _sum(content), names, body, days)


def _without_words(value: object) -> object:
    """A spec without its descriptions."""
    if isinstance(value, dict):
        return {key: _without_words(inner) for key, inner in value.items() if key != "about"}
    return [_without_words(inner) for inner in value] if isinstance(value, list) else value


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as ranges."""
    start = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield start, last
            start = number
        last = number
    yield start, last
