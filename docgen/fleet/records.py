"""What a fleet's summary.json holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.records import Tool


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last request with a date; None if no line has one."""

    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class SampleLine:
    """A line that is not a request: why, where it is, and its start, printable."""

    reason: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class FileProblem:
    """What was wrong with a file."""

    file: str
    problem: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A file whose last line has no end yet: these bytes are read when it has one."""

    file: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Logs:
    """What was read, by the form of the lines, and what was not, by the reason."""

    requests: int
    read: Mapping[str, int]
    skipped: Mapping[str, int]
    samples: tuple[SampleLine, ...]
    problems: tuple[FileProblem, ...]
    unfinished: tuple[Unfinished, ...]
    unlisted_requests: int
    pseudonyms: bool


@dataclass(frozen=True, slots=True)
class Statuses:
    """A number for each status at the target."""

    served: int = 0
    deprecated: int = 0
    refused: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class ApiUse:
    """Versions of an API that a client sends and the target does not simply serve."""

    api_key: int
    api: str
    versions: str
    status: str
    requests: int
    first_seen: str | None
    last_seen: str | None
    target_serves: str
    last_served_by: str


@dataclass(frozen=True, slots=True)
class ClientUse:
    """A client that the target cuts off: software, client id and principal, and what it sends.

    `last_refused` is its last request that the target refuses, `unseen_days` the whole days since then
    until the end of the log. `state` is "active", "quiet" after some days without, or "upgraded" if the
    same client id and principal has since sent only what the target serves. `action` is what has to be done.
    """

    software: str
    software_version: str
    client_id: str
    principal: str
    owner: str
    requests: int
    refused: int
    first_seen: str | None
    last_seen: str | None
    last_refused: str | None
    unseen_days: int | None
    state: str
    sends: tuple[ApiUse, ...]
    action: str
    advice: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClientCounts:
    """Clients by the worst status of their requests at the target; `brokers` send only what brokers send.

    Those that were upgraded since do not count as cut off; of those that do, some are `quiet`.
    """

    total: int
    cut_off: int
    quiet: int
    upgraded: int
    unknown: int
    deprecated: int
    served: int
    brokers: int


@dataclass(frozen=True, slots=True)
class OwnerUse:
    """A team and its clients; "" is for clients without an owner."""

    owner: str
    clients: int
    cut_off: int
    requests: int
    refused: int
    last_refused: str | None


@dataclass(frozen=True, slots=True)
class DayUse:
    """The requests of a day by status."""

    day: str
    served: int
    deprecated: int
    refused: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ChangedClient:
    """A client of one or both sides of a comparison, with its refused requests on each."""

    software: str
    software_version: str
    client_id: str
    principal: str
    owner: str
    refused_before: int
    refused_now: int


@dataclass(frozen=True, slots=True)
class ClientsComparison:
    """Clients newly cut off (`new`), not cut off any more (`ended`), and a count of those that still are."""

    period: Period
    new: tuple[ChangedClient, ...]
    ended: tuple[ChangedClient, ...]
    still: int


@dataclass(frozen=True, slots=True)
class VersionSender:
    """A client that sends a version of an API; `last_day` is the last day on which it did, if known."""

    software: str
    software_version: str
    client_id: str
    principal: str
    owner: str
    requests: int
    last_seen: str | None
    last_day: str | None
    last_day_requests: int


@dataclass(frozen=True, slots=True)
class VersionUse:
    """Who sends a version of an API: `clients` counts them, `senders` are those with the most requests."""

    api_key: int
    api: str
    version: int
    status: str
    between_servers: bool
    requests: int
    first_seen: str | None
    last_seen: str | None
    clients: int
    senders: tuple[VersionSender, ...]


@dataclass(frozen=True, slots=True)
class FleetSummary:
    """A fleet judged at the target: summary.json."""

    SCHEMA: ClassVar[str] = "wirebook/fleet/1"
    tool: Tool
    target: str
    period: Period
    logs: Logs
    requests: Statuses
    clients: ClientCounts
    cut_off: tuple[ClientUse, ...]
    cut_off_left_out: int
    between_brokers: tuple[ApiUse, ...]
    by_api: tuple[ApiUse, ...]
    by_owner: tuple[OwnerUse, ...]
    by_day: tuple[DayUse, ...]
    by_version: tuple[VersionUse, ...]
    by_version_left_out: int
    baseline: ClientsComparison | None = None
