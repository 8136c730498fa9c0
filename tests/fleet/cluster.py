"""Logs of a cluster, written line by line with nothing of the code that reads them, and who really
breaks.

The truth is a list of applications. What happens to their lines is what happens to real ones:
client ids for each request, requests that brokers forward and controllers log again, replica
fetchers, telemetry, container formats that split long lines, crashes in the middle of a line, IPv6,
and upgrades.
"""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

START, DAYS = date(2026, 10, 5), 21
# Of 4.0: Fetch from 4 on, Produce from 3, OffsetCommit from 2, CreateTopics from 2.
FETCH, PRODUCE, COMMIT, VERSIONS, CREATE, GET_TELEMETRY, PUSH_TELEMETRY = 1, 0, 8, 18, 19, 71, 72
REFUSED = {(FETCH, 3), (FETCH, 2), (COMMIT, 1), (PRODUCE, 2)}
HEARTBEAT = 63  # of brokers, to the controller
NAMES = {0: "PRODUCE", 1: "FETCH", 8: "OFFSET_COMMIT", 18: "API_VERSIONS", 19: "CREATE_TOPICS"}
NAMES |= {71: "GET_TELEMETRY_SUBSCRIPTIONS", 72: "PUSH_TELEMETRY"}
NAMES |= {
    2: "LIST_OFFSETS",
    3: "METADATA",
    10: "FIND_COORDINATOR",
    24: "ADD_PARTITIONS_TO_TXN",
    63: "BROKER_HEARTBEAT",
}
JAVA = ("apache-kafka-java", "4.0.0")
# Of brokers, for each other: what NetworkUtils.buildNetworkClient calls them, and what they send.
BROKER_CLIENTS = (
    ("AddPartitionsManager", (24, 4)),
    ("Persister", (10, 6)),
    ("NetworkPartitionMetadataClient", (2, 10)),
)


@dataclass
class App:
    """An application: the kind of its client ids, what it sends from which day on, and on which
    days."""

    name: str
    ids: str
    team: str
    sends: list[tuple[int, list[tuple[int, int]], tuple[str, str]]]
    breaks: bool
    a_day: int = 4
    days: range = field(default_factory=lambda: range(DAYS))
    state: str = "active"
    action: str = "Upgrade it to a release that sends Fetch 4-17, OffsetCommit 2-9."

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
    old, new = (
        [(FETCH, 3), (COMMIT, 1)],
        [(FETCH, 16), (COMMIT, 8), (GET_TELEMETRY, 0), (PUSH_TELEMETRY, 0)],
    )
    nameless = ("unknown", "unknown")
    apps = []
    for number, word in enumerate(
        [
            "alpha",
            "bravo",
            "charlie",
            "delta",
            "echo",
            "foxtrot",
            "golf",
            "hotel",
            "india",
            "juliett",
        ]
    ):
        ids = ("fixed", "uuid", "number", "date")[number % 4]
        breaks = number % 3 == 0
        sends = [(0, old, nameless)] if breaks else [(0, new, JAVA)]
        apps.append(
            App(
                word,
                ids,
                f"team-{number % 4}" if number % 5 else "",
                sends,
                breaks,
                4 if number else 60,
            )
        )
    # One is replaced on the tenth day, two are seen once, two are Java clients.
    once = [(0, [(FETCH, 2)], nameless)], True, 1
    java_2_4, java_0_10 = ("apache-kafka-java", "2.4.0"), ("apache-kafka-java", "0.10.2")
    apps += [
        App("kilo", "number", "team-1", [(0, old, nameless), (10, new, JAVA)], True, 4, state="upgraded",
            action="Upgraded: the application is now apache-kafka-java 4.0.0."),
        App("monthly-report", "fixed", "team-2", [(0, [(PRODUCE, 2)], nameless)], True, 1, range(2, 3),
            "quiet", "Upgrade it to a release that sends Produce 3-12."),
        App("monthly-close", "date", "team-3", *once, range(4, 5), "quiet",
            "Upgrade it to a release that sends Fetch 4-17."),
        App("lima", "number", "team-1", [(0, [(COMMIT, 1), (FETCH, 11)], java_2_4)], True,
            action="Nothing if it is free to choose its versions: the Java client 2.4.0 supports OffsetCommit "
            "2-8."),
        App("mike", "uuid", "team-2", [(0, [(FETCH, 3)], java_0_10)], True,
            action="Upgrade it to a Java client of 0.11.0 or later."),
    ]  # fmt: skip
    return apps


@dataclass
class Written:
    """The lines of each broker, and what was logged of each application.

    `rows` counts requests by application, API key, version and day, `last` has the last refused
    one.
    """

    lines: dict[str, list[bytes]] = field(default_factory=dict)
    rows: Counter[tuple[str, int, int, str]] = field(default_factory=Counter)
    last: dict[str, str] = field(default_factory=dict)
    ids: dict[str, set[str]] = field(default_factory=dict)
    torn: int = 0

    def count(self, name: str, key: int, version: int, at: datetime) -> None:
        """Count a request."""
        self.rows[name, key, version, at.date().isoformat()] += 1
        if (key, version) in REFUSED:
            self.last[name] = max(self.last.get(name, ""), at.isoformat()[:19])

    def requests(self, name: str) -> int:
        """The requests of an application."""
        return sum(number for row, number in self.rows.items() if row[0] == name)

    def refused(self, name: str) -> int:
        """Those that 4.0 refuses."""
        return sum(n for row, n in self.rows.items() if row[0] == name and row[1:3] in REFUSED)


def json_line(
    at: datetime,
    key: int,
    version: int,
    client_id: str,
    user: str,
    software: tuple[str, str],
    **more: Any,
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
    at: datetime,
    key: int,
    version: int,
    client_id: str,
    user: str,
    software: tuple[str, str],
    **more: Any,
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
    broker_lines: dict[str, list[tuple[datetime, bytes]]] = {
        f"broker-{n}": [] for n in range(brokers)
    }
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
                if software[0] != "unknown":
                    lines.append(
                        (at, form(at, VERSIONS, 4, client_id, app.name, ("unknown", "unknown")))
                    )
                    written.count(app.name, VERSIONS, 4, at)
                for key, version in sends:
                    padding = 40_000 if rng.random() < 0.02 else 0
                    lines.append(
                        (at, form(at, key, version, client_id, app.name, software, padding=padding))
                    )
                    written.count(app.name, key, version, at)
                written.ids.setdefault(app.name, set()).add(client_id)
                if form is json_line and rng.random() < 0.1:
                    # Forwarded: the controller logs it again, without the software.
                    lines.append((at, form(at, CREATE, 7, client_id, app.name, software)))
                    written.count(app.name, CREATE, 7, at)
                    again = form(
                        at, CREATE, 7, client_id, app.name, ("unknown", "unknown"), forwarded=True
                    )
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
                    lines.append(
                        (at, form(at, api, version, f"{inner}-client-{number}", "kafka", nameless))
                    )
    for name, lines in broker_lines.items():
        lines.sort()
        written.lines[name] = [line for _, line in lines]
    return written


def crash(lines: list[bytes], rng: random.Random, form: Any) -> Iterator[bytes]:
    """The lines of a broker that stopped in the middle of lines of other clients, and started
    again."""
    for line in lines:
        if rng.random() < 0.02:
            at = datetime(2026, 10, 6, 1, 2, 3)
            ghost = form(at, FETCH, 2, "ghost", "ghost", ("unknown", "unknown"))
            yield ghost[: rng.randrange(len(ghost) // 2)] + line
        else:
            yield line


def cri(lines: list[bytes]) -> Iterator[bytes]:
    """What containerd writes: lines of at most 16 KiB, with those of another stream between
    them."""
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
