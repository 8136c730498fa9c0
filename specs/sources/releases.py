"""Which tags name releases, and in what order: by number, pre-releases before their release."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

# "v4.0.1", "kafka-2.2.0", "release/3.7": what stands before the number ends in "v" or a sign.
_NUMBER = re.compile(r"(?:.*?(?:^|[-_/+])v?)?((?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9}){0,9})(.*)", re.ASCII)
_FINAL = re.compile(r"(?:[-._](?:final|ga|release))?(?:\+.*)?", re.ASCII | re.IGNORECASE)
_BEFORE = re.compile(r"[-_~].+|\.?(?:alpha|beta|rc|cr|dev|pre|[abcm])[-._]?[0-9]*(?:[-._+].*)?", re.I)
_WORDS = {"dev": ""}  # comes before alpha; all others stand in the order of the alphabet


@dataclass(frozen=True, slots=True)
class Release:
    """A tag that names a release, with the commit it stands for and that commit's day (YYYY-MM-DD).

    `before` marks a pre-release: what it holds was not frozen by it.
    """

    name: str
    ref: str
    commit: str
    date: str
    before: bool = False


class Releases(NamedTuple):
    """The releases, oldest version first, and the tags that were left out, each with the reason."""

    found: list[Release]
    left_out: dict[str, str]


@dataclass(frozen=True, slots=True)
class Tags:
    """Names of tags in the order of their versions; `before` are those of pre-releases."""

    names: list[str]
    before: frozenset[str]
    left_out: dict[str, str] = field(default_factory=dict)


def version_key(name: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]] | None:
    """What releases are sorted by: their numbers, whether one is final, the words of a pre-release.

    "4.0" and "4.0.0" are one version, "rc10" comes after "rc9", a number before a word. None for a name
    that is no version.
    """
    match = _NUMBER.fullmatch(name)
    if match is None:
        return None
    final = _FINAL.fullmatch(match[2]) is not None
    if not final and not _BEFORE.fullmatch(match[2]):
        return None
    numbers = [int(number) for number in match[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    words = () if final else re.findall(r"([0-9]{1,9})|([a-z]+)", match[2].lower())
    return (
        tuple(numbers),
        final,
        tuple((not number, int(number or 0), _WORDS.get(word, word)) for number, word in words),
    )


def pick_releases(names: Iterable[str], pattern: str) -> Tags:
    """The names that match a glob and are versions, in version order; the others that match are left out."""
    keys = {name: version_key(name) for name in names if fnmatch.fnmatchcase(name, pattern)}
    known = {name: key for name, key in keys.items() if key is not None}
    return Tags(
        sorted(known, key=lambda name: (known[name], name)),
        frozenset(name for name, key in known.items() if not key[1]),
        {name: "its name is no version" for name, key in keys.items() if key is None},
    )
