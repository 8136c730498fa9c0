"""Logs of a cluster written line by line, with nothing of the code that reads them, and who really breaks.

The truth is a list of applications. What happens to their lines is what happens to real ones: client ids for
each request, requests that brokers forward and controllers log again, replica fetchers, telemetry, container
formats that split long lines, crashes in the middle of a line, IPv6, and upgrades.
"""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.summaries import rows
from wirebook.cli.main import main

START, DAYS = date(2026, 10, 5), 21
# Of 4.0: Fetch from 4 on, Produce from 3, OffsetCommit from 2, CreateTopics from 2.
FETCH, PRODUCE, COMMIT, VERSIONS, CREATE, GET_TELEMETRY, PUSH_TELEMETRY = 1, 0, 8, 18, 19, 71, 72
HEARTBEAT = 63  # of brokers, to the controller
NAMES = {0: "PRODUCE", 1: "FETCH", 8: "OFFSET_COMMIT", 18: "API_VERSIONS", 19: "CREATE_TOPICS"}
NAMES |= {71: "GET_TELEMETRY_SUBSCRIPTIONS", 72: "PUSH_TELEMETRY"}
NAMES |= {2: "LIST_OFFSETS", 10: "FIND_COORDINATOR", 24: "ADD_PARTITIONS_TO_TXN", 63: "BROKER_HEARTBEAT"}
JAVA = ("apache-kafka-java", "4.0.0")
# Of brokers, for each other: what NetworkUtils.buildNetworkClient calls them, and what they send.
BROKER_CLIENTS = (
    ("AddPartitionsManager", (24, 4)),
    ("Persister", (10, 6)),
    ("NetworkPartitionMetadataClient", (2, 10)),
)


@dataclass
class App:
    """An application: the kind of its client ids, what it sends from which day on, and on which days."""

    name: str
    ids: str
    team: str
    sends: list[tuple[int, list[tuple[int, int]], tuple[str, str]]]
    breaks: bool
    a_day: int = 4
    days: range = field(default_factory=lambda: range(DAYS))
    state: str = "active"

    def client_id(self, rng: random.Random, day: int) -> str:
        """A client id for a request."""
        return {
            "fixed": self.name,
            "uuid": f"{self.name}-{uuid.UUID(int=rng.getrandbits(128))}",
            "number": f"{self.name}-{rng.randrange(1, 40)}",
            "date": f"{self.name}-{START + timedelta(days=day)}",
        }[self.ids]


def applications() -> list[App]:
    """The truth."""
    old, new = [(FETCH, 3), (COMMIT, 1)], [(FETCH, 16), (COMMIT, 8), (GET_TELEMETRY, 0), (PUSH_TELEMETRY, 0)]
    nameless = ("unknown", "unknown")
    apps = []
    for number, word in enumerate(
        ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett"]
    ):
        ids = ("fixed", "uuid", "number", "date")[number % 4]
        breaks = number % 3 == 0
        sends = [(0, old, nameless)] if breaks else [(0, new, JAVA)]
        apps.append(
            App(word, ids, f"team-{number % 4}" if number % 5 else "", sends, breaks, 4 if number else 60)
        )
    # One is replaced on the tenth day, two are seen once.
    apps.append(
        App("kilo", "number", "team-1", [(0, old, nameless), (10, new, JAVA)], True, state="upgraded")
    )
    apps.append(
        App(
            "monthly-report",
            "fixed",
            "team-2",
            [(0, [(PRODUCE, 2)], nameless)],
            True,
            1,
            range(2, 3),
            "quiet",
        )
    )
    apps.append(
        App("monthly-close", "date", "team-3", [(0, [(FETCH, 2)], nameless)], True, 1, range(4, 5), "quiet")
    )
    return apps


@dataclass
class Written:
    """The lines of each broker, and what was logged of each application."""

    lines: dict[str, list[bytes]] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    ids: dict[str, set[str]] = field(default_factory=dict)
    torn: int = 0


def json_line(
    at: datetime, key: int, version: int, client_id: str, user: str, software: tuple[str, str], **more: Any
) -> bytes:
    """A line of a broker since 2.8."""
    body = {
        "isForwarded": more.get("forwarded", False),
        "requestHeader": {
            "requestApiKey": key,
            "requestApiVersion": version,
            "correlationId": 7,
            "clientId": client_id,
            "requestApiKeyName": NAMES[key],
        },
        "request": {"replicaId": -1, "padding": "x" * more.get("padding", 0)},
        "response": {"throttleTimeMs": 0},
        "connection": "[fd00::1]:9093-[fd00::7:12]:51234-11",
        "totalTimeMs": 1.5,
        "securityProtocol": "SASL_SSL",
        "principal": f"User:{user}",
        "listener": "EXTERNAL",
        "clientInformation": {"softwareName": software[0], "softwareVersion": software[1]},
    }
    stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}"
    text = json.dumps(body, separators=(",", ":"))
    return f"[{stamp}] DEBUG Completed request:{text} (kafka.request.logger)".encode()


def text_line(
    at: datetime, key: int, version: int, client_id: str, user: str, software: tuple[str, str], **more: Any
) -> bytes:
    """A line of a broker of 2.4 to 2.7."""
    stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}"
    return (
        f"[{stamp}] DEBUG Completed request:RequestHeader(apiKey={NAMES[key]}, apiVersion={version}, "
        f"clientId={client_id}, correlationId=9) -- {{padding={'x' * more.get('padding', 0)}}},response:{{}} "
        "from connection 10.0.0.1:9093-10.0.7.12:51234-11;totalTime:1.0,requestQueueTime:0.1,localTime:0.2,"
        f"remoteTime:0.0,throttleTime:0,responseQueueTime:0.1,sendTime:0.1,securityProtocol:SASL_SSL,principal:User:{user},"
        f"listener:EXTERNAL,clientInformation:ClientInformation(softwareName={software[0]}, "
        f"softwareVersion={software[1]}) (kafka.request.logger)"
    ).encode()


def write(apps: list[App], form: Any, brokers: int = 3) -> Written:
    """What brokers and a controller log."""
    rng, written = random.Random(7), Written()
    broker_lines: dict[str, list[tuple[datetime, bytes]]] = {f"broker-{n}": [] for n in range(brokers)}
    broker_lines["controller"] = []
    for day in range(DAYS):
        for app in apps:
            if day not in app.days:
                continue
            _, sends, software = [phase for phase in app.sends if phase[0] <= day][-1]
            for _ in range(app.a_day):
                client_id = app.client_id(rng, day)
                at = datetime.combine(START, datetime.min.time()) + timedelta(
                    days=day, milliseconds=rng.randrange(86_400_000)
                )
                lines = broker_lines[f"broker-{rng.randrange(brokers)}"]
                # A broker logs ApiVersions before it knows the software.
                if software is JAVA:
                    lines.append((at, form(at, VERSIONS, 4, client_id, app.name, ("unknown", "unknown"))))
                    written.requests[app.name] += 1
                for key, version in sends:
                    padding = 40_000 if rng.random() < 0.02 else 0
                    lines.append((at, form(at, key, version, client_id, app.name, software, padding=padding)))
                    written.requests[app.name] += 1
                    written.refused[app.name] += (key, version) in (
                        (FETCH, 3),
                        (FETCH, 2),
                        (COMMIT, 1),
                        (PRODUCE, 2),
                    )
                written.ids.setdefault(app.name, set()).add(client_id)
                if form is json_line and rng.random() < 0.1:
                    # Forwarded: the controller logs it again, without the software.
                    lines.append((at, form(at, CREATE, 7, client_id, app.name, software)))
                    written.requests[app.name] += 1
                    again = form(at, CREATE, 7, client_id, app.name, ("unknown", "unknown"), forwarded=True)
                    broker_lines["controller"].append((at, again))
        for number in range(brokers):
            at = datetime.combine(START, datetime.min.time()) + timedelta(days=day, hours=number)
            fetcher = f"broker-{(number + 1) % brokers}-fetcher-0"
            lines = broker_lines[f"broker-{number}"]
            lines.append((at, form(at, FETCH, 3, fetcher, "kafka", ("unknown", "unknown"))))
            # The channel to the controller has the number of the broker as its client id.
            nameless = ("unknown", "unknown")
            lines.append((at, form(at, VERSIONS, 3, str(number), "kafka", nameless)))
            lines.append((at, form(at, HEARTBEAT, 1, str(number), "kafka", JAVA)))
            for inner, use in BROKER_CLIENTS:
                for api, version in ((VERSIONS, 3), use):
                    lines.append((at, form(at, api, version, f"{inner}-client-{number}", "kafka", nameless)))
    for name, lines in broker_lines.items():
        lines.sort()
        written.lines[name] = [line for _, line in lines]
    return written


def crash(lines: list[bytes], rng: random.Random, form: Any) -> Iterator[bytes]:
    """The lines of a broker that stopped in the middle of lines of other clients, and started again."""
    for line in lines:
        if rng.random() < 0.02:
            at = datetime(2026, 10, 6, 1, 2, 3)
            ghost = form(at, FETCH, 2, "ghost", "ghost", ("unknown", "unknown"))
            yield ghost[: rng.randrange(len(ghost) // 2)] + line
        else:
            yield line


def cri(lines: list[bytes]) -> Iterator[bytes]:
    """What containerd writes: lines of at most 16 KiB, with those of another stream between them."""
    for line in lines:
        parts = [line[at : at + 16_384] for at in range(0, len(line), 16_384)]
        for number, part in enumerate(parts, 1):
            tag = b"F" if number == len(parts) else b"P"
            yield b"2026-10-31T00:00:00.123456789Z stdout %b %b" % (tag, part)
            if tag == b"P":
                yield b"2026-10-31T00:00:00.123456789Z stderr F [warning] a line of another stream"


def docker(lines: list[bytes]) -> Iterator[bytes]:
    """What Docker's json-file driver writes."""
    for line in lines:
        parts = [line[at : at + 16_384] for at in range(0, len(line), 16_384)]
        for number, part in enumerate(parts, 1):
            log = part.decode() + ("\n" if number == len(parts) else "")
            value = {"log": log, "stream": "stdout", "time": "2026-10-31T00:00:00.123456789Z"}
            yield json.dumps(value, separators=(",", ":")).encode()


def read(folder: Path, written: Written) -> dict[str, Any]:
    """The summary of the logs."""
    owners = [
        f'[[owner]]\nteam = "{app.team}"\nprincipal = "User:{app.name}"\n'
        for app in applications()
        if app.team
    ]
    (folder / "owners.toml").write_text("\n".join(owners))
    given = [str(folder / "logs"), "--owners", str(folder / "owners.toml"), "--target", "4.0", "-q"]
    assert main(["fleet", *given, "--output", str(folder / "out")]) == 0
    summary: dict[str, Any] = json.loads((folder / "out" / "summary.json").read_text())
    return summary


@pytest.mark.parametrize(
    "packing", ["cri", "text", *(pytest.param(each, marks=pytest.mark.long) for each in ("plain", "docker"))]
)
def test_the_summary_is_the_truth(packing: str, tmp_path: Path) -> None:
    form = text_line if packing == "text" else json_line
    apps = applications()
    if packing == "text":
        for app in apps:
            app.sends = [
                (day, [use for use in uses if use[0] < 70], software) for day, uses, software in app.sends
            ]
    written = write(apps, form)
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, lines in written.lines.items():
        packed = {"cri": cri, "docker": docker}.get(packing, lambda same: same)(lines)
        (logs / f"{name}.log").write_bytes(b"".join(line + b"\n" for line in packed))
    summary = read(tmp_path, written)
    broken = {app.name: app for app in apps if app.breaks}
    found = {item["principal"].removeprefix("User:"): item for item in summary["cut_off"]}
    assert {name: item["state"] for name, item in found.items()} == {
        name: app.state for name, app in broken.items()
    }
    assert {name: item["refused"] for name, item in found.items()} == {n: written.refused[n] for n in broken}
    assert {name: item["requests"] for name, item in found.items()} == {
        n: written.requests[n] for n in broken
    }
    assert {name: item["owner"] for name, item in found.items()} == {n: app.team for n, app in broken.items()}
    assert {name: item["client_ids"]["number"] for name, item in found.items()} == {
        name: len(written.ids[name]) for name in broken
    }
    counts = summary["applications"]
    assert (counts["total"], counts["served"]) == (len(apps), len(apps) - len(broken))
    assert counts["servers"] == 2 + len(BROKER_CLIENTS)
    teams = {app.team for app in broken.values() if app.state != "upgraded"}
    assert (counts["cut_off"], counts["upgraded"]) == (len(broken) - 1, 1)
    assert (counts["owners"], counts["unowned"]) == (
        len(teams - {""}),
        sum(not a.team for a in broken.values()),
    )
    assert summary["logs"]["skipped"].keys() <= ({"not a request"} if packing == "cri" else set())
    assert sum(summary["requests"].values()) == sum(written.requests.values())
    days = [sum(day[status] for status in summary["requests"]) for day in summary["by_day"]]
    assert sum(days) == sum(written.requests.values())


@pytest.mark.parametrize("form", [json_line, pytest.param(text_line, marks=pytest.mark.long)])
def test_a_crash_invents_nobody(form: Any, tmp_path: Path) -> None:
    apps = [app for app in applications() if app.name in ("alpha", "bravo", "delta")]
    for app in apps:
        app.sends = [
            (day, [use for use in uses if use[0] < 70], software) for day, uses, software in app.sends
        ]
    written = write(apps, form)
    logs = tmp_path / "logs"
    logs.mkdir()
    rng = random.Random(3)
    for name, lines in written.lines.items():
        torn = list(crash(lines, rng, form))
        written.torn += sum(line not in lines for line in torn)
        (logs / f"{name}.log").write_bytes(b"".join(line + b"\n" for line in torn))
    assert written.torn > 3
    summary = read(tmp_path, written)
    assert {row[4] for row in rows(tmp_path / "out")} == {
        "User:alpha",
        "User:bravo",
        "User:delta",
        "User:kafka",
    }
    days = {day["day"] for day in summary["by_day"]}
    assert days <= {(START + timedelta(days=day)).isoformat() for day in range(DAYS)}
    lost = sum(written.requests.values()) - sum(summary["requests"].values())
    assert 0 <= lost <= written.torn


def test_logs_of_brokers_that_are_missing_do_not_hide_a_client_that_controllers_show(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    at = datetime(2026, 10, 6, 1, 2, 3)
    again = json_line(at, CREATE, 1, "admin", "admin", ("unknown", "unknown"), forwarded=True)
    (tmp_path / "logs" / "controller.log").write_bytes(again + b"\n")
    summary = read(tmp_path, Written())
    (item,) = summary["cut_off"]
    assert (item["name"], item["confidence"]) == ("admin", "possible")
