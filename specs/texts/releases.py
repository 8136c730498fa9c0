"""Releases that a text may name: which exist, which statement holds in which, and how that
reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_NUMBER = r"\d{1,4}(?:\.\d{1,4}){1,3}"
_FORM = re.compile(rf"({_NUMBER})(?:(\+)|-({_NUMBER}))?", re.ASCII)
_Numbers = tuple[int, ...]
# How the words begin for what no release has.
UNRELEASED = "from "


class ReleasesError(ValueError):
    """A text that is not a range of releases; the message explains why, without a position."""


class ReleaseRange(NamedTuple):
    """Releases as texts write them: "4.1" (every release of the line), "2.8.1+" or "0.11.0-2.7".

    `after` are the numbers of the first release that follows the range; None if it is open.
    """

    text: str
    first: _Numbers
    after: _Numbers | None

    @classmethod
    def parse(cls, text: str) -> ReleaseRange:
        """Read a range. Raises ReleasesError for another form or an early end."""
        match = _FORM.fullmatch(text.strip())
        if match is None:
            beginning = text if len(text) <= 40 else f"{text[:40]}…"
            raise ReleasesError(
                f'"{beginning}" is not a range of releases; write "4.1", "4.2+" or "2.8.1-3.9"'
            )
        first, last = (_parsed(each) for each in (match[1], match[3] or match[1]))
        after = None if match[2] else (*last[:-1], last[-1] + 1)
        if after is not None and after <= first:
            raise ReleasesError(f'"{text}" ends before it begins')
        return cls(text.strip(), first, after)

    def has(self, numbers: _Numbers) -> bool:
        """Whether a release is in the range."""
        return self.first <= numbers and (self.after is None or numbers < self.after)


class ReleaseText(NamedTuple):
    """What holds in a range of releases."""

    releases: ReleaseRange
    text: str


@dataclass(frozen=True)
class ReleaseList:
    """The releases of a server that texts may name, oldest first.

    `verified` is the newest one that the texts describe; `unreleased` are the lines without a
    release yet.
    """

    names: tuple[str, ...]
    verified: str
    unreleased: tuple[str, ...] = ()

    @cached_property
    def _numbers(self) -> frozenset[_Numbers]:
        """Every release, and every line: 4.1.0 and 4.1."""
        parsed = [_parsed(name) for name in (*self.names, *self.unreleased)]
        return frozenset(name[:end] for name in parsed for end in range(2, len(name) + 1))

    def range(self, text: str) -> ReleaseRange:
        """Read a range. Raises ReleasesError for another form, an unknown release, or an early
        end."""
        releases = ReleaseRange.parse(text)
        for name in releases.text.rstrip("+").split("-"):
            if _parsed(name) not in self._numbers:
                raise ReleasesError(f"there is no release {name}")
        return releases

    def words(self, releases: ReleaseRange) -> str:
        """A range as readers see it: "4.1", "since 4.2", "2.8.1 to 3.9", "from 4.4 (not
        released)"."""
        first, _, last = releases.text.rstrip("+").partition("-")
        if releases.first > self._newest:
            return f"{UNRELEASED}{first} (not released)"
        if releases.after is None:
            return f"since {first}"
        return f"{first} to {last}" if last else first

    def sentence(self, common: str, parts: Iterable[ReleaseText], release: str = "") -> str:
        """One text for readers of a release (by default, the newest one that the texts describe).

        What holds in every release comes first, then what holds in this one, then what differs
        elsewhere. A line ("4.1") is its newest release. What is not released never holds.
        """
        current = _parsed(release or self.verified)
        current = max(
            (name for name in map(_parsed, self.names) if name[: len(current)] == current),
            default=current,
        )

        def order(part: ReleaseText) -> tuple[bool, _Numbers]:
            holds = part.releases.has(current) and part.releases.first <= self._newest
            return not holds, part.releases.first

        marked = (
            f"{_capital(self.words(each.releases))}: {each.text}"
            for each in sorted(parts, key=order)
        )
        return " ".join(text for text in (common, *marked) if text)

    @cached_property
    def _newest(self) -> _Numbers:
        return max(map(_parsed, self.names))


NO_RELEASES = ReleaseList(("0.0",), "0.0")


def _parsed(name: str) -> _Numbers:
    return tuple(map(int, re.findall(r"\d+", name)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
