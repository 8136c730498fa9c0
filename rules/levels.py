"""Protocol levels over time: which are released, and whether a window ("180 days") has passed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from math import inf

from wirebook.rules.released import Released
from wirebook.specs.levels import Registry
from wirebook.specs.releases import ReleaseName, line_of


class Unit(StrEnum):
    """The unit of a deprecation window."""

    RELEASES = "releases"
    DAYS = "days"


@dataclass(frozen=True)
class Window:
    """How long a version stays deprecated before it may be removed: `deprecated_for`."""

    count: int
    unit: Unit

    @classmethod
    def parse(cls, text: str) -> Window | None:
        """Parse a window, "2 releases" or "180 days"; None if the text is not one."""
        count, _, unit = text.strip().partition(" ")
        units = {name: unit for unit in Unit for name in (unit.value, unit.value.removesuffix("s"))}
        if not (count.isascii() and count.isdigit() and len(count) <= 5 and int(count)):
            return None
        chosen = units.get(unit.strip())
        return None if chosen is None else cls(int(count), chosen)

    def __str__(self) -> str:
        return f"{self.count} {self.unit.value if self.count != 1 else self.unit.value.removesuffix('s')}"


@dataclass(frozen=True)
class ProtocolLevels:
    """The protocol levels that a history may name, by their `version`, in the order of their ids.

    `released` is the id of the newest released one, -1 if unknown. `window` is the time that a version must
    be deprecated; `releases` are the names of the baselines, `known` the releases of the old registry, and
    `day` the day of a baseline, "" if unknown.
    """

    ids: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)
    released: int = -1
    window: Window | None = None
    releases: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    day: Callable[[str], str] = field(default=lambda release: "", compare=False)

    @classmethod
    def of(
        cls, old: Registry | None, new: Registry | None, released: Released | None, window: Window | None
    ) -> ProtocolLevels:
        """The levels of both registries.

        A level is released if the old registry describes it or a baseline has it. A change cannot shorten the
        window by editing releases and dates of existing levels, nor by adding many releases.
        """
        names = () if released is None else released.releases
        both = [level for registry in (old, new) if registry is not None for level in registry.api_versions]
        newest = -1
        if old is not None:
            shipped = [old.of_release(name) for name in names]
            if any(level.about for level in old.api_versions):
                shipped += old.described
            newest = max((level.id for level in shipped if level is not None), default=-1)
        old_levels = () if old is None else old.api_versions
        return cls(
            {level.version: level.id for level in both},
            {level.version: level.release for level in (*both, *old_levels)},
            {level.version: level.date for level in (*both, *old_levels) if level.date is not None},
            newest,
            window,
            names,
            frozenset(level.release for level in (old_levels or both)),
            (lambda release: "") if released is None else released.day,
        )

    def is_released(self, level: str) -> bool:
        """Whether a release has the level, as far as that is known."""
        return self.ids.get(self._named(level), inf) <= self.released

    def id_of(self, name: str, otherwise: int) -> int:
        """The id of a level, or of the last level of a release; `otherwise` if neither is known."""
        return self.ids.get(self._named(name), otherwise)

    def too_soon(self, deprecated: str, removed: str) -> str:
        """When something deprecated at one level may be removed, if the other level is too early for that.

        "" if the window has passed or none is set. Releases are counted by the registry. Days are those of
        the registry, or of the first tag of the release line. What cannot be determined is too early.
        """
        if self.window is None:
            return ""
        if self.window.unit is Unit.DAYS:
            since = self._day_of(deprecated)
            if since:
                return self._too_early(since, self._day_of(removed))
            unknown = "which has no date in the registry and no tag"
            return f"{self.window} after the release of {deprecated}, {unknown}"
        ends = {name: self.lines.get(self._named(name), "") for name in (deprecated, removed)}
        ordered = dict.fromkeys(self.lines[name] for name in sorted(self.ids, key=self.ids.__getitem__))
        lines = [line for line in ordered if line in self.known | {*ends.values()}]
        if lines and not ends[deprecated] and () < _order(deprecated) < _order(lines[0]):
            # A release before the first level of the registry: there may be more between the two.
            ends[deprecated] = _line(deprecated)
            lines.insert(0, ends[deprecated])
        for name, line in ends.items():
            if line not in lines:
                return f"{self.window} after {deprecated} (the registry does not have {name})"
        return _too_few_releases(lines, ends[deprecated], ends[removed], self.window.count)

    def too_soon_after(self, release: str) -> str:
        """Like `too_soon`, for what a release deprecated and the release after all baselines is to remove."""
        if self.window is None:
            return ""
        if self.window.unit is Unit.DAYS:
            days = {self.lines[name]: date for name, date in self.dates.items()}
            since = self.day(release) or days.get(release) or days.get(_line(release))
            if since:
                return self._too_early(since, "")
            return (
                f"{self.window} after {release or 'the release that deprecates them'}, whose day is not known"
            )
        if not self.releases and not release:
            return f"{self.window} after the one that deprecates them (none is known: set released)"
        lines = list(dict.fromkeys(map(_line, sorted(self.releases, key=_order)))) or [_line(release)]
        return _too_few_releases([*lines, ""], _line(release), "", self.window.count)

    def _named(self, name: str) -> str:
        """The level with this name, or the last level of the line of the release with this name."""
        if name in self.ids:
            return name
        line = _line(name)
        of_line = [
            level for level, release in self.lines.items() if _line(release) == line and level in self.ids
        ]
        return max(of_line, key=self.ids.__getitem__, default=name)

    def _day_of(self, level: str) -> str:
        """The day of a level in the registry, else that of the first release of its line that has one."""
        if level in self.dates:
            return self.dates[level]
        line = self.lines.get(level) or _line(level)
        days = [self.day(name) for name in self.releases if _line(name) == line]
        return min((day for day in days if day), default="")

    def _too_early(self, since: str, then: str) -> str:
        assert self.window is not None
        try:
            first = date.fromisoformat(since) + timedelta(days=self.window.count)
        except OverflowError:
            first = date.max
        return first.isoformat() if (date.fromisoformat(then) if then else date.today()) < first else ""


def _too_few_releases(lines: list[str], deprecated: str, removed: str, count: int) -> str:
    """The release line `count` lines after `deprecated`, if `removed` comes before it."""
    first = lines.index(deprecated) + count if deprecated in lines else count
    if lines.index(removed) >= first:
        return ""
    named = lines[first] if first < len(lines) else ""
    after = f"{deprecated}" if deprecated else "the one that deprecates it"
    return named or f"the {_ordinal(count)} release after {after}"


def _ordinal(number: int) -> str:
    words = ("", "first", "second", "third", "fourth", "fifth", "sixth")
    return words[number] if number < len(words) else f"{number}th"


def _line(release: str) -> str:
    name = ReleaseName.parse(release)
    return release if name is None else name.line_name


def _order(release: str) -> tuple[int, ...]:
    return line_of(release) or ()
