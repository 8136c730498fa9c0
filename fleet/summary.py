"""The summary of a fleet, from its counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from wirebook._version import __version__
from wirebook.docgen.catalog.records import Tool
from wirebook.fleet.applications import CutOffState, SeenApplication, api_uses, report, seen_applications
from wirebook.fleet.counts import Counts, Names
from wirebook.fleet.owners import Owners
from wirebook.fleet.records import (
    ApplicationCounts,
    ApplicationUse,
    DayUse,
    FleetSummary,
    Logs,
    OwnerUse,
    Period,
    Statuses,
    WeekUse,
)
from wirebook.fleet.requests import NO_DAY, Origin
from wirebook.fleet.uses import FleetUses, Use, added_up, grouped, moment, refused
from wirebook.fleet.verdicts import Status, Target
from wirebook.specs.printable import number_of


def summarize(counts: Counts, target: Target, owners: Owners) -> FleetSummary:
    """The summary of what was counted."""
    fleet = FleetUses(counts, target, owners)
    applications = seen_applications(fleet.uses)
    of_clients = list(_own(applications.values(), servers=False))
    between = [
        *_own(applications.values(), servers=True),
        *(use for use in fleet.uses if use.origin is Origin.SERVER),
    ]
    end = added_up(fleet.uses).last
    cut = [seen for seen in applications.values() if seen.is_cut_off]
    reports = {seen.names: report(target, fleet, seen, end) for seen in cut}
    rank = {state.value: number for number, state in enumerate(CutOffState)}
    listed = sorted(
        reports.values(),
        key=lambda row: (rank[row.state], -row.refused, row.name, row.principal, row.owner),
    )
    weeks = _weeks(fleet.uses)
    upgraded = {name for name, use in reports.items() if use.state == CutOffState.UPGRADED}
    breaking = {seen.names: _breaking(weeks, seen, is_upgraded=seen.names in upgraded) for seen in cut}
    numbers = _counts(applications.values(), reports)
    everything = added_up([*of_clients, *between])
    return FleetSummary(
        tool=Tool("wirebook", __version__),
        target=target.release,
        headline=_headline(target, numbers),
        period=Period(moment(everything.first), moment(everything.last)),
        logs=Logs(
            files=len(counts.files),
            lines=counts.lines,
            requests=counts.forms.total(),
            read=dict(sorted(counts.forms.items())),
            skipped=dict(sorted(counts.skipped.items())),
            samples=tuple(counts.samples),
            forwarded=added_up(use for use in fleet.uses if use.origin is Origin.FORWARDED).requests,
        ),
        requests=Statuses(*_by_status(of_clients)),
        applications=numbers,
        cut_off=tuple(listed),
        by_week=tuple(_by_week(weeks, cut, breaking.values())),
        by_owner=tuple(_by_owner(weeks, applications.values(), upgraded, breaking)),
        not_known=tuple(_not_known(fleet, cut, numbers, target)),
        between_brokers=tuple(api_uses(target, between)),
        by_api=tuple(api_uses(target, of_clients)),
        by_day=tuple(_by_day(of_clients)),
    )


def _own(applications: Iterable[SeenApplication], *, servers: bool) -> Iterator[Use]:
    """The requests of applications, or else the ApiVersions requests by which only brokers are known."""
    return (use for seen in applications if seen.is_server == servers for use in seen.own)


def _counts(
    applications: Iterable[SeenApplication], reports: Mapping[Names, ApplicationUse]
) -> ApplicationCounts:
    clients = [seen for seen in applications if not seen.is_server and seen.own]
    worst = [seen.worst for seen in clients]
    states = [use.state for use in reports.values()]
    owners = [use.owner for use in reports.values() if use.state != CutOffState.UPGRADED]
    return ApplicationCounts(
        total=len(clients),
        cut_off=len(owners),
        quiet=states.count(CutOffState.QUIET),
        upgraded=states.count(CutOffState.UPGRADED),
        unknown=worst.count(Status.UNKNOWN),
        deprecated=worst.count(Status.DEPRECATED),
        served=worst.count(Status.SERVED),
        servers=sum(seen.is_server or not seen.own for seen in applications),
        owners=len({owner for owner in owners if owner}),
        unowned=owners.count(""),
    )


def _headline(target: Target, counts: ApplicationCounts) -> str:
    """The answer in a sentence: "65 of 200 applications break at 4.0: 12 owners"."""
    if not counts.cut_off:
        return f"None of {number_of(counts.total, 'application')} breaks at {target.release}"
    breaks = "break" if counts.cut_off > 1 else "breaks"
    words = f"{counts.cut_off:,} of {number_of(counts.total, 'application')} {breaks} at {target.release}"
    owners = [number_of(counts.owners, "owner")] if counts.owners else []
    if counts.unowned:
        owners.append(f"{counts.unowned:,} without an owner")
    return f"{words}: {', '.join(owners)}"


def _not_known(
    fleet: FleetUses, cut: Iterable[SeenApplication], counts: ApplicationCounts, target: Target
) -> Iterator[str]:
    """What the logs do not show."""
    if counts.unknown:
        send = "sends" if counts.unknown == 1 else "send"
        yield (
            f"{number_of(counts.unknown, 'application')} {send} versions that no known release has, or that "
            f"{target.release} has only as unstable ones."
        )
    if counts.unowned:
        breaks = "breaks" if counts.unowned == 1 else "break"
        yield f"The owner of {number_of(counts.unowned, 'application')} that {breaks}."
    days = {use.day for use in fleet.uses if use.day}
    if days and len(days) < 31:
        yield (
            f"Applications that sent nothing on the {number_of(len(days), 'day')} of the logs: a monthly job "
            "appears once a month."
        )
    elif not days:
        yield "Which applications sent nothing, and when the others did: no request has a date."
    undated = sum(not any(use.day for use in refused(seen.own)) for seen in cut)
    if days and undated:
        yield (
            f"When {number_of(undated, 'application')} sent refused requests: those have no date, so the "
            "burn-down does not count them."
        )
    if fleet.stray:
        first, last = min(fleet.stray), max(fleet.stray)
        dated = first if first == last else f"{first} to {last}"
        yield (
            f"The time of {number_of(sum(fleet.stray.values()), 'request')}, dated {dated}: more than a year "
            "without requests separates these days from the others, so a clock was wrong."
        )


def _weeks(uses: Iterable[Use]) -> list[date]:
    """The Mondays of all weeks from the first day of the logs to the last."""
    mondays = {_monday(day) for day in {use.day for use in uses if use.day}}
    if not mondays:
        return []
    first, last = min(mondays), max(mondays)
    return [first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1)]


def _monday(day: str) -> date:
    """The first day of the week of a day."""
    on = date.fromisoformat(day)
    return on - timedelta(days=on.weekday())


def _breaking(weeks: Sequence[date], seen: SeenApplication, *, is_upgraded: bool) -> list[bool]:
    """Whether an application was known to break at the end of each week, and was not upgraded."""
    days = {use.day for use in refused(seen.own) if use.day}
    if not days:
        return [False] * len(weeks)
    first, last = _monday(min(days)), _monday(max(days))
    return [first <= week and not (is_upgraded and last <= week) for week in weeks]


def _by_week(
    weeks: Sequence[date], cut: Iterable[SeenApplication], breaking: Collection[Sequence[bool]]
) -> Iterator[WeekUse]:
    dated = (use for seen in cut for use in refused(seen.own) if use.day)
    sent = grouped(dated, lambda use: _monday(use.day))
    for number, week in enumerate(weeks):
        some = sent.get(week, [])
        yield WeekUse(
            week.isoformat(),
            sum(breaks[number] for breaks in breaking),
            len({use.names for use in some}),
            added_up(some).requests,
        )


def _by_owner(
    weeks: Sequence[date],
    applications: Iterable[SeenApplication],
    upgraded: Collection[Names],
    breaking: Mapping[Names, Sequence[bool]],
) -> Iterator[OwnerUse]:
    teams: dict[str, list[SeenApplication]] = defaultdict(list)
    for seen in applications:
        if not seen.is_server and seen.own:
            teams[seen.names.owner].append(seen)
    uses = []
    for team, some in sorted(teams.items()):
        sent = [use for seen in some for use in seen.own]
        cut = added_up(refused(sent))
        of_team = [seen.names for seen in some if seen.names in breaking]
        uses.append(
            OwnerUse(
                team,
                len(some),
                sum(name not in upgraded for name in of_team),
                added_up(sent).requests,
                cut.requests,
                moment(cut.last),
                tuple(sum(breaking[name][number] for name in of_team) for number in range(len(weeks))),
            )
        )
    yield from sorted(uses, key=lambda item: (-item.cut_off, -item.refused, item.owner))


def _by_status(uses: Iterable[Use]) -> list[int]:
    """The number of requests of each status."""
    numbers = grouped(uses, lambda use: use.status)
    return [added_up(numbers.get(status, ())).requests for status in Status]


def _by_day(uses: Iterable[Use]) -> Iterator[DayUse]:
    for day, some in sorted(grouped(uses, lambda use: use.day or NO_DAY).items()):
        yield DayUse(day, *_by_status(some))
