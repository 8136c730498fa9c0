"""Versions: a range as specs write it ("none", "3", "0-4", "5+"), and a set of any ("0-3, 7+")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from wirebook.specs.limits import MAX_INT16

MAX_VERSION = MAX_INT16  # "N+" ends here
SPACES = " \t\n\v\f\r"  # what Java's parsers of numbers and ranges leave out

# Python refuses to read thousands of digits.
_FORM = re.compile(r"(0*\d{1,9})(?:(\+)|-(0*\d{1,9}))?", re.ASCII)


class VersionsError(ValueError):
    """A text that is not a version range; the message explains why, without a position."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The integers from `lowest` to `highest`, both included; empty if `highest < lowest`.

    Every empty range equals `Versions.NONE`; an open range ("5+") ends at `MAX_VERSION`.
    """

    lowest: int
    highest: int

    NONE: ClassVar[Versions]
    ALL: ClassVar[Versions]

    def __post_init__(self) -> None:
        if self.highest < self.lowest:
            object.__setattr__(self, "lowest", 0)
            object.__setattr__(self, "highest", -1)

    @classmethod
    @lru_cache(maxsize=4096)  # the specs of a protocol write the same few ranges over and over
    def parse(cls, text: str) -> Versions:
        """Read "none", "3", "0-4" or "5+", as Kafka's Versions.parse. Raises VersionsError."""
        stripped = text.strip(SPACES)
        if stripped == "none":
            return cls.NONE
        match = _FORM.fullmatch(stripped)
        if match is None:
            clipped = text if len(text) <= 40 else f"{text[:40]}…"
            raise VersionsError(
                f'"{clipped}" is not a version range; write "none", "3", "0-4" or "5+"'
            )
        lowest = int(match[1])
        highest = MAX_VERSION if match[2] else int(match[3] or match[1])
        if highest < lowest:
            raise VersionsError(f'"{text}" ends before it begins')
        if highest > MAX_VERSION:
            raise VersionsError(
                f'"{text}" exceeds {MAX_VERSION}, the highest version that an INT16 can hold'
            )
        return cls(lowest, highest)

    @property
    def open(self) -> bool:
        """Whether the range has no upper end ("5+")."""
        return self.highest == MAX_VERSION

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lowest, self.highest + 1))

    def __len__(self) -> int:
        return self.highest - self.lowest + 1

    def __and__(self, other: Versions) -> Versions:
        """The versions in both ranges."""
        return Versions(max(self.lowest, other.lowest), min(self.highest, other.highest))

    def __sub__(self, other: Versions) -> VersionSet:
        """The versions of this range that `other` lacks."""
        return VersionSet.union(
            Versions(self.lowest, min(self.highest, other.lowest - 1)),
            Versions(max(self.lowest, other.highest + 1), self.highest),
        )

    def covers(self, other: Versions) -> bool:
        """Whether every version of `other` lies in this range (an empty one always does)."""
        return (self & other) == other

    def __str__(self) -> str:
        if not self:
            return "none"
        if self.open:
            return f"{self.lowest}+"
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"


Versions.NONE = Versions(0, -1)
Versions.ALL = Versions(0, MAX_VERSION)


@dataclass(frozen=True, slots=True)
class VersionSet:
    """Any set of versions, as the fewest ranges in ascending order, none of which touch.

    Build one with `of`, `union` or `parse`, which ensure that. A spec writes one range for each
    key, so the model contains `Versions`; the result of computing with several ranges is a set.
    """

    ranges: tuple[Versions, ...] = ()

    NONE: ClassVar[VersionSet]

    @classmethod
    def of(cls, numbers: Iterable[int]) -> VersionSet:
        """The set of these versions, given in any order."""
        return cls.union(*(Versions(number, number) for number in numbers))

    @classmethod
    def union(cls, *ranges: Versions) -> VersionSet:
        """The versions in any of these ranges, which may overlap or be empty."""
        joined: list[Versions] = []
        for part in sorted((part for part in ranges if part), key=lambda part: part.lowest):
            if joined and part.lowest <= joined[-1].highest + 1:
                joined[-1] = Versions(joined[-1].lowest, max(joined[-1].highest, part.highest))
            else:
                joined.append(part)
        return cls(tuple(joined))

    @classmethod
    def parse(cls, text: str) -> VersionSet:
        """Parse ranges separated by commas, "0-3, 7+", or "none"; raise VersionsError otherwise."""
        return cls.union(*map(Versions.parse, text.split(",")))

    @property
    def text(self) -> str:
        """The ranges, "0-3, 7+", or "" for no version, where `str` returns "none"."""
        return ", ".join(map(str, self.ranges))

    def covers(self, other: VersionSet) -> bool:
        """Whether every version of `other` is in this set."""
        return not other - self

    def __contains__(self, version: int) -> bool:
        return any(version in part for part in self.ranges)

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self.ranges)

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    def __or__(self, other: VersionSet) -> VersionSet:
        """The versions in either set."""
        return VersionSet.union(*self.ranges, *other.ranges)

    def __and__(self, other: VersionSet) -> VersionSet:
        """The versions in both sets."""
        return VersionSet.union(*(ours & theirs for ours in self.ranges for theirs in other.ranges))

    def __sub__(self, other: VersionSet) -> VersionSet:
        """The versions of this set that `other` lacks."""
        left = self.ranges
        for gap in other.ranges:
            left = tuple(part for ours in left for part in (ours - gap).ranges)
        return VersionSet(left)

    def __str__(self) -> str:
        return self.text or "none"


VersionSet.NONE = VersionSet()


def counted(versions: Versions | VersionSet | Collection[int]) -> str:
    """A range or a set with its noun: "version 3", "versions 0-3, 7+"."""
    if not isinstance(versions, Versions | VersionSet):
        versions = VersionSet.of(versions)
    return f"{'version' if len(versions) == 1 else 'versions'} {versions}"
