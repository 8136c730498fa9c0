"""Releases that a text may name: which exist, which statement holds in which, and how that
reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

_NUMBER = r"\d{1,4}(?:\.\d{1,4}){1,3}"
_FORM = re.compile(rf"({_NUMBER})(?:(\+)|-({_NUMBER}))?", re.ASCII)
_Numbers = tuple[int, ...]
# How the words begin for what no release has.
UNRELEASED = "from "


class ReleasesError(ValueError):
    """A text that is not a range of releases; the message explains why, without a position."""


class Span(NamedTuple):
    """Releases in a row: `after` are the numbers of the first one that follows, None if it is
    open."""

    first: _Numbers
    after: _Numbers | None

    def has(self, numbers: _Numbers) -> bool:
        """Whether a release is in the span."""
        return self.first <= numbers and (self.after is None or numbers < self.after)

    @property
    def is_of_line(self) -> bool:
        """Whether it is the end of a line from some release on: "4.2.2-4.2"."""
        line = (*self.first[:1], *(number + 1 for number in self.first[1:2]))
        return len(self.first) > 2 and self.after == line


class ReleaseRange(NamedTuple):
    """Releases as texts write them: "4.1" (every release of the line), "2.8.1+", "0.11.0-2.7".

    Where maintenance branches have what a newer release brings, they are several:
    "4.1.3-4.1, 4.2.2+".
    """

    text: str
    spans: tuple[Span, ...]

    @classmethod
    def parse(cls, text: str) -> ReleaseRange:
        """Read ranges. Raises ReleasesError for another form, an early end, or another order."""
        spans = tuple(map(_span, text.split(",")))
        for one, next_one in pairwise(spans):
            if one.after is None or one.after > next_one.first:
                raise ReleasesError(f'"{text.strip()}" is not in the order of releases')
        return cls(text.strip(), spans)

    @property
    def first(self) -> _Numbers:
        """The numbers of its first release."""
        return self.spans[0].first

    @property
    def lasting(self) -> tuple[Span, ...]:
        """The beginnings of what newer releases keep: the open span, and ends of lines before."""
        if self.spans[-1].after is not None:
            return ()
        return tuple(span for span in self.spans if span.after is None or span.is_of_line)

    def has(self, numbers: _Numbers) -> bool:
        """Whether a release is in one of the ranges."""
        return any(span.has(numbers) for span in self.spans)


def _span(text: str) -> Span:
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
    return Span(first, after)


class ReleaseText(NamedTuple):
    """What holds in a range of releases."""

    releases: ReleaseRange
    text: str


@dataclass(frozen=True)
class ReleaseList:
    """The releases of a server that texts may name, oldest first.

    `verified` is the newest one that the texts describe; `unreleased` are the lines and
    releases that are not out yet.
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
        for name in re.findall(_NUMBER, releases.text):
            if _parsed(name) not in self._numbers:
                raise ReleasesError(f"there is no release {name}")
        return releases

    def described(self, text: str) -> str:
        """A range in words, see `range` and `words`."""
        return self.words(self.range(text))

    def words(self, releases: ReleaseRange) -> str:
        """Ranges as readers see them: "4.1", "since 4.1.2 and 4.2", "2.8.1 to 3.9", "from 4.4 (not
        released)"."""
        known = [span for span in releases.spans if self._is_released(span)]
        since = [_name(span.first) for span in known if span in releases.lasting]
        parts = [_words(span) for span in known if span not in releases.lasting]
        if since:
            parts.append(f"since {_listed(since)}")
        planned = [_name(span.first) for span in releases.spans if span not in known]
        if planned:
            parts.append(f"{UNRELEASED}{_listed(planned)} (not released)")
        return ", ".join(parts)

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
            holds = any(
                span.has(current) and self._is_released(span) for span in part.releases.spans
            )
            return not holds, part.releases.first

        marked = (
            f"{_capital(self.words(each.releases))}: {each.text}"
            for each in sorted(parts, key=order)
        )
        return " ".join(text for text in (common, *marked) if text)

    def _is_released(self, span: Span) -> bool:
        return any(span.has(_parsed(name)) for name in self.names)


NO_RELEASES = ReleaseList(("0.0",), "0.0")


def _parsed(name: str) -> _Numbers:
    return tuple(map(int, re.findall(r"\d+", name)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name(numbers: _Numbers) -> str:
    return ".".join(map(str, numbers))


def _words(span: Span) -> str:
    assert span.after is not None
    last = (*span.after[:-1], span.after[-1] - 1)
    return _name(last) if last == span.first else f"{_name(span.first)} to {_name(last)}"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
