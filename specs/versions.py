"""A range of versions as specs write it: "none", "3", "0-4", "5+"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

MAX_VERSION = 32767  # a version is an INT16 on the wire; "N+" ends here

_FORM = re.compile(r"(0*\d{1,9})(?:(\+)|-(0*\d{1,9}))?")  # Python refuses to read thousands of digits


class VersionsError(ValueError):
    """A text that is no version range; the message says why, without a position."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The whole numbers from `lowest` to `highest`, both included; empty when `highest < lowest`.

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
        """Read "none", "3", "0-4" or "5+" (Kafka's Versions.parse); raise VersionsError otherwise."""
        stripped = text.strip()
        if stripped == "none":
            return cls.NONE
        match = _FORM.fullmatch(stripped)
        if match is None or not stripped.isascii():
            shown = text if len(text) <= 40 else f"{text[:40]}…"
            raise VersionsError(f'"{shown}" is no version range; write "none", "3", "0-4" or "5+"')
        lowest = int(match[1])
        highest = MAX_VERSION if match[2] else int(match[3] or match[1])
        if highest < lowest:
            raise VersionsError(f'"{text}" ends before it begins')
        if highest > MAX_VERSION:
            raise VersionsError(f'"{text}" goes above {MAX_VERSION}, the highest version an INT16 can hold')
        return cls(lowest, highest)

    @classmethod
    def of(cls, numbers: Iterable[int]) -> list[Versions]:
        """The shortest list of ranges, in rising order, that holds exactly `numbers`."""
        ranges: list[Versions] = []
        for number in sorted(set(numbers)):
            if ranges and ranges[-1].highest == number - 1:
                ranges[-1] = cls(ranges[-1].lowest, number)
            else:
                ranges.append(cls(number, number))
        return ranges

    @property
    def empty(self) -> bool:
        """Whether no version lies in the range."""
        return self.highest < self.lowest

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

    def __bool__(self) -> bool:
        return not self.empty

    def __and__(self, other: Versions) -> Versions:
        """The versions in both ranges."""
        return Versions(max(self.lowest, other.lowest), min(self.highest, other.highest))

    def __sub__(self, other: Versions) -> list[Versions]:
        """The versions of this range that `other` lacks: none, one or two ranges, in rising order."""
        common = self & other
        if common.empty:
            return [] if self.empty else [self]
        parts = (Versions(self.lowest, common.lowest - 1), Versions(common.highest + 1, self.highest))
        return [part for part in parts if not part.empty]

    def contains(self, other: Versions) -> bool:
        """Whether every version of `other` lies in this range (an empty one always does)."""
        return (self & other) == other

    def __str__(self) -> str:
        if self.empty:
            return "none"
        if self.open:
            return f"{self.lowest}+"
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"


Versions.NONE = Versions(0, -1)
Versions.ALL = Versions(0, MAX_VERSION)


def counted(ranges: str) -> str:
    """A text of ranges with the word before it: "version 3", "versions 0-3, 7+"."""
    return f"{'versions' if any(sign in ranges for sign in ',-+') else 'version'} {ranges}"


def ranges_text(ranges: Iterable[Versions]) -> str:
    """Several ranges in one text, "0-3, 7+"; "none" when there is no version in any."""
    return ", ".join(str(part) for part in ranges if part) or "none"
