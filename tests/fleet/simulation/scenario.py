"""The description of a simulated fleet: applications, software, requests, upgrades and outages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from wirebook.fleet.requests import UNKNOWN
from wirebook.specs.files import read_input
from wirebook.specs.kafka.brokers import Broker, api_keys, broker_named
from wirebook.specs.limits import MAX_INT16, MAX_SETTINGS
from wirebook.specs.problems import InputError

MOST_DAYS, MOST_A_DAY, MOST_BROKERS, MOST_CLIENTS = 3660, 100_000_000, 1000, 1_000_000


@dataclass(frozen=True, slots=True)
class ScenarioUse:
    """An API at a version; `share` is its weight among the requests of an application."""

    api_key: int
    version: int
    share: int


@dataclass(frozen=True, slots=True)
class Phase:
    """The state of an application from a day on, counted from 0."""

    day: int
    software: str
    software_version: str
    uses: tuple[ScenarioUse, ...]


@dataclass(frozen=True, slots=True)
class Application:
    """A program of a team: its clients send `requests` a day in total, except in `outages` (from, until)."""

    name: str
    team: str
    principal: str
    listener: str
    clients: int
    requests: int
    phases: tuple[Phase, ...]
    outages: tuple[tuple[int, int], ...]

    def phase(self, day: int) -> Phase | None:
        """The phase on a day; None in an outage."""
        if any(first <= day < until for first, until in self.outages):
            return None
        return next((phase for phase in reversed(self.phases) if phase.day <= day), None)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A fleet over some days; the logs have `noise` other lines for every thousand requests."""

    seed: int
    start: date
    days: int
    broker: Broker
    brokers: int
    noise: int
    compress: bool
    applications: tuple[Application, ...]


class _Reader:
    """Reads values of a table; each error names the table."""

    def __init__(self, table: object, where: str, path: str) -> None:
        self.where, self.path = where, path
        if not isinstance(table, dict):
            self.fail("must be a table")
        assert isinstance(table, dict)
        self.table: dict[str, Any] = table

    def fail(self, words: str) -> None:
        raise InputError(f"{self.where} {words}", self.path)

    def only(self, *names: str) -> None:
        unknown = sorted(set(self.table) - set(names))
        if unknown:
            self.fail(f'has an unknown key "{unknown[0]}"')

    def text(self, name: str, default: str | None = None) -> str:
        value = self.table.get(name, default)
        if not isinstance(value, str):
            self.fail(f'needs a string "{name}"')
        return str(value)

    def number(self, name: str, default: int | None, low: int, high: int) -> int:
        value = self.table.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.fail(f'needs a number "{name}" from {low} to {high}')
        assert isinstance(value, int)
        return value

    def tables(self, name: str) -> list[Any]:
        value = self.table.get(name, [])
        if not isinstance(value, list):
            self.fail(f'has "{name}" as [[{name}]]')
        assert isinstance(value, list)
        return value


def read_scenario(path: Path) -> Scenario:
    """Read the fleet from a file. Raises InputError, OSError."""
    try:
        document = tomllib.loads(read_input(path, MAX_SETTINGS).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is not TOML: {error}", str(path)) from None
    top = _Reader(document, "the fleet", str(path))
    top.only("seed", "start", "days", "broker", "brokers", "noise", "compress", "application")
    start = document.get("start", date(2026, 1, 1))
    if not isinstance(start, date):
        top.fail('needs a date "start", such as 2026-01-01')
    days = top.number("days", 1, 1, MOST_DAYS)
    applications = tuple(
        _application(item, f"application {number}", str(path), days)
        for number, item in enumerate(top.tables("application"), 1)
    )
    if not applications:
        top.fail("has no [[application]]")
    try:
        broker = broker_named(top.text("broker", "3.9"))
    except InputError as error:
        raise InputError(error.message, str(path)) from None
    return Scenario(
        seed=top.number("seed", 0, 0, 1 << 62),
        start=start,
        days=days,
        broker=broker,
        brokers=top.number("brokers", 1, 1, MOST_BROKERS),
        noise=top.number("noise", 0, 0, 1000),
        compress=document.get("compress", False) is True,
        applications=applications,
    )


def _application(item: object, where: str, path: str, days: int) -> Application:
    table = _Reader(item, where, path)
    table.only(
        "name", "team", "principal", "listener", "clients", "requests", "software", "software_version",
        "uses", "upgrade", "outage",
    )  # fmt: skip
    name = table.text("name")
    first = _phase(table, None, 0)
    phases = [first]
    for number, value in enumerate(table.tables("upgrade"), 1):
        upgrade = _Reader(value, f"{where}, upgrade {number},", path)
        upgrade.only("day", "software", "software_version", "uses")
        phases.append(_phase(upgrade, phases[-1], upgrade.number("day", None, phases[-1].day + 1, days)))
    outages = []
    for number, value in enumerate(table.tables("outage"), 1):
        outage = _Reader(value, f"{where}, outage {number},", path)
        outage.only("from", "until")
        begin = outage.number("from", None, 0, days)
        outages.append((begin, outage.number("until", None, begin + 1, MOST_DAYS)))
    return Application(
        name=name,
        team=table.text("team", ""),
        principal=table.text("principal", f"User:{name}"),
        listener=table.text("listener", "SASL_SSL"),
        clients=table.number("clients", 1, 1, MOST_CLIENTS),
        requests=table.number("requests", 1000, 0, MOST_A_DAY),
        phases=tuple(phases),
        outages=tuple(outages),
    )


def _phase(table: _Reader, before: Phase | None, day: int) -> Phase:
    return Phase(
        day,
        table.text("software", before.software if before else UNKNOWN),
        table.text("software_version", before.software_version if before else UNKNOWN),
        _uses(table, table.table.get("uses")) if "uses" in table.table or before is None else before.uses,
    )


def _uses(table: _Reader, value: object) -> tuple[ScenarioUse, ...]:
    if not isinstance(value, Mapping) or not value:
        table.fail("needs uses = { Fetch = 11 }, or { Fetch = [11, 80] } with a share of the requests")
    assert isinstance(value, Mapping)
    found = []
    for name, written in value.items():
        key = api_keys().get(str(name).lower())
        if key is None:
            if not str(name).isdecimal() or int(name) > MAX_INT16:
                table.fail(f'uses an unknown API "{name}"')
            key = int(name)
        version, share = written if isinstance(written, list) and len(written) == 2 else (written, 1)
        if not all(isinstance(number, int) and 0 <= number <= MAX_INT16 for number in (version, share)):
            table.fail(f"uses {name} at a version and a share, numbers from 0 to {MAX_INT16}")
        found.append(ScenarioUse(key, version, max(share, 1)))
    return tuple(found)
