"""The lifeline of an API: a bar for each version over all snapshots, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

from wirebook.docgen.catalog.records import ApiPresence
from wirebook.specs.releases import ReleaseName
from wirebook.specs.versions import Versions, VersionSet

_ROW, _SIDE, _TOP, _FOOT = 16, 34, 8, 44
# A snapshot is never narrower than its label is high, and few of them do not fill a whole screen.
_STEPS, _WIDE = (12, 28), 900
_SHOWN = VersionSet.union(Versions(0, 2000))  # versions beyond are not drawn


@dataclass(frozen=True, slots=True)
class Run:
    """An unbroken stretch of a version in one state, from one snapshot to another (by position)."""

    first: int
    last: int
    state: str


def numbers(text: str) -> VersionSet:
    """The versions of "0-3, 7+" up to the highest that is drawn; empty for "none" and ""."""
    return VersionSet.parse(text) & _SHOWN if text else VersionSet.NONE


def runs(presence: Sequence[ApiPresence]) -> dict[int, list[Run]]:
    """For each version its runs over the snapshots of an API document's `presence`."""
    by_version: dict[int, list[Run]] = {}
    # Most snapshots offer what the one before does.
    alike = groupby(enumerate(presence), lambda at: (at[1].versions, at[1].unstable, at[1].deprecated))
    for (offered, unstable, deprecated), group in alike:
        positions = [position for position, _ in group]
        first, last = positions[0], positions[-1]
        marks = {"unstable": numbers(unstable), "deprecated": numbers(deprecated)}
        for version in numbers(offered) | marks["unstable"]:
            state = next((name for name, marked in marks.items() if version in marked), "current")
            line = by_version.setdefault(version, [])
            if line and line[-1].last == first - 1 and line[-1].state == state:
                line[-1] = Run(line[-1].first, last, state)
            else:
                line.append(Run(first, last, state))
    return dict(sorted(by_version.items()))


def lifeline(api: str, presence: Sequence[ApiPresence]) -> Markup:
    """The picture, newest version on top; "" if there are fewer than two snapshots.

    Colors come from the page's style by class; a title and a description express the same in words. Versions
    are named at both ends, since on a phone one of them is out of sight.
    """
    lines = runs(presence)
    if len(presence) < 2 or not lines:
        return Markup("")
    names = [snapshot.snapshot for snapshot in presence]
    step = max(_STEPS[0], min(_STEPS[1], _WIDE // len(names)))
    bottom, right = _TOP + len(lines) * _ROW, _SIDE + len(names) * step
    width, height = right + _SIDE, bottom + _FOOT
    parts = [
        Markup('<svg class="wb-lifeline" role="img" viewBox="0 0 {} {}" width="{}" height="{}">').format(
            width, height, width, height
        ),
        Markup("<title>{}</title><desc>{}</desc>").format(
            f"Lifeline of {api}", "; ".join(_words(lines, names))
        ),
    ]
    releases = [_line(snapshot) for snapshot in presence]
    begun = [
        (_SIDE + position * step, name)
        for position, name in enumerate(releases)
        if position == 0 or releases[position - 1] != name
    ]
    grid = "".join(f"M{x} {_TOP}V{bottom + 4}" for x, _ in begun)
    parts.append(Markup('<path class="grid" d="{}"/>').format(grid))
    parts += [
        Markup('<text transform="translate({} {}) rotate(60)">{}</text>').format(x, bottom + 14, name)
        for x, name in begun
    ]
    for row, (version, line) in enumerate(sorted(lines.items(), reverse=True)):
        y = _TOP + row * _ROW
        for end, x in (("v", _SIDE - 6), ("v end", right + 6)):
            parts.append(Markup(f'<text class="{end}" x="{x}" y="{y + 11}">v{version}</text>'))
        for run in line:
            words = escape(f"version {version}: {run.state}, {names[run.first]} to {names[run.last]}")
            left, wide = _SIDE + run.first * step, (run.last - run.first + 1) * step - 1
            place = f'x="{left}" y="{y + 2}" width="{wide}" height="{_ROW - 4}"'
            parts.append(Markup(f'<rect class="{run.state}" {place}><title>{words}</title></rect>'))
    parts.append(Markup("</svg>"))
    return Markup("").join(parts)


def _words(lines: dict[int, list[Run]], names: Sequence[str]) -> Iterable[str]:
    for version, line in lines.items():
        stays = ", ".join(f"{run.state} from {names[run.first]} to {names[run.last]}" for run in line)
        yield f"version {version} {stays}"


def _line(snapshot: ApiPresence) -> str:
    """The line of releases that a snapshot is of: "2.2" for 2.2.0 and 2.2-IV1; each is named once."""
    release = None if snapshot.unreleased else ReleaseName.parse(snapshot.snapshot)
    return snapshot.snapshot if release is None else release.line_name
