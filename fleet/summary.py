"""The summary of a fleet, from its counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirebook._version import __version__
from wirebook.docgen.catalog.records import Tool
from wirebook.fleet.applications import (
    STATES,
    Application,
    api_uses,
    applications_of,
    moment,
    report,
)
from wirebook.fleet.counts import MOST_IDS, Counts
from wirebook.fleet.lines import NO_DAY, Origin
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
)
from wirebook.fleet.target import Status
from wirebook.fleet.uses import Use, added_up, fleet_uses, grouped
from wirebook.specs.kafka.brokers import Broker
from wirebook.specs.printable import number_of


def summarize(counts: Counts, owners: Owners, target: Broker) -> FleetSummary:
    """The summary of what was counted."""
    uses, stray = fleet_uses(counts, owners, target)
    applications = applications_of(uses)
    clients = [each for each in applications if not each.is_server and each.own]
    of_clients = [use for each in clients for use in each.own]
    # The ApiVersions requests by which only brokers are known, and all that only brokers send.
    between = [use for each in applications if each.is_server for use in each.own]
    between += [use for use in uses if use.row.origin is Origin.SERVER]
    everything = added_up([*of_clients, *between]).every
    end = added_up(uses).every.last
    cut = []
    for each in clients:
        if each.total.refused.requests:
            ids = sorted(counts.client_ids[each.names])[:MOST_IDS]
            cut.append(report(target, each, ids, end))
    cut.sort(
        key=lambda row: (STATES.index(row.state), -row.refused, row.name, row.principal, row.owner)
    )
    numbers = _counts(clients, cut, len(applications) - len(clients))
    forwarded = [use for use in uses if use.row.origin is Origin.FORWARDED]
    by_day = grouped(of_clients, lambda use: use.row.day)
    return FleetSummary(
        tool=Tool("wirebook", __version__),
        target=target.release,
        headline=_headline(target, numbers),
        period=Period(moment(everything.first), moment(everything.last)),
        logs=Logs(
            files=len(counts.lines),
            lines=counts.lines.total(),
            requests=sum(tally.requests for tally in counts.requests.values()),
            skipped=dict(sorted(counts.skipped.items())),
            samples=counts.samples,
            forwarded=added_up(forwarded).every.requests,
        ),
        requests=Statuses(*added_up(of_clients).numbers),
        applications=numbers,
        cut_off=tuple(cut),
        by_owner=_by_owner(clients, cut),
        not_known=tuple(_not_known(uses, stray, numbers, target)),
        between_brokers=api_uses(target, between),
        by_api=api_uses(target, of_clients),
        by_day=tuple(DayUse(day, *added_up(by_day[day]).numbers) for day in sorted(by_day)),
    )


def _counts(
    clients: Sequence[Application], cut: Sequence[ApplicationUse], servers: int
) -> ApplicationCounts:
    worst = [_worst(application) for application in clients]
    states = [use.state for use in cut]
    owners = [use.owner for use in cut if use.state != "upgraded"]
    return ApplicationCounts(
        total=len(clients),
        cut_off=len(owners),
        quiet=states.count("quiet"),
        upgraded=states.count("upgraded"),
        unknown=worst.count(Status.UNKNOWN),
        deprecated=worst.count(Status.DEPRECATED),
        served=worst.count(Status.SERVED),
        servers=servers,
        owners=len({owner for owner in owners if owner}),
        unowned=owners.count(""),
    )


def _worst(application: Application) -> Status:
    """The worst status of its requests."""
    for status in (Status.REFUSED, Status.UNKNOWN, Status.DEPRECATED):
        if application.total.of[status].requests:
            return status
    return Status.SERVED


def _headline(target: Broker, counts: ApplicationCounts) -> str:
    """The answer in a sentence: "65 of 200 applications break at 4.0: 12 owners"."""
    total = number_of(counts.total, "application")
    if not counts.cut_off:
        return f"None of {total} breaks at {target.release}"
    breaks = "break" if counts.cut_off > 1 else "breaks"
    owners = []
    if counts.owners:
        owners.append(number_of(counts.owners, "owner"))
    if counts.unowned:
        owners.append(f"{counts.unowned:,} without an owner")
    words = f"{counts.cut_off:,} of {total} {breaks} at {target.release}"
    return f"{words}: {', '.join(owners)}"


def _not_known(
    uses: Iterable[Use], stray: Mapping[str, int], counts: ApplicationCounts, target: Broker
) -> Iterator[str]:
    """What the logs do not show."""
    if counts.unknown:
        send = "sends" if counts.unknown == 1 else "send"
        who = f"{number_of(counts.unknown, 'application')} {send} versions that no known release"
        yield f"{who} has, or that {target.release} has only as unstable ones."
    days = {use.row.day for use in uses} - {NO_DAY}
    if not days:
        yield "Which applications sent nothing, and when the others did: no request has a date."
    elif len(days) < 31:
        silent = f"Applications that sent nothing on the {number_of(len(days), 'day')} of the logs"
        yield f"{silent}: a monthly job appears once a month."
    if stray:
        dated = " to ".join(sorted({min(stray), max(stray)}))
        time = f"The time of {number_of(sum(stray.values()), 'request')}, dated {dated}"
        why = "more than a year without requests separates these days from the others"
        yield f"{time}: {why}, so a clock was wrong."


def _by_owner(
    clients: Iterable[Application], cut: Iterable[ApplicationUse]
) -> tuple[OwnerUse, ...]:
    """The owners, that of most applications that are cut off first."""
    cut_off = Counter(use.owner for use in cut if use.state != "upgraded")
    owners: dict[str, list[Application]] = defaultdict(list)
    for each in clients:
        owners[each.names.owner].append(each)
    rows = []
    for owner, applications in owners.items():
        total = added_up(use for each in applications for use in each.own)
        rows.append(
            OwnerUse(
                owner=owner,
                applications=len(applications),
                cut_off=cut_off[owner],
                requests=total.every.requests,
                refused=total.refused.requests,
                last_refused=moment(total.refused.last),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.cut_off, -row.refused, row.owner)))
