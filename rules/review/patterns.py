"""Combines changes that many APIs have in common into patterns; other changes are shown by API."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wirebook.rules.diff.kinds import CODE, PROMISE, ProtocolChange
from wirebook.rules.report.changes import by_api, heading
from wirebook.rules.report.sentences import sentence

FEW = 3  # a change that more APIs have in common is a pattern
REMOVED = "versions are no longer valid; “Removed versions” below lists them"


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """A change that many APIs have in common: the rest of a sentence about each, and the changes."""

    words: str
    changes: tuple[ProtocolChange, ...]

    @property
    def apis(self) -> tuple[str, ...]:
        """The headings of the APIs, in order."""
        return tuple(title for title, _ in by_api(self.changes))


def patterns(changes: Sequence[ProtocolChange], listed: Collection[str]) -> tuple[Pattern, ...]:
    """The patterns among some changes: sentences that apply to more than FEW APIs.

    Removed versions form one pattern whatever their numbers: a table shows those of the APIs `listed`. Other
    changes on the wire form no pattern: each must be examined. Changes of text form none either: they are
    only counted.
    """
    alike: dict[tuple[str, str], list[ProtocolChange]] = {}
    for change in changes:
        if change.message is None:
            continue
        title = heading(change.message)[1]
        removed = change.kind == "versions-removed" and title in listed
        if not removed and change.effect not in (PROMISE, CODE):
            continue
        words = REMOVED if removed else sentence(change)
        alike.setdefault((change.kind, words), []).append(change)
    every = [Pattern(words, tuple(part)) for (_, words), part in alike.items()]
    return tuple(pattern for pattern in every if len(pattern.apis) > FEW)
