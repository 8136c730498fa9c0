"""The specs of Kafka's releases out of the history bundle, each distinct text read once."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tests.kafka import read_kafka
from tests.support import history_repo
from wirebook.specs.model import Message

_RELEASE = re.compile(r"\d+\.\d+\.\d+")
# The bundle has no tag of it; the specs of its newest commit are those of the branch 4.4.
NEWEST = "4.4.0"
_MESSAGES = re.compile(r"[\w-]+/src/main/resources/(?:common/)?(?:message|metadata)/\w+\.json")


@dataclass(frozen=True, slots=True)
class Released:
    """One message spec as one release has it."""

    release: str
    message: Message


@cache
def releases() -> tuple[str, ...]:
    """The tags of the bundle that are releases, in version order."""
    tags = [tag for tag in _git("tag").decode().split() if _RELEASE.fullmatch(tag)]
    return tuple(sorted(tags, key=release_order))


def release_order(release: str) -> tuple[int, ...]:
    """The sort key of a release's name."""
    return tuple(int(part) for part in release.split("."))


@cache
def texts() -> dict[str, tuple[tuple[str, str], ...]]:
    """For each release the (path, digest) of its specs."""
    found = {}
    for release in (*releases(), NEWEST):
        ref = "HEAD" if release == NEWEST else release
        rows = [line.split("\t") for line in _git("ls-tree", "-r", ref).decode().splitlines()]
        found[release] = tuple(
            (path, entry.split()[2]) for entry, path in rows if _MESSAGES.fullmatch(path)
        )
    return found


@cache
def text(digest: str) -> bytes:
    """The text of that digest, one of `texts()`."""
    return _blobs()[digest]


@cache
def released(identity: tuple[str, int | str]) -> tuple[Released, ...]:
    """The message of that identity in every release that has it, in release order."""
    found = []
    for release in (*releases(), NEWEST):
        for path, digest in texts()[release]:
            if identity[1] in _keys(digest):
                message = _read(digest, path)
                if message.identity == identity:
                    found.append(Released(release, message))
    return tuple(found)


def distinct(identity: tuple[str, int | str]) -> list[tuple[Message, list[str]]]:
    """Each distinct message of that identity, with the releases that have it."""
    holders: dict[int, tuple[Message, list[str]]] = {}
    for each in released(identity):
        holders.setdefault(id(each.message), (each.message, []))[1].append(each.release)
    return list(holders.values())


@cache
def _keys(digest: str) -> frozenset[int | str]:
    """The API keys and the names in a text: what its message may be called."""
    numbers = map(int, re.findall(rb'"apiKey"\s*:\s*"?(\d+)', text(digest)))
    names = re.findall(rb'"name"\s*:\s*"([^"]*)"', text(digest))
    return frozenset([*numbers, *(name.decode() for name in names)])


@cache
def _read(digest: str, path: str) -> Message:
    return read_kafka(text(digest), path)


def texts_of_history() -> dict[str, tuple[str, bytes]]:
    """The path and the content of every text that a commit ever had, by digest."""
    listed = _git("rev-list", "--objects", "--all").decode().splitlines()
    paths = dict(line.split(" ", 1) for line in listed if line.endswith(".json"))
    contents = _contents(list(paths))
    return {digest: (path, contents[digest]) for digest, path in paths.items()}


@cache
def _blobs() -> dict[str, bytes]:
    return _contents(sorted({digest for rows in texts().values() for _, digest in rows}))


def _contents(digests: Sequence[str]) -> dict[str, bytes]:
    answer = _git("cat-file", "--batch", given="\n".join(digests).encode() + b"\n")
    blobs, place = {}, 0
    for digest in digests:
        end = answer.index(b"\n", place)
        size = int(answer[place:end].split()[2])
        blobs[digest] = answer[end + 1 : end + 1 + size]
        place = end + size + 2
    return blobs


def _git(*arguments: str, given: bytes | None = None) -> bytes:
    command = ["git", "-C", str(history_repo()), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout
