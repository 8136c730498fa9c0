"""The summary of a survey, from the reports of its repositories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook._version import __version__
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.survey.compare import Drift, LayoutStatus
from wirebook.docgen.survey.reading import TIP, Point
from wirebook.docgen.survey.records import (
    ApiRecord,
    CellRecord,
    Collisions,
    DifferenceRecord,
    DriftRecord,
    KeyCollision,
    Meaning,
    PointRecord,
    ProblemRecord,
    RepositoryRecord,
    StatusCounts,
    SurveySummary,
    TagCollision,
    TakenOverRecord,
    VersionCollision,
)
from wirebook.docgen.survey.report import PartOfSubject, Report
from wirebook.specs.model import PRIMITIVES
from wirebook.specs.versions import VersionSet
from wirebook.specs.wire.resemblance import Bits, LayoutItem, LayoutKey, StateDifference

_API = "api:"
_Held = Sequence[tuple[LayoutItem, int]]
_Found = list[tuple[str, list[Report]]]


def summarize(reports: Sequence[Report], bits: Bits, texts: int) -> SurveySummary:
    """The document of a survey; the first report is that of the reference."""
    keys = tuple(_keys(reports, bits))
    collided = {f"{_API}{item.api_key}" for item in keys}
    return SurveySummary(
        tool=Tool("wirebook", __version__),
        reference=reports[0].name,
        texts=texts,
        repositories=tuple(map(_repository, reports)),
        apis=tuple(_apis(reports)),
        collisions=Collisions(keys, tuple(_tags(reports)), tuple(_versions(reports, bits, collided))),
        drift=tuple(_drift(report.name, each) for report in reports for each in report.drift),
        taken_over=tuple(
            TakenOverRecord(report.name, *each) for report in reports[1:] for each in report.taken_over
        ),
    )


def _point(point: Point) -> PointRecord:
    return PointRecord(point.kind, point.name, point.commit, point.day)


def _difference(difference: StateDifference) -> DifferenceRecord:
    return DifferenceRecord(difference.differing, *difference)


def _drift(name: str, drift: Drift) -> DriftRecord:
    return DriftRecord(name, _point(drift.point), drift.nearest, _difference(drift.difference))


def _repository(report: Report) -> RepositoryRecord:
    newest = next(each for each in report.drift if each.point == report.point)
    return RepositoryRecord(
        name=report.name,
        newest=_point(report.point),
        tip=PointRecord(TIP, "HEAD", report.tip.name, report.tip.day),
        commits=report.commits,
        points=report.points,
        texts=report.texts,
        layouts=StatusCounts(*(report.counts[status] for status in LayoutStatus)),
        nearest=newest.nearest,
        difference=_difference(newest.difference),
        problems=report.problems,
        sample_of_problems=tuple(ProblemRecord(*problem) for problem in report.sample),
        left_out_tags=report.left_out,
    )


def _apis(reports: Sequence[Report]) -> Iterator[ApiRecord]:
    """Every API by its key, then the other messages by name; the reference's name where it has one."""
    names: dict[str, tuple[str, int | None]] = {}
    apis: dict[str, dict[str, str]] = {report.name: {} for report in reports}
    for report in reports:
        for (subject, _), named in sorted(report.names.items()):
            apis[report.name].setdefault(subject, named.api)
            names.setdefault(subject, (named.api, named.api_key if subject.startswith(_API) else None))
    for subject in sorted(names, key=lambda subject: (names[subject][1] is None, *_order(names[subject]))):
        name, key = names[subject]
        with_subject = (report for report in reports if subject in report.statuses)
        cells = tuple(_cell(report, subject, apis[report.name].get(subject, "")) for report in with_subject)
        yield ApiRecord(subject, name, key, cells)


def _order(named: tuple[str, int | None]) -> tuple[int, str]:
    return (named[1] or 0, named[0])


def _cell(report: Report, subject: str, api: str) -> CellRecord:
    versions = {status: VersionSet.of(numbers).text for status, numbers in report.statuses[subject].items()}
    numbers = [
        number
        for status, numbers in report.statuses[subject].items()
        if status is not LayoutStatus.MISSING
        for number in numbers
    ]
    return CellRecord(
        report.name,
        api,
        VersionSet.of(numbers).text,
        **{str(status): versions[status] for status in LayoutStatus if status in versions},
    )


# -- collisions -----------------------------------------------------------------------------------


def _keys(reports: Sequence[Report], bits: Bits) -> Iterator[KeyCollision]:
    """Keys under which repositories have APIs that are not one API with two names."""
    reports_by_key: dict[int, dict[str, list[Report]]] = {}
    for report in reports:
        apis = {
            (named.api_key, named.api)
            for (subject, _), named in report.names.items()
            if named.api_key is not None and subject.startswith(_API)
        }
        for key, api in apis:
            reports_by_key.setdefault(key, {}).setdefault(api, []).append(report)
    of_subject: dict[str, list[tuple[LayoutItem, int]]] = {}
    for item, number in bits.items.items():
        of_subject.setdefault(item.place.subject, []).append((item, number))
    for key, by_name in sorted(reports_by_key.items()):
        subject = f"{_API}{key}"
        groups: list[list[str]] = []
        for name in sorted(by_name):
            alike = [
                group
                for group in groups
                if any(_is_one_api(by_name, name, other, subject, of_subject[subject]) for other in group)
            ]
            groups = [group for group in groups if group not in alike]
            groups.append(sorted([name, *(other for group in alike for other in group)]))
        if len(groups) > 1:
            yield KeyCollision(
                key,
                _meanings(
                    (" or ".join(group), [report for name in group for report in by_name[name]])
                    for group in groups
                ),
            )


def _is_one_api(
    by_name: Mapping[str, Sequence[Report]],
    one: str,
    other: str,
    subject: str,
    items: _Held,
) -> bool:
    """Whether two names are of one API: they differ in case only, a repository has had both, or all their
    bytes in common agree.
    """
    if one.casefold() == other.casefold():
        return True
    both = {one, other}
    if any(both <= report.all_names.get(subject, set()) for some in by_name.values() for report in some):
        return True
    for report_of_one in by_name[one]:
        for report_of_other in by_name[other]:
            mine, others = (_of_subject(report, items) for report in (report_of_one, report_of_other))
            shared = mine.keys() & others.keys()
            if shared and all(mine[place] == others[place] for place in shared):
                return True
    return False


def _of_subject(report: Report, items: _Held) -> dict[LayoutKey, str]:
    """The bytes of each version that the newest state of a repository has, of the layouts of one subject."""
    return {item.place: item.fingerprint for item, number in items if report.newest >> number & 1}


def _tags(reports: Sequence[Report]) -> Iterator[TagCollision]:
    """Tags of a struct of one message that are different fields, none of which was renamed to the other.

    The case of a name and the name of a struct do not matter: libraries have their own.
    """
    meanings: dict[tuple[PartOfSubject, str, int], dict[tuple[str, str], list[Report]]] = {}
    for report in reports:
        for key, tag in report.tags.items():
            struct = "[]" if tag.type.startswith("[]") else ""
            kind = tag.type if tag.type.removeprefix("[]") in PRIMITIVES else struct
            meanings.setdefault(key, {}).setdefault((tag.field.casefold(), kind), []).append(report)
    for (message, within, number), reports_by_meaning in sorted(meanings.items()):
        tags = {
            meaning: some[0].tags[message, within, number] for meaning, some in reports_by_meaning.items()
        }
        names = {tag.field for tag in tags.values()}
        all_meanings = [
            report.all_tags[message, within, number]
            for some in reports_by_meaning.values()
            for report in some
        ]
        if len(reports_by_meaning) > 1 and not (
            len(names) > 1 and any(names <= each for each in all_meanings)
        ):
            title = next(
                report.names[message].message for some in reports_by_meaning.values() for report in some
            )
            groups = (
                (f"{tags[meaning].field}: {tags[meaning].type}", some)
                for meaning, some in reports_by_meaning.items()
            )
            yield TagCollision(title, within, number, _meanings(groups))


def _versions(reports: Sequence[Report], bits: Bits, collided: set[str]) -> Iterator[VersionCollision]:
    """Versions that have different bytes in the newest states of two repositories, without those of the
    subjects in `collided`.
    """
    by_place: dict[LayoutKey, _Found] = {}
    for item, number in bits.items.items():
        some = [report for report in reports if report.newest >> number & 1]
        if some and item.place.subject not in collided:
            by_place.setdefault(item.place, []).append((item.fingerprint, some))
    for place, groups in sorted(by_place.items()):
        if len(groups) > 1:
            title = groups[0][1][0].names[place.subject, place.part].message
            yield VersionCollision(title, place.version, _meanings(groups))


def _meanings(groups: Iterable[tuple[str, Sequence[Report]]]) -> tuple[Meaning, ...]:
    """The meanings, that of most repositories first."""
    result = [Meaning(meaning, tuple(report.name for report in some)) for meaning, some in groups]
    return tuple(sorted(result, key=lambda each: (-len(each.repositories), each.meaning)))
