"""What a survey keeps of one repository: rows of tables, and data to compare across repositories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from wirebook.docgen.survey.compare import Drift, LayoutStatus, Reference, TakenOver, drift, lag, taken_over
from wirebook.docgen.survey.reading import Commit, Point
from wirebook.docgen.survey.states import LayoutHistory, SurveyProblem
from wirebook.docgen.survey.texts import JudgedText, Tag
from wirebook.specs.wire.resemblance import LayoutItem

MOST_PROBLEMS = 20
_WORST = (LayoutStatus.SAME, LayoutStatus.EARLIER, LayoutStatus.MISSING, LayoutStatus.OTHER, LayoutStatus.OWN)

PartOfSubject = tuple[str, str]  # subject and part
ReportRow = dict[str, Any]


class Named(NamedTuple):
    """A message as a repository names it."""

    message: str
    api: str
    api_key: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """A repository, compared with the reference.

    `statuses` has the versions of each subject in the newest state, by status; `names` and `tags` what its
    newest state calls each message and tag, `all_names` every name that an API has had. `newest` and `ever`
    are the layouts as bits (`Bits`).
    """

    name: str
    tip: Commit
    point: Point
    points: int
    commits: int
    texts: int
    left_out: int
    statuses: Mapping[str, Mapping[LayoutStatus, tuple[int, ...]]]
    counts: Mapping[LayoutStatus, int]
    names: Mapping[PartOfSubject, Named]
    all_names: Mapping[str, frozenset[str]]
    tags: Mapping[tuple[PartOfSubject, str, int], Tag]
    all_tags: Mapping[tuple[PartOfSubject, str, int], frozenset[str]]
    newest: int
    ever: int
    drift: tuple[Drift, ...]
    taken_over: tuple[TakenOver, ...]
    problems: int
    sample: tuple[SurveyProblem, ...]


def report_of(layouts: LayoutHistory, reference: Reference, texts: Iterable[JudgedText]) -> Report:
    """The report of a repository; `texts` are all that it has had."""
    history, newest = layouts.history, layouts.newest
    all_names: dict[str, set[str]] = {}
    all_tags: dict[tuple[PartOfSubject, str, int], set[str]] = {}
    for text in texts:
        all_names.setdefault(text.subject, set()).add(text.api)
        for tag in text.tags:
            all_tags.setdefault(((text.subject, text.part), tag.within, tag.tag), set()).add(tag.field)
    tags: dict[tuple[PartOfSubject, str, int], Tag] = {}
    for text in newest.texts:
        for tag in text.tags:
            # The highest version comes first.
            tags.setdefault(((text.subject, text.part), tag.within, tag.tag), tag)
    statuses, counts = _statuses(layouts, reference)
    items = [LayoutItem(place, fingerprint) for place, fingerprint in newest.items.items()]
    problems = sorted(layouts.problems, key=lambda problem: (not problem.is_in_newest, problem))
    return Report(
        name=history.name,
        tip=history.tip,
        point=newest.point,
        points=len(history.points),
        commits=history.commits,
        texts=layouts.texts,
        left_out=history.left_out,
        statuses=statuses,
        counts=counts,
        names={
            (text.subject, text.part): Named(text.message, text.api, text.api_key) for text in newest.texts
        },
        all_names={subject: frozenset(names) for subject, names in all_names.items()},
        tags=tags,
        all_tags={key: frozenset(names) for key, names in all_tags.items()},
        newest=reference.bits.mask(items).items,
        ever=reference.bits.mask(layouts.since).items,
        drift=tuple(drift(layouts, reference)),
        taken_over=tuple(taken_over(layouts, reference)),
        problems=len(problems),
        sample=tuple(problems[:MOST_PROBLEMS]),
    )


def _statuses(
    layouts: LayoutHistory, reference: Reference
) -> tuple[dict[str, dict[LayoutStatus, tuple[int, ...]]], dict[LayoutStatus, int]]:
    """The versions of each subject in the newest state by the worst status of its parts, and all statuses."""
    counts = dict.fromkeys(LayoutStatus, 0)
    worst: dict[tuple[str, int], LayoutStatus] = {}
    items = layouts.newest.items
    for place in {*items, *reference.newest}:
        layout = items.get(place)
        status = LayoutStatus.MISSING if layout is None else reference.status(LayoutItem(place, layout))
        counts[status] += 1
        key = (place.subject, place.version)
        worst[key] = max(worst.get(key, LayoutStatus.SAME), status, key=_WORST.index)
    statuses: dict[str, dict[LayoutStatus, tuple[int, ...]]] = {}
    for subject, version in sorted(worst):
        of = statuses.setdefault(subject, {})
        status = worst[subject, version]
        of[status] = (*of.get(status, ()), version)
    return statuses, counts


def layout_rows(
    layouts: LayoutHistory, reference: Reference, texts: Iterable[JudgedText]
) -> Iterator[ReportRow]:
    """The rows of the table of layouts: all that a repository has had."""
    names = {(text.subject, text.part): Named(text.message, text.api, text.api_key) for text in texts}
    newest = layouts.newest
    names |= {(text.subject, text.part): Named(text.message, text.api, text.api_key) for text in newest.texts}
    for layout in sorted(layouts.since):
        since, key = layouts.since[layout], layout.place
        named = names[key.subject, key.part]
        reference_day = reference.since.get(layout)
        yield {
            "repository": layouts.history.name,
            "subject": key.subject,
            "part": key.part,
            "message": named.message,
            "api": named.api,
            "api_key": named.api_key,
            "version": key.version,
            "fingerprint": layout.fingerprint,
            "status": str(reference.status(layout)),
            "in_newest": newest.items.get(key) == layout.fingerprint,
            "first_day": since.day,
            "first_commit": since.commit,
            "first_release": since.release,
            "first_release_day": since.release_day,
            "reference_day": None if reference_day is None else reference_day.day,
            "days": None if reference_day is None else lag(since, reference_day),
        }


def texts_of(layouts: LayoutHistory, judged: Mapping[str, JudgedText]) -> list[JudgedText]:
    """All readable specs that a repository has had, by their objects."""
    objects = {file.object for file in layouts.history.files}
    texts = [judged[name] for name in sorted(objects)]
    return [text for text in texts if text.places and text.error is None]
