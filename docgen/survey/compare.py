"""One repository against the reference: the status of each layout, drift, and what it adopted when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from statistics import median_low
from typing import NamedTuple

from wirebook.docgen.survey.reading import RELEASE, Point
from wirebook.docgen.survey.states import FirstSeen, LayoutHistory, SurveyState
from wirebook.specs.wire.resemblance import Bits, LayoutItem, LayoutKey, Mask, StateDifference, origins


class LayoutStatus(StrEnum):
    """The status of a version of a message in a repository, relative to the reference.

    `SAME` has the bytes that the reference has, or had last; `EARLIER` those that it once had, `OTHER` bytes
    that it never had in this version; `OWN` is a version that it never had; `MISSING` one that only the
    newest state of the reference has.
    """

    SAME = "same"
    EARLIER = "earlier"
    OTHER = "other"
    OWN = "own"
    MISSING = "missing"


class ReferenceRelease(NamedTuple):
    """A release of the reference and what it has."""

    point: Point
    mask: Mask
    new: tuple[LayoutItem, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """What the others are compared with.

    `last` has the bytes of each version that the reference has had, those of its newest state that has it.
    `releases` are its releases, or all its points if it has none, each with the layouts that it brought.
    """

    name: str
    bits: Bits
    since: Mapping[LayoutItem, FirstSeen]
    last: Mapping[LayoutKey, str]
    newest: Mapping[LayoutKey, str]
    releases: tuple[ReferenceRelease, ...]

    @classmethod
    def of(cls, layouts: LayoutHistory, bits: Bits) -> Reference:
        """The reference of a survey; `bits` number the layouts of all repositories."""
        last: dict[LayoutKey, str] = {}
        for layout_item, _ in sorted(layouts.since.items(), key=lambda pair: (pair[1].day, pair[0])):
            last[layout_item.place] = layout_item.fingerprint
        for state in sorted(layouts.states, key=lambda state: state.point.kind == RELEASE):
            last.update(state.items)
        with_items = [state for state in layouts.states if state.items]
        states = [state for state in with_items if state.point.kind == RELEASE] or with_items
        first: dict[LayoutItem, str] = {}
        for state in sorted(states, key=lambda state: state.point.day):
            for layout_item in _items(state):
                first.setdefault(layout_item, state.point.name)
        new: dict[str, list[LayoutItem]] = {}
        for layout_item in sorted(first):
            new.setdefault(first[layout_item], []).append(layout_item)
        return cls(
            layouts.history.name,
            bits,
            layouts.since,
            last,
            layouts.newest.items,
            tuple(
                ReferenceRelease(state.point, bits.mask(_items(state)), tuple(new.get(state.point.name, ())))
                for state in states
            ),
        )

    def status(self, item: LayoutItem) -> LayoutStatus:
        """The status of a layout that some repository has."""
        last = self.last.get(item.place)
        if last is None:
            return LayoutStatus.OWN
        if last == item.fingerprint:
            return LayoutStatus.SAME
        return LayoutStatus.EARLIER if item in self.since else LayoutStatus.OTHER


class Drift(NamedTuple):
    """A point of a repository, the releases of the reference that have most of it, and how much it differs.

    These are the releases from which the site of the repository states that it derives.
    """

    point: Point
    nearest: tuple[str, ...]
    difference: StateDifference


def drift(layouts: LayoutHistory, reference: Reference) -> Iterator[Drift]:
    """How far each point that has specs is from the nearest release of the reference."""
    nearest_by_items: dict[int, tuple[tuple[str, ...], StateDifference]] = {}
    masks = [release.mask for release in reference.releases]
    for state in layouts.states:
        if not state.items:
            continue
        near = nearest_by_items.get(id(state.items))
        if near is None:
            numbers, least = origins(reference.bits.mask(_items(state)), masks)
            names = tuple(reference.releases[number].point.name for number in numbers)
            near = nearest_by_items[id(state.items)] = (names, least)
        yield Drift(state.point, *near)


class TakenOver(NamedTuple):
    """What a repository has of the layouts that a release of the reference introduced, and when it had them.

    `days` is the median of the days from the first commit or release of the reference with a layout to that
    of the repository; `first` and `last` are the days of the repository.
    """

    release: str
    release_day: str
    layouts: int
    taken: int
    first: str | None
    last: str | None
    days: int | None


def taken_over(layouts: LayoutHistory, reference: Reference) -> Iterator[TakenOver]:
    """What a repository adopted of each release, oldest first, without those that introduced nothing."""
    for release in sorted(reference.releases, key=lambda release: release.point.day):
        since = [
            (layout_item, layouts.since[layout_item])
            for layout_item in release.new
            if layout_item in layouts.since
        ]
        if release.new:
            days = sorted(each.day for _, each in since)
            lags = [lag(each, reference.since[layout_item]) for layout_item, each in since]
            yield TakenOver(
                release.point.name,
                release.point.day,
                len(release.new),
                len(since),
                days[0] if days else None,
                days[-1] if days else None,
                median_low(lags) if lags else None,
            )


def lag(first: FirstSeen, other: FirstSeen) -> int:
    """The days between two first days."""
    return (date.fromisoformat(first.day) - date.fromisoformat(other.day)).days


def _items(state: SurveyState) -> list[LayoutItem]:
    return [LayoutItem(place, fingerprint) for place, fingerprint in state.items.items()]
