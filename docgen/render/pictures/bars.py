"""Stacked bars over time: where each is in the picture. Templates draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 900, 160


@dataclass(frozen=True, slots=True)
class Amount:
    """One part of a bar: what it counts, which is also its class, and the words for its number."""

    kind: str
    number: int
    words: str


@dataclass(frozen=True, slots=True)
class BarPeriod:
    """A day or a month: its name, the text below its bar, if any, and its amounts from the bottom up."""

    name: str
    label: str
    amounts: Sequence[Amount]

    @property
    def total(self) -> int:
        """The sum of its amounts."""
        return sum(amount.number for amount in self.amounts)


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a column, as high as its share of the largest total."""

    kind: str
    y: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class BarColumn:
    """What is above one period, and the text below it."""

    x: float
    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """A picture of periods; `largest` is the largest total."""

    largest: int
    bar_width: float
    columns: tuple[BarColumn, ...]
    width: int = WIDTH
    height: int = HEIGHT


def bar_chart(periods: Sequence[BarPeriod], widest: int = WIDTH) -> BarChart:
    """The bars of at least one period, each at most `widest` wide."""
    largest = max(period.total for period in periods)
    step = WIDTH / len(periods)
    columns = tuple(
        BarColumn(step * position, period.label, _bars(period, largest))
        for position, period in enumerate(periods)
    )
    return BarChart(largest, min(max(step - 1, 1), widest), columns)


def _bars(period: BarPeriod, largest: int) -> tuple[Bar, ...]:
    bars, top = [], float(HEIGHT)
    for amount in period.amounts:
        if amount.number:
            height = HEIGHT * amount.number / largest
            top -= height
            bars.append(Bar(amount.kind, top, height, f"{period.name}: {amount.words}"))
    return tuple(bars)
