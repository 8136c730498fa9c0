"""The summary of a fleet, from its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain
from pathlib import Path

from wirebook._version import __version__
from wirebook.docgen.catalog.records import Tool
from wirebook.fleet.applications.naming import Names
from wirebook.fleet.applications.owners import NOBODY, Owners
from wirebook.fleet.applications.patterns import ANY
from wirebook.fleet.page.applications import (
    CutOffState,
    SeenApplication,
    api_uses,
    report,
    seen_applications,
)
from wirebook.fleet.page.records import (
    ApplicationCounts,
    ApplicationUse,
    ChangedApplication,
    ClusterEvidence,
    Comparison,
    DayUse,
    Disagreed,
    FileProblem,
    FleetSummary,
    Logs,
    MetricUse,
    OwnerUse,
    Period,
    SourceUse,
    Statuses,
    Unfinished,
    WeekUse,
)
from wirebook.fleet.page.uses import (
    FleetTables,
    UsedVersion,
    added_up,
    grouped,
    moment,
    over_days,
    refused,
    version_uses,
)
from wirebook.fleet.requests import BROKERS_SEND, LineForm, Origin
from wirebook.fleet.tables.state import FleetState
from wirebook.fleet.verdicts.advice import API_VERSIONS, api_name
from wirebook.fleet.verdicts.verdicts import Status, Target
from wirebook.specs.printable import number_of

MOST_LISTED = 1_000
_EVIDENT_DAYS = 3


def summarize(
    folder: Path,
    target: Target,
    state: FleetState,
    owners: Owners,
    baseline: Path | None,
    unfinished: Mapping[str, int],
) -> FleetSummary:
    """The summary of the tables in a folder. Raises InputError if a table cannot be read."""
    fleet = FleetTables(folder, target, owners, hidden=bool(state.key))
    applications = seen_applications(fleet.uses)
    of_clients, between = _counted(fleet, applications.values())
    counted = [*of_clients, *between]
    end = added_up(fleet.logged).last
    evidence = target.evidence(_served(fleet.logged))
    cluster = ClusterEvidence(
        evidence.releases, tuple(f"{api_name(key)} v{version}" for key, version in sorted(evidence.beyond))
    )
    cut = [seen for seen in applications.values() if seen.is_cut_off]
    reports = {seen.names: report(target, fleet, seen, evidence, end) for seen in cut}
    rank = {state.value: number for number, state in enumerate(CutOffState)}
    listed = sorted(
        reports.values(),
        key=lambda row: (rank[row.state], -row.refused, row.name, row.principal, row.owner),
    )
    weeks = _weeks(fleet.logged)
    upgraded = {name for name, use in reports.items() if use.state == CutOffState.UPGRADED}
    breaking = {seen.names: _breaking(weeks, seen, is_upgraded=seen.names in upgraded) for seen in cut}
    versions, left_out = version_uses(fleet, counted)
    counts = _counts(applications.values(), reports)
    by_metric = tuple(_metrics(fleet.metrics, fleet.logged))
    return FleetSummary(
        tool=Tool("wirebook", __version__),
        target=target.release,
        headline=_headline(target, counts, by_metric),
        period=_period(counted),
        logs=_logs(fleet, state, unfinished),
        requests=Statuses(*_by_status(of_clients)),
        applications=counts,
        cut_off=tuple(listed),
        by_week=tuple(_by_week(weeks, cut, breaking.values())),
        by_owner=tuple(_by_owner(weeks, applications.values(), upgraded, breaking)),
        not_known=tuple(_not_known(fleet, cut, counts, by_metric, target, cluster)),
        sources=tuple(_sources(state, owners, target)),
        metrics=by_metric,
        cluster=cluster,
        disagreements=tuple(
            Disagreed(api_name(key), version, specs.value, probe.value)
            for (key, version), (specs, probe) in sorted(target.disagreements.items())
        ),
        between_brokers=tuple(api_uses(target, between)),
        by_api=tuple(api_uses(target, of_clients)),
        by_day=tuple(_by_day(of_clients)),
        by_version=versions,
        by_version_left_out=left_out,
        baseline=None
        if baseline is None
        else _comparison(FleetTables(baseline, target, owners, hidden=bool(state.key)), fleet, applications),
    )


def _counted(
    fleet: FleetTables, applications: Collection[SeenApplication]
) -> tuple[list[UsedVersion], list[UsedVersion]]:
    """The requests of clients, and those between brokers: each counts once, as a log has it if one does."""
    logged = {(use.api_key, use.version) for use in fleet.logged}
    unlogged = [use for use in fleet.metrics if (use.api_key, use.version) not in logged]
    own = list(_own(applications, servers=False))
    return [
        *(use for use in own if use.origin.is_logged),
        *(use for use in unlogged if use.api_key not in BROKERS_SEND),
    ], [
        *_own(applications, servers=True),
        *(use for use in fleet.logged if use.origin is Origin.SERVER),
        *(use for use in unlogged if use.api_key in BROKERS_SEND),
    ]


def _own(applications: Iterable[SeenApplication], *, servers: bool) -> Iterator[UsedVersion]:
    """The requests of applications, or else the ApiVersions requests by which only brokers are known."""
    return (use for seen in applications if seen.is_server == servers for use in seen.own)


def _served(uses: Iterable[UsedVersion]) -> set[tuple[int, int]]:
    """What the log shows as served on each of its last days: an upgrade of the cluster is no evidence.

    A broker logs ApiVersions in versions that it does not have, too.
    """
    by_day: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for use in uses:
        if use.origin in (Origin.CLIENT, Origin.SERVER) and use.api_key != API_VERSIONS:
            by_day[use.day].add((use.api_key, use.version))
    last = [by_day[day] for day in sorted(by_day)[-_EVIDENT_DAYS:]]
    return set.intersection(*last) if last else set()


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


def _headline(target: Target, counts: ApplicationCounts, metrics: Sequence[MetricUse]) -> str:
    """The answer in a sentence: "65 of 200 applications break at 4.0: 12 owners"."""
    unseen = _unseen(metrics)
    if not counts.total:
        number = sum(use.requests for use in metrics if use.status == Status.REFUSED)
        if number:
            are_refused = f"{number_of(number, 'request')} {'is' if number == 1 else 'are'} refused"
            return f"{are_refused} at {target.release}; metrics do not name applications"
        served = f"; no request that metrics count is refused at {target.release}" if metrics else ""
        return f"No source names an application{served}"
    if not counts.cut_off:
        words = f"None of {number_of(counts.total, 'application')} breaks at {target.release}"
        requests = number_of(unseen, "refused request")
        return f"{words}, but metrics count {requests} that no log shows" if unseen else words
    breaks = "break" if counts.cut_off > 1 else "breaks"
    words = f"{counts.cut_off:,} of {number_of(counts.total, 'application')} {breaks} at {target.release}"
    owners = [number_of(counts.owners, "owner")] if counts.owners else []
    if counts.unowned:
        owners.append(f"{counts.unowned:,} without an owner")
    return f"{words}: {', '.join(owners)}"


def _unseen(metrics: Iterable[MetricUse]) -> int:
    """The requests that metrics count, the target refuses, and no request log shows."""
    return sum(use.requests for use in metrics if use.status == Status.REFUSED and not use.in_log)


def _sources(state: FleetState, owners: Owners, target: Target) -> Iterator[SourceUse]:
    """What the statements of the summary depend on."""
    metrics = sum(state.forms[form] for form in (LineForm.PROMETHEUS, LineForm.JMX))
    telemetry, probes = state.forms[LineForm.TELEMETRY], state.forms[LineForm.PROBE]
    logged = state.forms.total() - metrics - telemetry - probes
    if logged:
        yield SourceUse("request log", logged, "which application sends which version, and when last")
    if metrics:
        shows = "which versions are sent, and by which software if they are deprecated (KIP-896)"
        yield SourceUse("metrics of brokers", metrics, shows)
    if telemetry:
        shows = "which client instances there are, with their software (KIP-714)"
        yield SourceUse("client telemetry", telemetry, shows)
    if probes:
        yield SourceUse("output of wirebook probe", probes, "which requests the probe itself has sent")
    if target.probed is not None:
        yield SourceUse("probe of the target", len(target.probed), "which versions its brokers list")
    yield SourceUse("specs of the target", len(target.broker.versions), "which versions it serves")
    if owners:
        entries = len(owners.teams) + len(owners.applications)
        yield SourceUse("owners file", entries, "who owns an application")


def _not_known(
    fleet: FleetTables,
    cut: Iterable[SeenApplication],
    counts: ApplicationCounts,
    metrics: Sequence[MetricUse],
    target: Target,
    cluster: ClusterEvidence,
) -> Iterator[str]:
    """What no source shows."""
    unseen = _unseen(metrics)
    if unseen:
        yield (
            f"Metrics count {number_of(unseen, 'request')} that {target.release} refuses and no request log "
            "shows: which applications send them is not known."
        )
    if counts.unknown:
        send = "sends" if counts.unknown == 1 else "send"
        yield (
            f"{number_of(counts.unknown, 'application')} {send} versions that no known release has, or that "
            f"{target.release} has only as unstable ones."
        )
    if counts.unowned:
        breaks = "breaks" if counts.unowned == 1 else "break"
        yield f"The owner of {number_of(counts.unowned, 'application')} that {breaks}."
    days = {use.day for use in fleet.logged if use.day}
    if days and len(days) < 31:
        yield (
            f"Applications that sent nothing on the {number_of(len(days), 'day')} of the logs: a monthly job "
            "appears once a month."
        )
    elif fleet.logged and not days:
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
    if cluster.beyond:
        yield (
            f"Why the cluster serves {', '.join(cluster.beyond)}: it is otherwise like {target.release}, "
            "whose specs lack this. It may be in the middle of an upgrade."
        )
    if target.disagreements:
        number = number_of(len(target.disagreements), "version")
        yield f"Why the probe and the specs of {target.release} disagree about {number}: the probe counts."


def _metrics(metrics: Sequence[UsedVersion], logged: Iterable[UsedVersion]) -> Iterator[MetricUse]:
    """The requests of clients that metrics count and the target does not simply serve."""
    in_logs = {(use.software, use.software_version, use.api_key, use.version) for use in logged}
    versions = {(key, version) for _, _, key, version in in_logs}
    for use, _ in sorted(over_days(metrics), key=lambda item: (-item[0].requests, item[0])):
        if use.status is Status.SERVED or use.api_key in BROKERS_SEND:
            continue
        is_named = use.software != "unknown"
        in_log = (use[2:6] in in_logs) if is_named else (use.api_key, use.version) in versions
        yield MetricUse(
            use.software,
            use.software_version,
            api_name(use.api_key),
            use.version,
            use.status.value,
            use.requests,
            moment(use.last),
            in_log,
        )


def _weeks(logged: Iterable[UsedVersion]) -> list[date]:
    """The Mondays of all weeks from the first day of the logs to the last."""
    mondays = {_monday(day) for day in {use.day for use in logged if use.day}}
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


def _by_status(uses: Iterable[UsedVersion]) -> list[int]:
    """The number of requests of each status."""
    numbers = grouped(uses, lambda use: use.status)
    return [added_up(numbers.get(status, ())).requests for status in Status]


def _by_day(uses: Iterable[UsedVersion]) -> Iterator[DayUse]:
    for day, some in sorted(grouped(uses, lambda use: use.day or "unknown").items()):
        yield DayUse(day, *_by_status(some))


def _comparison(
    before: FleetTables, now: FleetTables, seen_now: Mapping[Names, SeenApplication]
) -> Comparison:
    """What has changed since an earlier output, both judged by the same target."""
    seen_before = seen_applications(before.uses)
    groups_before, groups_now = _comparable(seen_before.values(), seen_now.values(), before, now)
    broken_before, broken_now = (
        {names for names, some in groups.items() if any(seen.breaks for seen in some)}
        for groups in (groups_before, groups_now)
    )

    def changed(groups: Iterable[Names]) -> tuple[ChangedApplication, ...]:
        changes = []
        for names in sorted(groups):
            some_before, some_now = groups_before.get(names, []), groups_now.get(names, [])
            some, fleet = (some_now, now) if some_now else (some_before, before)
            numbers = (
                added_up(use for seen in side for use in refused(seen.own)).requests
                for side in (some_before, some_now)
            )
            shown = fleet.shown(some[0].names) if len(some) == 1 else names.application
            owners = {seen.names.owner for seen in some}
            owner = owners.pop() if len(owners) == 1 else NOBODY
            changes.append(ChangedApplication(shown, names.principal, owner, *numbers))
        return tuple(sorted(changes, key=lambda item: -max(item.refused_before, item.refused_now)))

    return Comparison(
        _period(chain(*_counted(before, seen_before.values()))),
        changed(broken_now - broken_before),
        changed(broken_before - broken_now),
        len(broken_now & broken_before),
    )


def _comparable(
    seen_before: Iterable[SeenApplication],
    seen_now: Iterable[SeenApplication],
    before: FleetTables,
    now: FleetTables,
) -> Iterator[dict[Names, list[SeenApplication]]]:
    """The applications of two outputs by what both can compare: without the owner if that has changed."""
    sides = [[(before.beside(now, seen.names), seen) for seen in side] for side in (seen_before, seen_now)]
    owners: list[dict[tuple[str, str], set[str]]] = []
    for side in sides:
        owners.append(defaultdict(set))
        for names, _ in side:
            owners[-1][names.application, names.principal].add(names.owner)
    for side in sides:
        groups: dict[Names, list[SeenApplication]] = defaultdict(list)
        for names, seen in side:
            of_before, of_now = (by_name[names.application, names.principal] for by_name in owners)
            ended, new = of_before - of_now, of_now - of_before
            has_changed = ended and new and names.owner in ended | new
            groups[names._replace(owner=NOBODY) if has_changed else names].append(seen)
        yield dict(groups)


def _period(uses: Iterable[UsedVersion]) -> Period:
    span = added_up(uses)
    return Period(moment(span.first), moment(span.last))


def _logs(fleet: FleetTables, state: FleetState, unfinished: Mapping[str, int]) -> Logs:
    return Logs(
        requests=state.forms.total(),
        read=dict(sorted(state.forms.items())),
        skipped=dict(sorted(state.skipped.items())),
        samples=tuple(state.samples),
        problems=tuple(FileProblem(*problem) for problem in state.problems),
        unfinished=tuple(Unfinished(*item) for item in sorted(unfinished.items())[:MOST_LISTED]),
        forwarded=sum(use.requests for use in fleet.uses if use.origin is Origin.FORWARDED),
        by_beginning=sum(use.requests for use in fleet.uses if use.names.application.endswith(ANY)),
        pseudonyms=bool(state.key),
    )
