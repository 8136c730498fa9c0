"""Parses names of releases: their order, their line, and whether they are pre-releases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, total_ordering
from typing import NamedTuple

from wirebook.specs.git import Git

# Words after the numbers, with or without a hyphen (PEP 440, SemVer 2.0, Maven): of a pre-release,
# of the release itself (Confluent's editions are "-ccs" and "-ce"), and of what comes after it.
_EARLY = "a|alpha|b|beta|m|milestone|c|cr|rc|candidate|dev|ea|nightly|pre|preview|snapshot"
_FINAL = ("final", "ga", "release", "stable", "lts", "ccs", "ce", "ee", "incubating")
_AFTER = ("cp", "fix", "hf", "hotfix", "p", "patch", "post", "sp", "sr")

# Numbers begin the name or follow a separator, with or without a "v": that in "k8s" is none.
_START = r"(?:^|(?<=[-_/+@]))[vV]?"
_NUMBERS = (
    # A date; else the first number with a dot in it; else the only number.
    re.compile(
        rf"{_START}((?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)", re.ASCII
    ),
    re.compile(rf"{_START}((?:0|[1-9]\d{{0,8}})(?:\.\d{{1,9}}){{1,9}})(?!\d)", re.ASCII),
    re.compile(rf"(?<!\d[-_~]){_START}(0|[1-9]\d{{0,8}})(?![-_~]*\d)", re.ASCII),
)

# After a hyphen any word may follow; after a dot, or without a separator, only a known one.
_WORDS = "|".join((_EARLY, *_FINAL, *_AFTER))
_QUALIFIER = re.compile(
    rf"(?:[-_~]+[0-9a-z].*|\.?(?:{_WORDS})(?![a-z])[-._]?\d*(?:[-._].*)?)?(?:\+.*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)


@total_ordering
@dataclass(frozen=True)
class ReleaseName:
    """The parsed name of a release: "kafka-3.7.0-rc1" consists of "kafka-", "3.7.0" and "-rc1".

    Names compare by version: numbers as numbers, pre-releases before their release, hotfixes after
    it. Names of the same version ("4.0", "v4.0.0", "4.0.0.Final") compare by their text.
    """

    prefix: str
    number: str
    qualifier: str

    @classmethod
    def parse(cls, name: str) -> ReleaseName | None:
        """Parse a name; None if it is not a version ("latest", "1.0x", the hash of a commit).

        An unknown word after a hyphen marks a pre-release (SemVer 2.0, item 9), which includes a
        bare number ("7.9.0-0-ccs" is a nightly build of Confluent).
        """
        for pattern in _NUMBERS:
            match = pattern.search(name)
            if match is not None and _QUALIFIER.fullmatch(name, match.end()):
                return cls(name[: match.start(1)], match[1], name[match.end() :])
        return None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the version; those of a date for one that is a date."""
        return tuple(map(int, re.split(r"[-.]", self.number)))

    def __str__(self) -> str:
        return f"{self.prefix}{self.number}{self.qualifier}"

    def __lt__(self, other: ReleaseName) -> bool:
        return (self.order, str(self)) < (other.order, str(other))

    @property
    def order(self) -> tuple[tuple[int, ...], int, tuple[tuple[bool, int, str], ...]]:
        """The sort key of releases; equal for two names of the same version."""
        numbers = self.numbers
        while numbers and not numbers[-1]:
            numbers = numbers[:-1]
        rank = -1 if self.is_prerelease else 1 if self._words else 0
        parts = (("", word) if word.isdecimal() else (word, "") for word in self._words)
        return numbers, rank, tuple((bool(text), int(digits or 0), text) for text, digits in parts)

    @property
    def is_prerelease(self) -> bool:
        """Whether it precedes its release: its contents are not frozen."""
        words = self._words
        is_later = all(word in _AFTER or word.isdecimal() for word in words)
        return bool(words) and (words[0].isdecimal() or not is_later)

    @property
    def line(self) -> tuple[int, ...]:
        """The release line as comparable numbers.

        The rule is Kafka's: a line has two numbers since 1.0 and three before, so 3.7.1 belongs to
        3.7, and 0.10.2.1 to 0.10.2 (https://kafka.apache.org/downloads lists them so).
        """
        length = self._line_length
        return (*self.numbers[:length], *([0] * (length - len(self.numbers))))

    @property
    def line_name(self) -> str:
        """The release line as written: "3.7", "0.10.2", "24.04"."""
        return ".".join(re.split(r"[-.]", self.number)[: self._line_length])

    @property
    def _line_length(self) -> int:
        return 3 if self.numbers[0] == 0 else 2

    @property
    def _words(self) -> list[str]:
        """The words and numbers of the qualifier, except those of the release itself."""
        words = re.findall(r"[0-9]{1,9}|[a-z]+", self.qualifier.partition("+")[0].lower())
        return [word for word in words if word not in _FINAL]


@cache
def line_of(name: str) -> tuple[int, ...] | None:
    """The line of the release that a text names (`ReleaseName.line`); None for other texts."""
    release = ReleaseName.parse(name)
    return None if release is None else release.line


class Release(NamedTuple):
    """A tag that names a release, with the commit it resolves to, and when it was made.

    `date` (YYYY-MM-DD) and `moment` (seconds) are those of an annotated tag, or of the commit.
    """

    name: str
    commit: str
    date: str
    moment: int


def pick_releases(
    names: Iterable[str], globs: Iterable[str], prerelease: Sequence[str] | None = None
) -> tuple[list[str], list[str]]:
    """The names that match one of some globs: releases, and pre-releases.

    They are in the order of their versions; in the given one, that of time, if one of them is not a
    version. Pre-releases are the names that match one of `prerelease`; without, their form decides.
    """
    patterns = tuple(globs)
    chosen = [name for name in names if _matches(name, patterns)]
    versions = {name: version for name in chosen if (version := ReleaseName.parse(name))}
    if len(versions) == len(chosen):
        chosen.sort(key=versions.__getitem__)
    found: tuple[list[str], list[str]] = [], []
    for name in chosen:
        is_early = name in versions and versions[name].is_prerelease
        if prerelease is not None:
            is_early = _matches(name, prerelease)
        found[is_early].append(name)
    return found


def _matches(name: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def releases_of(
    git: Git, globs: Iterable[str], prerelease: Sequence[str] | None = None
) -> list[Release]:
    """The releases of a repository, by version: tags that are versions and match one of some globs.

    Pre-releases, whose contents are not frozen, count only if there is nothing else.
    """
    tags = {release.name: release for release in tagged(git)}
    releases, early = pick_releases(filter(ReleaseName.parse, tags), globs, prerelease)
    return [tags[name] for name in releases or early]


def usual_glob(git: Git) -> str | None:
    """A glob of the tags that name releases, in their most common form; None without any."""
    tags = (release.name for release in tagged(git))
    names = [name for name in tags if re.match(r"v?[0-9]+(\.[0-9]+)+", name)]
    if not names:
        return None
    return "v*" if sum(name.startswith("v") for name in names) * 2 > len(names) else "[0-9]*"


def tagged(git: Git) -> Iterator[Release]:
    """The tags of commits, in the order of their days."""
    names = "refname:lstrip=2", "*objectname", "objectname", "creatordate:short", "creatordate:unix"
    fields = "%00".join(f"%({name})" for name in names)
    for line in git.lines("for-each-ref", "--sort=creatordate", f"--format={fields}", "refs/tags"):
        name, peeled, own, date, moment = line.split("\0")
        if moment:
            yield Release(name, peeled or own, date, int(moment))
