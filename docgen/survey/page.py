"""The page of a survey: one self-contained file, generated from its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from wirebook.docgen.render.kit.standalone import standalone
from wirebook.docgen.survey.records import ApiRecord, CellRecord, DriftRecord, SurveySummary, TakenOverRecord

LISTED = 500
_STYLE = Path(__file__).with_name("survey.css")
_LEFT, _WIDTH, _LANE = 150, 950, 20


@dataclass(frozen=True, slots=True)
class SurveyedApi:
    """An API or a message, with its versions in each repository; None where a repository has none."""

    api: ApiRecord
    cells: tuple[CellRecord | None, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """The line of a repository."""

    name: str
    y: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a repository, on its lane."""

    drift: DriftRecord
    x: float
    y: int


@dataclass(frozen=True, slots=True)
class Year:
    """Where a year begins."""

    year: int
    x: float


@dataclass(frozen=True, slots=True)
class DriftTimeline:
    """A lane for each repository, with a mark for each of its points."""

    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    years: tuple[Year, ...]
    height: int
    left: int = _LEFT
    right: int = _LEFT + _WIDTH
    width: int = _LEFT + _WIDTH + 10


@dataclass(frozen=True, slots=True)
class Adopted:
    """A release of the reference, the number of its new layouts, and what each repository has had of them."""

    name: str
    day: str
    layouts: int
    shares: dict[str, TakenOverRecord] = field(default_factory=dict)


def survey_page(survey: SurveySummary) -> str:
    """The page, as HTML."""
    names = tuple(repository.name for repository in survey.repositories)
    rows = [_api_row(api, names) for api in survey.apis]
    return standalone(
        "survey.html.jinja",
        _STYLE,
        tool=survey.tool,
        survey=survey,
        names=names,
        apis=[row for row in rows if row.api.api_key is not None],
        others=[row for row in rows if row.api.api_key is None],
        listed=LISTED,
        timeline=_timeline(survey),
        adopted=_adopted(survey.taken_over),
    )


def _api_row(api: ApiRecord, names: Sequence[str]) -> SurveyedApi:
    cells = {cell.repository: cell for cell in api.repositories}
    return SurveyedApi(api, tuple(cells.get(name) for name in names))


def _timeline(survey: SurveySummary) -> DriftTimeline:
    days = [date.fromisoformat(drift.point.day).toordinal() for drift in survey.drift]
    first, last = min(days), max(max(days), min(days) + 1)

    def across(day: int) -> float:
        return _LEFT + _WIDTH * (day - first) / (last - first)

    lanes = {
        repository.name: Lane(repository.name, number * _LANE + 12)
        for number, repository in enumerate(survey.repositories)
    }
    years = range(date.fromordinal(first).year + 1, date.fromordinal(last).year + 1)
    return DriftTimeline(
        tuple(lanes.values()),
        tuple(
            Mark(drift, across(day), lanes[drift.repository].y)
            for drift, day in zip(survey.drift, days, strict=True)
        ),
        tuple(Year(year, across(date(year, 1, 1).toordinal())) for year in years),
        _LANE * len(lanes),
    )


def _adopted(shares: Sequence[TakenOverRecord]) -> list[Adopted]:
    """The releases of the reference in the order of their days."""
    releases: dict[tuple[str, str, int], Adopted] = {}
    for share in shares:
        key = (share.release_day, share.release, share.layouts)
        release = releases.setdefault(key, Adopted(share.release, share.release_day, share.layouts))
        release.shares[share.repository] = share
    return [releases[key] for key in sorted(releases)]
