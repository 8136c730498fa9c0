"""What a fleet's summary.json holds, and the rows of its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from wirebook.docgen.catalog.records import Tool
from wirebook.fleet.counts import Sample


@dataclass(frozen=True, slots=True)
class RequestUse:
    """Equal requests of a day, which do not depend on the target: a row of the table."""

    day: str
    origin: str
    software: str
    software_version: str
    application: str
    principal: str
    owner: str
    api_key: int
    version: int
    api: str
    requests: int
    first_seen: str | None
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last request with a date; None if no line has one."""

    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Logs:
    """What was read, and what was not, by the reason.

    `forwarded` are requests that controllers log a second time.
    """

    files: int
    lines: int
    requests: int
    skipped: Mapping[str, int]
    samples: tuple[Sample, ...]
    forwarded: int


@dataclass(frozen=True, slots=True)
class Statuses:
    """A number for each status at the target."""

    served: int = 0
    deprecated: int = 0
    refused: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class ApiUse:
    """Versions of an API that an application sends and the target does not simply serve."""

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
class SoftwareUse:
    """A software that an application reports, with its requests that the target refuses."""

    software: str
    software_version: str
    requests: int
    refused: int
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class ClientIds:
    """How many client ids an application has, and some of them; if not `exact`, it may have
    more."""

    number: int
    exact: bool
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApplicationUse:
    """An application that breaks at the target: who it is, and what it sends.

    `name` is its client id if it has only one, or else their pattern. `last_refused` is its last
    request that the target refuses, `unseen_days` the whole days since then until the end of the
    log. `state` is "active", "quiet" after some days without, or "upgraded" if other software of
    the application has replaced all that sent such requests. `confidence` is "certain", "likely" or
    "possible", `because` its reason. `action` is what has to be done.
    """

    name: str
    pattern: str
    principal: str
    owner: str
    client_ids: ClientIds
    software: tuple[SoftwareUse, ...]
    requests: int
    refused: int
    first_seen: str | None
    last_seen: str | None
    last_refused: str | None
    unseen_days: int | None
    state: str
    sends: tuple[ApiUse, ...]
    action: str
    confidence: str
    because: str


@dataclass(frozen=True, slots=True)
class ApplicationCounts:
    """Applications by the worst status of their requests at the target; `servers` are other
    brokers.

    Those that were upgraded since do not count as cut off; of those that do, some are `quiet`.
    `owners` counts the owners of those that are cut off, `unowned` those without one.
    """

    total: int
    cut_off: int
    quiet: int
    upgraded: int
    unknown: int
    deprecated: int
    served: int
    servers: int
    owners: int
    unowned: int


@dataclass(frozen=True, slots=True)
class OwnerUse:
    """A team and its applications; "" is for applications without an owner."""

    owner: str
    applications: int
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
class FleetSummary:
    """A fleet judged at the target: summary.json. `not_known` are sentences on what no source
    shows."""

    SCHEMA: ClassVar[str] = "wirebook/fleet/1"
    tool: Tool
    target: str
    headline: str
    period: Period
    logs: Logs
    requests: Statuses
    applications: ApplicationCounts
    cut_off: tuple[ApplicationUse, ...]
    by_owner: tuple[OwnerUse, ...]
    not_known: tuple[str, ...]
    between_brokers: tuple[ApiUse, ...]
    by_api: tuple[ApiUse, ...]
    by_day: tuple[DayUse, ...]
