"""Fleets read from their logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.simulation.run import simulate
from wirebook.cli.main import main
from wirebook.fleet.run import FleetRequest, fleet

SCENARIO = """
seed = 3
start = 2026-10-01
days = 4
broker = "{broker}"
brokers = 2
noise = 10
compress = {compress}

[[application]]
name = "billing-export"
team = "payments"
requests = {requests}
uses = {{ Fetch = [3, 80], Metadata = [1, 5], JoinGroup = [1, 1] }}
[[application.upgrade]]
day = 2
software = "apache-kafka-java"
software_version = "4.0.0"
uses = {{ Fetch = [17, 80], ApiVersions = 4 }}

[[application]]
name = "shop <script>%s"
principal = 'User:CN=shop "a",OU=x*'
team = "web"
clients = 3
software = "librdkafka"
software_version = "2.3.0"
requests = {requests}
uses = {{ Fetch = [11, 80], Produce = [7, 20], ApiVersions = 3, "999" = 1 }}
[[application.outage]]
from = 1
until = 2
"""


def simulated(
    folder: Path, requests: int = 300, broker: str = "3.9", compress: str = "false"
) -> dict[str, Any]:
    """A made-up fleet in a folder; returns its truth."""
    plan = folder.with_suffix(".toml")
    # A broker that logs text does not log an API that it does not know.
    text = SCENARIO if broker > "2.7" else SCENARIO.replace(', "999" = 1', "")
    plan.write_text(text.format(requests=requests, broker=broker, compress=compress))
    simulate(plan, folder)
    found: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    return found


def rows(folder: Path) -> list[list[Any]]:
    """The rows of an output, as truth.json has them."""
    found = [json.loads(line) for line in (folder / "requests.jsonl").read_bytes().splitlines()]
    names = (
        *("day", "software", "software_version", "application", "principal", "listener"),
        *("api_key", "version", "deprecated"),
    )
    return sorted(
        [*(row[name] for name in names), "", row["requests"], row["first_seen"] or "", row["last_seen"] or ""]
        for row in found
    )


def letters(number: int) -> str:
    """A word for a number: numbers in client ids are what changes by itself."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "x"


def asked(logs: Path, output: Path, **more: Any) -> Any:
    """The output for some logs."""
    return fleet(FleetRequest(logs=[str(logs)], target="4.0", output=output, **more))


def refused(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    """The one line of a command that ends with 2."""
    assert main(["fleet", *given]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]
