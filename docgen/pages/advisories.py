"""Problems of releases that their version ranges do not show, and what clients do about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wirebook.specs.json_records import from_json
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.releases import known_releases, numbers_of, spans_of
from wirebook.specs.versions import Versions

_ANY_PATCH = 1 << 20


@dataclass(frozen=True, slots=True)
class Advisory:
    """A problem with versions of an API, in a range of releases."""

    api: str
    versions: Versions
    range: str
    issues: tuple[str, ...]
    problem: str
    action: str

    @property
    def releases(self) -> str:
        """The releases that have the problem, in words."""
        return known_releases().words(self.range)

    def concerns(self, release: str) -> bool:
        """Whether a release has the problem, or, of a line without a patch number ("4.0"), any
        release."""
        numbers = numbers_of(release)
        return any(
            span.first <= (*numbers, _ANY_PATCH) and (span.after is None or numbers < span.after)
            for span in spans_of(self.range)
            if numbers
        )


@cache
def all_advisories() -> tuple[Advisory, ...]:
    """The known problems (advisories.json)."""
    return from_json(tuple[Advisory, ...], facts("advisories.json")["advisories"])
