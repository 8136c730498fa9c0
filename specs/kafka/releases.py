"""The releases of Kafka that a text may name (releases.json), and how a range of them reads.

Texts write ranges as "4.1" (every release of the line), "2.8.1+" or "0.11.0-2.7". Where maintenance
branches have what a newer release brings, there are several: "4.1.3-4.1, 4.2.2+". The files are
ours: tests check that the ranges are in order and name releases that exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from wirebook.specs.kafka import facts
from wirebook.specs.printable import enumerated

_Numbers = tuple[int, ...]
# How the words begin for what no release has.
UNRELEASED = "from "


class Span(NamedTuple):
    """Releases in a row: `after` has the numbers of the next one, None if the span is open."""

    first: _Numbers
    after: _Numbers | None

    def has(self, numbers: _Numbers) -> bool:
        """Whether a release is in the span."""
        return self.first <= numbers and (self.after is None or numbers < self.after)

    @property
    def is_lasting(self) -> bool:
        """Whether newer releases of its line keep it: it is open, or it ends with the line."""
        line = (*self.first[:1], *(number + 1 for number in self.first[1:2]))
        return self.after is None or (len(self.first) > 2 and self.after == line)


def spans_of(text: str) -> tuple[Span, ...]:
    """The spans of a range that a text writes."""
    spans = []
    for part in text.split(","):
        begin, dash, end = part.partition("-")
        first, last = numbers_of(begin), numbers_of(end if dash else begin)
        spans.append(Span(first, None if "+" in part else (*last[:-1], last[-1] + 1)))
    return tuple(spans)


def numbers_of(name: str) -> _Numbers:
    """The numbers of a release."""
    return tuple(map(int, re.findall(r"\d+", name)))


@dataclass(frozen=True)
class ReleaseList:
    """The releases of a server, oldest first; `verified` is the newest that texts describe."""

    names: tuple[str, ...]
    verified: str

    def words(self, text: str) -> str:
        """A range as readers see it: "4.1", "since 4.1.2 and 4.2", "2.8.1 to 3.9", "from 4.4 (not
        released)"."""
        spans = spans_of(text)
        parts, since, planned = [], [], []
        for span in spans:
            if not self._is_released(span):
                planned.append(_name(span.first))
            elif span.is_lasting and spans[-1].after is None:
                since.append(_name(span.first))
            else:
                parts.append(_words(span))
        if since:
            parts.append(f"since {enumerated(since)}")
        if planned:
            parts.append(f"{UNRELEASED}{enumerated(planned)} (not released)")
        return ", ".join(parts)

    def sentence(self, common: str, parts: Mapping[str, str]) -> str:
        """One text for readers of the newest release that the texts describe.

        What holds in every release comes first, then what holds in this one, then what differs
        elsewhere; `parts` are by range. What is not released never holds.
        """
        current = numbers_of(self.verified)

        def order(text: str) -> tuple[bool, _Numbers]:
            spans = spans_of(text)
            holds = any(span.has(current) and self._is_released(span) for span in spans)
            return not holds, spans[0].first

        texts = [common] if common else []
        for each in sorted(parts, key=order):
            words = self.words(each)
            texts.append(f"{words[0].upper()}{words[1:]}: {parts[each]}")
        return " ".join(texts)

    def _is_released(self, span: Span) -> bool:
        return any(span.has(numbers_of(name)) for name in self.names)


@cache
def known_releases() -> ReleaseList:
    """The releases, and the newest one that the texts describe."""
    document = facts("releases.json")
    return ReleaseList(tuple(document["releases"]), document["verified"])


def _name(numbers: _Numbers) -> str:
    return ".".join(map(str, numbers))


def _words(span: Span) -> str:
    assert span.after is not None
    last = (*span.after[:-1], span.after[-1] - 1)
    return _name(last) if last == span.first else f"{_name(span.first)} to {_name(last)}"
