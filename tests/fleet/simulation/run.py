"""Simulates a fleet: writes the logs that its brokers would write, and the expected result."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.fleet.simulation.scenario import Application, Phase, Scenario, read_scenario
from wirebook.fleet.advice import api_name
from wirebook.fleet.requests import LoggedRequest
from wirebook.specs.kafka.brokers import order_of

TRUTH, LOGS, OWNERS = "truth.json", "logs", "owners.toml"
_Counted = tuple[str, str, str, str, str, str, int, int, bool, str]
_DAY = 24 * 3600 * 1000
_JSON_SINCE, _DEPRECATED_SINCE, _SOFTWARE_SINCE = (2, 8), (3, 7), (2, 4)
_NOISE = (
    b"[%b] INFO [Request Handler 3 on Broker 1], shut down completed (kafka.server.KafkaRequestHandler)\n",
    b'[%b] DEBUG Completed request:{"isForwarded":false,"requestHeader":{"requestApiKey":1,"requ\n',
    b"\tat kafka.network.Processor.run(SocketServer.scala)\n",
)


@dataclass
class _Player:
    """Writes a line for each request, and counts it."""

    scenario: Scenario
    rows: dict[_Counted, list[Any]] = field(default_factory=dict)
    lines: int = 0
    noise: int = 0

    def __post_init__(self) -> None:
        release = order_of(self.scenario.broker.release)
        self.is_json = release >= _JSON_SINCE
        self.marks = release >= _DEPRECATED_SINCE
        self.names = release >= _SOFTWARE_SINCE

    def day(self, day: int, rng: random.Random) -> Iterator[list[bytes]]:
        """The lines of one day, for each broker."""
        planned: list[tuple[int, int, int, int]] = []
        for number, application in enumerate(self.scenario.applications):
            phase = application.phase(day)
            if phase is None or not application.requests:
                continue
            count = max(1, round(application.requests * rng.uniform(0.9, 1.1)))
            shares = [use.share for use in phase.uses]
            uses = rng.choices(range(len(phase.uses)), shares, k=count)
            planned += [
                (int(rng.random() * _DAY), number, use, int(rng.random() * application.clients))
                for use in uses
            ]
        planned.sort()
        brokers: list[list[bytes]] = [[] for _ in range(self.scenario.brokers)]
        date = (self.scenario.start + timedelta(days=day)).isoformat()
        templates: dict[tuple[int, int, int], tuple[bytes, bytes, LoggedRequest]] = {}
        for time_of_day, number, use, client in planned:
            application = self.scenario.applications[number]
            sender = number, use, client
            if sender not in templates:
                templates[sender] = self.parts(application, day, use, client, date)
            head, tail, request = templates[sender]
            seconds, milliseconds = divmod(time_of_day, 1000)
            clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            stamp = f"{date} {clock},{milliseconds:03}".encode()
            self.lines += 1
            broker = brokers[self.lines % len(brokers)]
            if self.scenario.noise and rng.random() * 1000 < self.scenario.noise:
                line = _NOISE[self.noise % len(_NOISE)]
                broker.append(line % stamp if b"%b" in line else line)
                self.noise += 1
            broker.append(head % (stamp, self.lines & 0x7FFFFFFF) + tail % (time_of_day % 997 / 10))
            moment = f"{date}T{clock}.{milliseconds:03}"
            self.count(application_of(application), request, moment)
        yield from brokers

    def count(self, application: str, request: LoggedRequest, moment: str) -> None:
        """Count a request, without the code that is to be tested."""
        key = (*request[:3], application, *request[4:9], "")
        row = self.rows.setdefault(key, [0, moment, moment])
        row[0] += 1
        row[1], row[2] = min(row[1], moment), max(row[2], moment)

    def parts(
        self, application: Application, day: int, use: int, client: int, date: str
    ) -> tuple[bytes, bytes, LoggedRequest]:
        """Templates for the start and the end of a line, and the request that a reader must find in it."""
        phase = application.phase(day)
        assert phase is not None
        request = self.request(application, phase, use, client, date)
        return (*(self.of_json(request) if self.is_json else self.of_text(request)), request)

    def request(
        self, application: Application, phase: Phase, use: int, client: int, date: str
    ) -> LoggedRequest:
        one = phase.uses[use]
        deprecated = self.scenario.broker.deprecated.get(one.api_key)
        software = (phase.software, phase.software_version) if self.names else ("unknown", "unknown")
        return LoggedRequest(
            date,
            *software,
            application.name if application.clients == 1 else f"{application.name}-{client + 1}",
            application.principal,
            application.listener,
            one.api_key,
            one.version,
            self.marks and deprecated is not None and one.version in deprecated,
        )

    def of_json(self, request: LoggedRequest) -> tuple[bytes, bytes]:
        """A line as 2.8 and later write it (RequestConvertToJson.requestDescMetrics)."""
        header = {
            "requestApiKey": request.api_key,
            "requestApiVersion": request.version,
            "correlationId": "@",
            "clientId": request.client_id,
            "requestApiKeyName": _enum_name(request.api_key),
            **({"requestApiVersionDeprecated": True} if request.deprecated else {}),
        }
        head = f'[@] DEBUG Completed request:{{"isForwarded":false,"requestHeader":{_compact(header)},'
        security = {
            "securityProtocol": "SASL_SSL",
            "principal": request.principal,
            "listener": request.listener,
            "clientInformation": {
                "softwareName": request.software,
                "softwareVersion": request.software_version,
            },
        }
        tail = (
            '"request":{"timeoutMs":30000,"topics":[]},"response":{"throttleTimeMs":0,"errorCode":0},'
            '"connection":"10.0.0.1:9093-10.0.7.12:51234-11","totalTimeMs":@,"requestQueueTimeMs":0.04,'
            '"localTimeMs":0.2,"remoteTimeMs":0.0,"throttleTimeMs":0,"responseQueueTimeMs":0.05,'
            '"sendTimeMs":0.1,'
            f"{_compact(security)[1:-1]}}} (kafka.request.logger)\n"
        )
        return _template(head, stamp="[@]", number='"@"'), _template(tail, time=":@,")

    def of_text(self, request: LoggedRequest) -> tuple[bytes, bytes]:
        """A line as releases up to 2.7 write it (RequestChannel.Request.updateRequestMetrics)."""
        head = (
            f"[@] DEBUG Completed request:RequestHeader(apiKey={_enum_name(request.api_key)}, "
            f"apiVersion={request.version}, clientId={request.client_id}, "
            "correlationId=#@) -- {},response:{}"
        )
        software = (
            f",clientInformation:ClientInformation(softwareName={request.software}, "
            f"softwareVersion={request.software_version})"
            if self.names
            else ""
        )
        tail = (
            " from connection 10.0.0.1:9093-10.0.7.12:51234-11;totalTime:@,requestQueueTime:0.04,"
            "localTime:0.2,remoteTime:0.0,throttleTime:0,responseQueueTime:0.05,sendTime:0.1,securityProtocol:SASL_SSL,"
            f"principal:{request.principal},listener:{request.listener}{software} (kafka.request.logger)\n"
        )
        return _template(head, stamp="[@]", number="#@"), _template(tail, time=":@,")


def application_of(application: Application) -> str:
    """What an application has to be called: its client id, or the pattern of several."""
    return application.name if application.clients == 1 else f"{application.name}-<n>"


def _enum_name(key: int) -> str:
    """The name of an API in Kafka's enum ApiKeys."""
    name = api_name(key)
    parts = "".join(f"_{letter}" if letter.isupper() else letter for letter in name).strip("_")
    return parts.upper().replace(" ", "")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _template(text: str, *, stamp: str = "", number: str = "", time: str = "") -> bytes:
    """A text with placeholders as a template of bytes; the first placeholder of each kind is filled in."""
    text = text.replace("%", "%%")
    for place, form in ((stamp, "[%b]"), (number, "%d"), (time, ":%.1f,")):
        text = text.replace(place, form, 1) if place else text
    return text.encode("utf-8")


def simulate(path: Path, folder: Path) -> int:
    """Write the logs, the expected result and the owners of a fleet; returns the number of requests.

    `path` describes the fleet; the same file always gives the same logs. Raises InputError, OSError.
    """
    scenario = read_scenario(path)
    player = _Player(scenario)
    for day in range(scenario.days):
        rng = random.Random(f"{scenario.seed} {day}")
        date = (scenario.start + timedelta(days=day)).isoformat()
        for number, lines in enumerate(player.day(day, rng), 1):
            place = folder / LOGS / f"broker-{number}"
            place.mkdir(parents=True, exist_ok=True)
            is_last = day == scenario.days - 1
            name = "kafka-request.log" if is_last else f"kafka-request.log.{date}"
            text = b"".join(lines)
            if scenario.compress and not is_last:
                (place / f"{name}.gz").write_bytes(gzip.compress(text, 6, mtime=0))
            else:
                (place / name).write_bytes(text)
    (folder / TRUTH).write_text(json.dumps(_truth(player), indent=1) + "\n")
    (folder / OWNERS).write_text(_owners(scenario), encoding="utf-8")
    return player.lines


def _truth(player: _Player) -> dict[str, Any]:
    return {
        "requests": player.lines,
        "noise": player.noise,
        "rows": [[*key, *row] for key, row in sorted(player.rows.items())],
        "applications": [
            {
                "name": each.name,
                "team": each.team,
                "principal": each.principal,
                "sends_at_the_end": [[use.api_key, use.version] for use in each.phases[-1].uses],
            }
            for each in player.scenario.applications
        ],
    }


def _owners(scenario: Scenario) -> str:
    """The owners of the applications, in the format of `--owners`."""
    entries = {
        (each.team, each.principal): f"[[owner]]\nteam = {json.dumps(each.team)}\n"
        f"principal = {json.dumps(_literal(each.principal))}\n"
        for each in scenario.applications
        if each.team
    }
    return "\n".join(entries.values())


def _literal(text: str) -> str:
    """A pattern that matches only this text."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in text)
