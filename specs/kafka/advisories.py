"""Problems of releases that their version ranges do not show, and what clients do about them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.releases import ReleaseName
from wirebook.specs.versions import Versions

_PATH = FOLDER / "advisories.json"


@dataclass(frozen=True, slots=True)
class Advisory:
    """A problem with versions of an API, in the releases from `since` to before `until` ("": no
    end)."""

    api: str
    versions: Versions
    since: str
    until: str
    issues: tuple[str, ...]
    problem: str
    action: str

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
        first, after = _numbers(self.since), _numbers(self.until)
        return first[:-1] == after[:-1] and after[-1] - first[-1] == 1

    def concerns(self, release: str) -> bool:
        """Whether a release has the problem, or, of a line without a patch number ("4.0"), any
        release."""
        numbers = _numbers(release)
        if not numbers:
            return False
        first, last = numbers, numbers
        if len(numbers) == 2:
            first, last = (*numbers, 0), (*numbers, 1 << 20)
        return _numbers(self.since) <= last and (not self.until or first < _numbers(self.until))


@cache
def all_advisories() -> tuple[Advisory, ...]:
    """The known problems (advisories.json)."""
    rows = json.loads(_PATH.read_text(encoding="utf-8"))["advisories"]
    return tuple(_advisory(row) for row in rows)


def advisories_of(api: str) -> tuple[Advisory, ...]:
    """The known problems of an API."""
    return tuple(advisory for advisory in all_advisories() if advisory.api == api)


def _advisory(row: Mapping[str, str]) -> Advisory:
    return Advisory(
        api=row["api"],
        versions=Versions.parse(row["versions"]),
        since=row["since"],
        until=row.get("until", ""),
        issues=tuple(row["issues"]),
        problem=row["problem"],
        action=row["action"],
    )


def _numbers(release: str) -> tuple[int, ...]:
    name = ReleaseName.parse(release)
    return name.numbers if name is not None and not name.prefix else ()
