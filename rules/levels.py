"""Protocol levels over time: which are released, and whether a window ("180 days") has passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter

from wirebook.rules.parts import ProtocolPair
from wirebook.rules.window import Window
from wirebook.specs.levels import Registry
from wirebook.specs.releases import ReleaseName, line_of


@dataclass(frozen=True)
class ProtocolLevels:
    """The protocol levels that a history may name, and the releases.

    `ids` are by `version` of a level and by release line, which has that of its last level. `lines`
    are the release lines of the old registry, and `tags` those of the baselines. `days`
    (YYYY-MM-DD) are by level, by baseline and by release line. `released` is the id of the newest
    released level, -1 if unknown.
    """

    ids: Mapping[str, int] = field(default_factory=dict)
    days: Mapping[str, str] = field(default_factory=dict)
    lines: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    released: int = -1
    window: Window | None = None

    @classmethod
    def of(cls, pair: ProtocolPair) -> ProtocolLevels:
        """The levels of both registries.

        A level is released if base describes it or a baseline has it. Days are those of base and of
        baselines, and the releases those of base, so that a change cannot shorten the window.
        """
        base = pair.tables.base.levels or Registry(())
        head = pair.tables.head.levels or Registry(())
        levels = (*head.api_versions, *base.api_versions)
        releases = pair.released.releases
        shipped = [base.of_release(name) for name in releases]
        if any(level.about for level in base.api_versions):
            shipped += base.described
        days: dict[str, str] = {}
        for name in releases:
            day = days[name] = pair.released.day(name)
            days[_line(name)] = min(day, days.get(_line(name)) or day)
        days |= {each.version: each.date for each in base.api_versions if each.date is not None}
        ids = {_line(each.release): each.id for each in sorted(levels, key=attrgetter("id"))}
        ids |= {level.version: level.id for level in levels}
        return cls(
            ids,
            days,
            frozenset(_line(level.release) for level in base.api_versions or levels),
            frozenset(map(_line, releases)),
            max((level.id for level in shipped if level is not None), default=-1),
            pair.window,
        )

    def is_released(self, level: str) -> bool:
        """Whether a release has the level, as far as that is known."""
        return 0 <= self.id_of(level, -1) <= self.released

    def id_of(self, name: str, otherwise: int) -> int:
        """The id of a level, or of the last level of a release; `otherwise` if neither is known."""
        return self.ids.get(name, self.ids.get(_line(name), otherwise))

    def earliest(self, marks: Iterable[str]) -> str:
        """When versions that these releases deprecate may be removed, if the next release is too
        early; "" if it is not."""
        return next(filter(None, map(self.too_soon, dict.fromkeys(marks))), "")

    def too_soon(self, since: str, then: str = "") -> str:
        """When what a level or a release deprecates may be removed, if `then` is too early for
        that.

        `then` is a level, "" for the release after all baselines. "" if the window has passed or
        none is set. What cannot be determined is too early.
        """
        if self.window is None:
            return ""
        start = _line(since)
        count = self.window.count
        if self.window.unit == "day":
            day = self.days.get(since) or self.days.get(start)
            if not day:
                what = since or "the release that deprecates it"
                return f"{self.window} after {what}, whose day is not known"
            today = date.today().isoformat()
            end = min(self.days.get(then) or self.days.get(_line(then)) or today, today)
            last = min(date.fromisoformat(day).toordinal() + count, date.max.toordinal())
            first = date.fromordinal(last).isoformat()
            return first if end < first else ""
        if not since:
            return f"{self.window} after the one that deprecates it (none is known: set released)"
        names = {start, *(self.lines | {_line(then)} if then else self.tags)}
        lines = [*sorted(names, key=lambda line: line_of(line) or ()), *([] if then else [""])]
        allowed = lines.index(start) + count
        if lines.index(_line(then)) >= allowed:
            return ""
        return lines[allowed] if lines[allowed:] else f"{self.window} after {start}"


def _line(release: str) -> str:
    """The release line of a release or of a level: 3.7 of 3.7.1 and of 3.7-IV0."""
    name = ReleaseName.parse(release)
    return release if name is None else name.line_name
