"""The summary of a fleet, from its tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook._version import __version__
from wirebook.docgen.catalog.records import Tool
from wirebook.docgen.fleet import tables
from wirebook.docgen.fleet.records import (
    ApiUse,
    ChangedClient,
    ClientCounts,
    ClientsComparison,
    ClientUse,
    DayUse,
    FileProblem,
    FleetSummary,
    Logs,
    OwnerUse,
    Period,
    SampleLine,
    Statuses,
    Unfinished,
)
from wirebook.docgen.fleet.state import FleetState
from wirebook.docgen.fleet.successors import QUIET_DAYS, CutOffState, Successors, successors
from wirebook.docgen.fleet.uses import Client, RequestSpan, UsedVersion, moment, uses_of, version_uses
from wirebook.live.fleet.advice import BROKERS_SEND, Sent, action, advice, api_name, software_of
from wirebook.live.fleet.owners import Owners
from wirebook.live.fleet.requests import OTHER
from wirebook.live.fleet.verdicts import Status, Target
from wirebook.specs.versions import VersionSet

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

MOST_LISTED = 1_000


def summarize(
    folder: Path,
    target: Target,
    state: FleetState,
    owners: Owners,
    baseline: Path | None,
    unfinished: Mapping[str, int],
) -> FleetSummary:
    """The summary of the tables in a folder. Raises InputError if a table cannot be read."""
    table = tables.read_all(folder)
    uses = list(uses_of(table, owners))
    by_client: dict[Client, list[UsedVersion]] = defaultdict(list)
    for use in uses:
        by_client[use.client].append(use)
    last = max((use.last for use in uses if use.last), default=None)
    versions, left_out = version_uses(target, uses)
    worst = {client: _worst(target, some) for client, some in by_client.items()}
    cut = [client for client, status in worst.items() if status is Status.REFUSED]
    later = successors(by_client, worst)
    reports = [_client(target, client, by_client[client], last, later) for client in cut]
    rank = {state.value: number for number, state in enumerate(CutOffState)}
    reports.sort(
        key=lambda item: (rank[item.state], -item.refused, item.software, item.client_id, item.principal)
    )
    states = {Client(*_who(report)): CutOffState(report.state) for report in reports}
    breaks = {client for client, state in states.items() if state is not CutOffState.UPGRADED}
    return FleetSummary(
        tool=Tool("wirebook", __version__),
        target=target.release,
        period=_period(uses),
        logs=_logs(uses, state, unfinished),
        requests=_statuses(target, uses),
        clients=_client_counts(worst, states),
        cut_off=tuple(reports[:MOST_LISTED]),
        cut_off_left_out=max(0, len(reports) - MOST_LISTED),
        between_brokers=tuple(_apis(target, [use for use in uses if use.api_key in BROKERS_SEND])),
        by_api=tuple(_apis(target, [use for use in uses if use.api_key not in BROKERS_SEND])),
        by_owner=tuple(_by_owner(target, by_client, breaks)),
        by_day=tuple(_by_day(table)),
        by_version=versions,
        by_version_left_out=left_out,
        baseline=None if baseline is None else _comparison(baseline, target, owners, by_client, worst),
    )


def _worst(target: Target, uses: Iterable[UsedVersion]) -> Status | None:
    """The worst status of a client's requests at the target; None if it sends only what brokers send."""
    statuses = {
        target.verdict(use.api_key, use.version).status for use in uses if use.api_key not in BROKERS_SEND
    }
    for status in (Status.REFUSED, Status.UNKNOWN, Status.DEPRECATED, Status.SERVED):
        if status in statuses:
            return status
    return None


def _who(item: ClientUse) -> tuple[str, str, str, str, str]:
    return item.software, item.software_version, item.client_id, item.principal, item.owner


def _client_counts(
    worst: Mapping[Client, Status | None], states: Mapping[Client, CutOffState]
) -> ClientCounts:
    statuses, cut = list(worst.values()), list(states.values())
    upgraded = cut.count(CutOffState.UPGRADED)
    return ClientCounts(
        total=len(statuses),
        cut_off=len(cut) - upgraded,
        quiet=cut.count(CutOffState.QUIET),
        upgraded=upgraded,
        unknown=statuses.count(Status.UNKNOWN),
        deprecated=statuses.count(Status.DEPRECATED),
        served=statuses.count(Status.SERVED),
        brokers=statuses.count(None),
    )


def _client(
    target: Target, client: Client, uses: list[UsedVersion], end: datetime | None, later: Successors
) -> ClientUse:
    own = [use for use in uses if use.api_key not in BROKERS_SEND]
    everything, refused = RequestSpan(), RequestSpan()
    for use in uses:
        everything.add(use)
    bad = [use for use in own if target.verdict(use.api_key, use.version).status is Status.REFUSED]
    for use in bad:
        refused.add(use)
    sends = tuple(_apis(target, own))
    sent = [
        Sent(item.api_key, VersionSet.parse(item.versions), item.requests)
        for item in sends
        if item.status == Status.REFUSED
    ]
    keys = frozenset(use.api_key for use in uses)
    is_one = client.client_id != OTHER
    unseen = None if refused.last is None or end is None else (end - refused.last).days
    successor = later.of(client, refused.last)
    now = None if successor is None else software_of(*successor[:3])
    state = (
        CutOffState.UPGRADED
        if successor
        else CutOffState.QUIET
        if (unseen or 0) >= QUIET_DAYS
        else CutOffState.ACTIVE
    )
    return ClientUse(
        software=client.software,
        software_version=client.software_version,
        client_id=client.client_id,
        principal=client.principal,
        owner=client.owner,
        requests=everything.requests,
        refused=refused.requests,
        first_seen=moment(everything.first),
        last_seen=moment(everything.last),
        last_refused=moment(refused.last),
        unseen_days=unseen,
        state=state.value,
        sends=sends,
        action=action(target, client.software, client.software_version, sent, now),
        advice=tuple(advice(target, client.software, client.software_version, client.client_id, sent, keys))
        if is_one
        else (),
    )


def _apis(target: Target, uses: Iterable[UsedVersion]) -> Iterator[ApiUse]:
    """What the target does not simply serve, by API and status."""
    spans: dict[tuple[int, Status], RequestSpan] = defaultdict(RequestSpan)
    versions: dict[tuple[int, Status], set[int]] = defaultdict(set)
    for use in uses:
        status = target.verdict(use.api_key, use.version).status
        if status is not Status.SERVED:
            spans[use.api_key, status].add(use)
            versions[use.api_key, status].add(use.version)
    for (key, status), span in sorted(spans.items()):
        yield ApiUse(
            api_key=key,
            api=api_name(key),
            versions=str(VersionSet.of(versions[key, status])),
            status=status.value,
            requests=span.requests,
            first_seen=moment(span.first),
            last_seen=moment(span.last),
            target_serves=str(target.served(key)),
            last_served_by=target.last_served(key, max(versions[key, status]))
            if status is Status.REFUSED
            else "",
        )


def _statuses(target: Target, uses: Iterable[UsedVersion]) -> Statuses:
    numbers = dict.fromkeys(Status, 0)
    for use in uses:
        numbers[target.verdict(use.api_key, use.version).status] += use.requests
    return Statuses(**{status.value: number for status, number in numbers.items()})


def _by_owner(
    target: Target, by_client: Mapping[Client, list[UsedVersion]], breaks: Collection[Client]
) -> Iterator[OwnerUse]:
    teams: dict[str, list[Client]] = defaultdict(list)
    for client in by_client:
        teams[client.owner].append(client)
    uses = []
    for team, clients in sorted(teams.items()):
        everything, refused = RequestSpan(), RequestSpan()
        for use in (use for client in clients for use in by_client[client]):
            everything.add(use)
            is_refused = target.verdict(use.api_key, use.version).status is Status.REFUSED
            if is_refused and use.api_key not in BROKERS_SEND:
                refused.add(use)
        cut = sum(client in breaks for client in clients)
        uses.append(
            OwnerUse(team, len(clients), cut, everything.requests, refused.requests, moment(refused.last))
        )
    yield from sorted(uses, key=lambda item: (-item.refused, item.owner))


def _by_day(table: pa.Table) -> Iterator[DayUse]:
    grouped = table.group_by(["day", "status"]).aggregate([("requests", "sum")])
    days: dict[str, dict[str, int]] = defaultdict(dict)
    for row in grouped.to_pylist():
        days[row["day"]][row["status"]] = row["requests_sum"]
    for day, numbers in sorted(days.items()):
        yield DayUse(day, *(numbers.get(status.value, 0) for status in Status))


def _comparison(
    folder: Path,
    target: Target,
    owners: Owners,
    now: Mapping[Client, list[UsedVersion]],
    worst: Mapping[Client, Status | None],
) -> ClientsComparison:
    """What has changed since an earlier output, both judged by the same target."""
    uses = list(uses_of(tables.read_all(folder), owners))
    before: dict[Client, list[UsedVersion]] = defaultdict(list)
    for use in uses:
        before[use.client].append(use)
    cut_before = {client for client, some in before.items() if _worst(target, some) is Status.REFUSED}
    cut_now = {client for client, status in worst.items() if status is Status.REFUSED}

    def changed(clients: Iterable[Client]) -> tuple[ChangedClient, ...]:
        changes = [
            ChangedClient(
                *client, _refused(target, before.get(client, ())), _refused(target, now.get(client, ()))
            )
            for client in sorted(clients)
        ]
        return tuple(
            sorted(changes, key=lambda item: -max(item.refused_before, item.refused_now))[:MOST_LISTED]
        )

    return ClientsComparison(
        _period(uses), changed(cut_now - cut_before), changed(cut_before - cut_now), len(cut_now & cut_before)
    )


def _refused(target: Target, uses: Iterable[UsedVersion]) -> int:
    return sum(
        use.requests
        for use in uses
        if use.api_key not in BROKERS_SEND
        and target.verdict(use.api_key, use.version).status is Status.REFUSED
    )


def _period(uses: Iterable[UsedVersion]) -> Period:
    span = RequestSpan()
    for use in uses:
        span.add(use)
    return Period(moment(span.first), moment(span.last))


def _logs(uses: Iterable[UsedVersion], state: FleetState, unfinished: Mapping[str, int]) -> Logs:
    return Logs(
        requests=state.forms.total(),
        read=dict(sorted(state.forms.items())),
        skipped=dict(sorted(state.skipped.items())),
        samples=tuple(SampleLine(*sample) for sample in state.samples),
        problems=tuple(FileProblem(*problem) for problem in state.problems),
        unfinished=tuple(Unfinished(*item) for item in sorted(unfinished.items())[:MOST_LISTED]),
        unlisted_requests=sum(use.requests for use in uses if use.client.client_id == OTHER),
        pseudonyms=bool(state.key),
    )
