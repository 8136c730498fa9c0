"""Problems of releases that their version ranges do not show, and what clients do about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wirebook.specs.json_records import from_json, omitted
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.versions import Versions


@dataclass(frozen=True, slots=True)
class Advisory:
    """A problem with versions of an API, in the releases from `since` to before `until` ("": no
    end)."""

    api: str
    versions: Versions
    since: str
    issues: tuple[str, ...]
    problem: str
    action: str
    until: str = omitted("")

    @property
    def releases(self) -> str:
        """The releases that have the problem, as text."""
        if not self.until:
            return f"{self.since} and later"
        return (
            f"{self.since} only" if self._is_one else f"{self.since} and later, until {self.until}"
        )

    @property
    def _is_one(self) -> bool:
        first, after = order_of(self.since), order_of(self.until)
        return first[:-1] == after[:-1] and after[-1] - first[-1] == 1

    def concerns(self, release: str) -> bool:
        """Whether a release has the problem, or, of a line without a patch number ("4.0"), any
        release."""
        numbers = order_of(release)
        if not numbers:
            return False
        first, last = numbers, numbers
        if len(numbers) == 2:
            first, last = (*numbers, 0), (*numbers, 1 << 20)
        return order_of(self.since) <= last and (not self.until or first < order_of(self.until))


@cache
def all_advisories() -> tuple[Advisory, ...]:
    """The known problems (advisories.json)."""
    return from_json(tuple[Advisory, ...], facts("advisories.json")["advisories"])


def advisories_of(api: str) -> tuple[Advisory, ...]:
    """The known problems of an API."""
    return tuple(advisory for advisory in all_advisories() if advisory.api == api)
