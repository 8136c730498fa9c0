"""Each form of a line is read as its broker meant it, and what is none is counted by its reason."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fleet.logs import kafka_line
from wirebook.fleet import counts as counts_module
from wirebook.fleet import lines as module
from wirebook.fleet import logs
from wirebook.fleet.counts import Counts, Row
from wirebook.fleet.lines import LoggedRequest, Origin, Reason, Unreadable, parse
from wirebook.fleet.logs import lines_of
from wirebook.fleet.owners import Entry, Owners
from wirebook.specs.limits import MAX_NAME
from wirebook.specs.problems import InputError

AT = "2026-10-01T10:00:00.123"
APP = LoggedRequest(
    *("2026-10-01", AT, "apache-kafka-java", "3.9.0", "app", "User:app"),
    *(1, 11, Origin.CLIENT),
)
BODY = kafka_line().partition(b"Completed request:")[2].removesuffix(b" (kafka.request.logger)")


def read(*lines: bytes, owners: Owners | None = None) -> Counts:
    """The counts of some lines of a file."""
    counts = Counts(owners)
    counts.read(lines, "a.log")
    counts.end()
    return counts


def counted(*lines: bytes) -> tuple[Counts, list[tuple[LoggedRequest, int, str, str]]]:
    """What some lines come to."""
    counts = read(*lines)
    found = [
        (seen_of(row), tally.requests, tally.first, tally.last)
        for row, tally in counts.requests.items()
    ]
    return counts, sorted(found)


def seen_of(row: Row) -> LoggedRequest:
    """The request that a row counts, as if its application were the client id, without a time."""
    names = (row.software, row.software_version, row.application, row.principal)
    return LoggedRequest(row.day, "", *names, row.api_key, row.version, row.origin)


def test_the_sample_of_a_version_out_of_range_is_the_line_in_its_file() -> None:
    line = kafka_line(version=32_768)
    counts, _ = counted(line)
    assert [(sample.reason, sample.file) for sample in counts.samples] == [
        (Reason.NO_HEADER, "a.log")
    ]
    assert line.decode().startswith(counts.samples[0].text.rstrip("…"))


def test_servers_and_clients_of_one_application_are_told_apart_in_any_order() -> None:
    servers = kafka_line(client_id="broker-1-fetcher-0"), kafka_line(client_id="broker-2-fetcher-1")
    clients = kafka_line(client_id="broker-monitor"), kafka_line(client_id="broker-report")
    owners = Owners(applications=(Entry("all", re.compile(""), re.compile("broker-")),))
    origins = []
    for some in ((*servers, *clients), (*clients, *servers)):
        requests = read(*some, owners=owners).requests
        origins.append(sorted((row.origin, tally.requests) for row, tally in requests.items()))
    assert origins[0] == origins[1] == [(Origin.CLIENT, 2), (Origin.SERVER, 2)]


def test_a_line_with_the_prefix_of_log4j() -> None:
    assert parse(kafka_line()) == APP


def test_a_line_without_a_prefix_has_no_day() -> None:
    for line in (BODY, b"Completed request:" + BODY):
        assert parse(line) == APP._replace(day="unknown", at="")


def test_a_line_of_2_7() -> None:
    line = (
        b"[2020-10-01 10:00:00,123] DEBUG Completed request:RequestHeader(apiKey=LIST_OFFSETS, apiVersion=5, "
        b"clientId=a, b, correlationId=-3) -- {replica_id=-1,topics=[]},response:{throttle_time_ms=0} from "
        b"connection 10.0.0.1:9093-10.0.0.2:5-1;totalTime:1.2E-4,requestQueueTime:0.1,localTime:1.0,"
        b"remoteTime:0.0,throttleTime:0,responseQueueTime:0.1,sendTime:0.1,securityProtocol:SASL_SSL,"
        b"principal:User:CN=a,O=b,listener:EXTERNAL,clientInformation:ClientInformation("
        b"softwareName=apache-kafka-java, softwareVersion=2.7.0),"
        b"temporaryMemoryBytes:4 (kafka.request.logger)"
    )
    assert parse(line) == LoggedRequest(
        *(
            "2020-10-01",
            "2020-10-01T10:00:00.123",
            "apache-kafka-java",
            "2.7.0",
            "a, b",
            "User:CN=a,O=b",
        ),
        *(2, 5, Origin.CLIENT),
    )
    assert parse(line.replace(b"clientId=a, b,", b"clientId=null,")).client_id == ""
    before_2_4 = line.replace(
        b",clientInformation:ClientInformation(softwareName=apache-kafka-java, softwareVersion=2.7.0)",
        b"",
    )
    assert parse(before_2_4).software == "unknown"
    with pytest.raises(Unreadable, match="incomplete"):
        parse(line[:200])


def test_a_line_that_a_collector_has_wrapped_is_in_utc() -> None:
    for name, time in (("message", "@timestamp"), ("log", "time")):
        document = {time: "2026-10-01T23:30:00.5-02:00", name: "Completed request:" + BODY.decode()}
        found = parse(json.dumps(document).encode())
        assert found == APP._replace(day="2026-10-02", at="2026-10-02T01:30:00.500")


def test_what_a_collector_holds_counts_like_the_same_line_without_it() -> None:
    time = {"@timestamp": "2026-10-01T10:00:00.123Z"}
    for inner in (BODY, b"Completed request:" + BODY, json.dumps({"log": BODY.decode()}).encode()):
        for name in ("message", "log"):
            document = {**time, "level": "DEBUG", name: inner.decode() + "\n"}
            assert parse(json.dumps(document).encode()) == APP
    parsed = json.loads(BODY)
    for document in ({**time, **parsed}, {**parsed, **time}):
        assert parse(json.dumps(document).encode()) == APP


def times_of(*lines: bytes) -> list[str]:
    """When the requests of some lines were sent."""
    return [first for _, _, first, _ in counted(*lines)[1]]


CONTAINER = b"2026-10-02T02:00:00.123456789Z stdout %b "
OWN = b"2026-10-01 22:00:00,000 "
UNDATED = kafka_line().partition(b"] ")[2]


def test_the_time_of_a_broker_counts_more_than_that_of_its_container() -> None:
    whole, part = CONTAINER % b"F", CONTAINER % b"P"
    for own in (OWN, OWN + b"[thread] ", b"[" + OWN.strip() + b"] "):
        line = own + UNDATED
        assert times_of(line) == ["2026-10-01T22:00:00.000"]
        assert times_of(whole + line) == times_of(line)
        assert times_of(part + line[:200], whole + line[200:]) == times_of(line)


def test_the_time_of_a_container_counts_if_the_broker_writes_none() -> None:
    for line in (
        UNDATED,
        b"[thread] " + UNDATED,
        BODY,
        json.dumps({"msg": UNDATED.decode()}).encode(),
    ):
        for parts in (
            [CONTAINER % b"F" + line],
            [CONTAINER % b"P" + line[:200], b"2026-10-03T00:00:00Z stdout F " + line[200:]],
        ):
            assert times_of(*parts) == ["2026-10-02T02:00:00.123"]
        # It is that of its line only.
        assert sorted(times_of(CONTAINER % b"F" + line, line)) == ["", "2026-10-02T02:00:00.123"]


def test_half_a_line_before_a_line_does_not_date_it() -> None:
    for end in (b"DEBUG Compl", b"[thread] DEBUG Compl", b""):
        assert times_of(b"2026-09-30 23:59:59,999 " + end + OWN + UNDATED) == [
            "2026-10-01T22:00:00.000"
        ]
    assert times_of(b"2026-09-30 23:59:59,999" + OWN + UNDATED) == ["2026-10-01T22:00:00.000"]


def test_a_time_with_a_zone_is_in_utc() -> None:
    for zone in (b"-0700", b" -0700", b"-07:00", b" -07:00"):
        assert times_of(b"2026-10-01 22:00:00%b " % zone + UNDATED) == ["2026-10-02T05:00:00.000"]
        assert times_of(b"[2026-10-01 22:00:00,123%b] " % zone + UNDATED) == [
            "2026-10-02T05:00:00.123"
        ]
    for line in (b"[2026-10-01T23:30:00,123+02] ", b"2026-10-01 23:30:00.123 +02 "):
        assert times_of(line + UNDATED) == ["2026-10-01T21:30:00.123"]
    for no_zone in (b" -12345", b" Zone", b" -", b" +9900"):
        assert times_of(b"2026-10-01 22:00:00%b " % no_zone + UNDATED) == [
            "2026-10-01T22:00:00.000"
        ]


def test_the_first_date_among_the_times_of_a_collector_counts() -> None:
    for unusable in ("", "1790000000", "soon"):
        document = {
            "@timestamp": unusable,
            "time": "2026-10-01T10:00:00Z",
            "message": UNDATED.decode(),
        }
        assert times_of(json.dumps(document).encode()) == ["2026-10-01T10:00:00.000"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", Reason.NOT_A_REQUEST),
        (
            b"[2026-10-01 10:00:00,123] INFO started (kafka.server.KafkaServer)",
            Reason.NOT_A_REQUEST,
        ),
        (b'{"a": 1}', Reason.NOT_A_REQUEST),
        (kafka_line()[:-40], Reason.CUT),
        (kafka_line()[:200], Reason.CUT),
        (kafka_line().replace(b'"requestHeader":{', b'"requestHeader":'), Reason.CUT),
        (b"[" * 100_000 + kafka_line(), Reason.CUT),
        (b'{"requestHeader":' * 100_000 + b"1" + b"}" * 100_000, Reason.CUT),
        (b'{"a":' * 100_000, Reason.NOT_A_REQUEST),
        (
            b"[2026-10-01 10:00:00,000] TRACE [KafkaApi-1] Handling request:RequestHeader("
            b"apiKey=FETCH, apiVersion=3, clientId=a, correlationId=1) -- {replica_id=-1} from "
            b"connection 10.0.0.1:9092-10.0.0.2:5-1;securityProtocol:PLAINTEXT,principal:User:a "
            b"(kafka.server.KafkaApis)",
            Reason.NOT_A_REQUEST,
        ),
        (kafka_line(version=-1), Reason.NO_HEADER),
        (kafka_line(key=1 << 40), Reason.NO_HEADER),
        (kafka_line().replace(b":11,", b":" + b"9" * 5000 + b","), Reason.CUT),
        (b'{"requestHeader": 3}', Reason.NO_HEADER),
        (kafka_line().decode().encode("utf-16"), Reason.NOT_A_REQUEST),
    ],
)
def test_what_is_no_request_is_counted_by_its_reason(line: bytes, reason: Reason) -> None:
    if line.startswith(b"[["):
        # The brackets are no part of the request.
        assert parse(line).client_id == "app"
        return
    with pytest.raises(Unreadable) as caught:
        parse(line)
    assert caught.value.reason is reason
    counts, found = counted(line, kafka_line())
    assert [(request, number) for request, number, _, _ in found] == [(APP._replace(at=""), 1)]
    assert counts.skipped == ({reason: 1} if line else {})


def test_samples_are_bounded_and_printable() -> None:
    counts, _ = counted(*[b"\x1b[31m \xe2\x80\xae evil " + b"x" * 1000] * 1000)
    assert counts.skipped == {Reason.NOT_A_REQUEST: 1000}
    assert len(counts.samples) < 20
    assert all(sample.text.isprintable() and len(sample.text) < 300 for sample in counts.samples)


def test_names_that_are_too_long_or_no_text_are_kept_in_bounds() -> None:
    assert len(parse(kafka_line(client_id="x" * 40_000)).client_id) == MAX_NAME
    assert parse(kafka_line(client_id="a").replace(b'"a"', b'"\\ud800"')).client_id == "\\ud800"
    assert parse(kafka_line(client_id="a").replace(b'"a"', b'"\xff"')).client_id == "\\udcff"
    assert parse(kafka_line(client_id=None)).client_id == ""


names = st.text(max_size=30) | st.sampled_from(
    [
        '"clientInformation":{"softwareName":"x","softwareVersion":"y"}',
        ',"securityProtocol":"',
        "}",
        "\\",
        '"',
    ]
)
lines = st.builds(
    kafka_line,
    key=st.integers(0, 100),
    version=st.integers(0, 20),
    client_id=names | st.none(),
    at=st.sampled_from(
        ["2026-10-01 10:00:00,123", "2026-02-31 10:00:00,123", "2026-10-01 25:00:00,1", "x"]
    ),
    principal=names,
    listener=names,
    software=st.tuples(st.from_regex(r"[a-zA-Z0-9.-]{1,9}", fullmatch=True), names),
    request=st.recursive(
        names | st.integers(),
        lambda inner: st.dictionaries(names, inner, max_size=2) | st.lists(inner, max_size=2),
    ),
    more=st.sampled_from(
        [{}, {"temporaryMemoryBytes": 8}, {"messageConversionsTime": 0.5}, {"new": {"a": []}}]
    ),
)


@given(st.lists(lines, max_size=9), st.integers(0, 600), st.integers(0, 9))
def test_counts_of_parts_add_up_to_those_of_all(some: list[bytes], cut: int, at: int) -> None:
    """As tasks of Spark pass them on."""
    log = [
        *some,
        *(line[:cut] for line in some),
        *(line[:cut] + other for line, other in pairwise(some)),
    ]
    together = Counts()
    for part in (log[:at], log[at:]):
        for key, tally in read(*part).entries():
            together.add(key, tally)
    assert dict(together.entries()) == dict(read(*log).entries())


def test_more_applications_than_a_fleet_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_module, "MAX_NAMES", 2)
    lines = [kafka_line(client_id=f"evil{name}") for name in "abc"]
    assert len(read(*lines[:2], *lines[:2]).client_ids) == 2
    with pytest.raises(InputError, match=r"more than 2 applications, such as evilc: give those"):
        read(*lines)


def test_a_line_that_lacks_only_its_last_brace_is_no_request() -> None:
    line = kafka_line()
    cut = line[: line.rindex(b"}")]
    counts, found = counted(line, cut, line)
    assert [number for _, number, _, _ in found] == [2]
    assert sum(counts.skipped.values()) == 1


def test_equal_requests_are_counted_from_the_first_to_the_last() -> None:
    times = ["10:00:05,000", "09:00:00,001", "23:59:59,999", "10:00:05,000"]
    _, found = counted(*(kafka_line(at=f"2026-10-01 {time}") for time in times))
    assert found == [(APP._replace(at=""), 4, "2026-10-01T09:00:00.001", "2026-10-01T23:59:59.999")]


def test_a_line_of_10_mb_is_read_and_one_beyond_the_limit_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = kafka_line(request={"records": "x" * 10_000_000})
    path = tmp_path / "a.log"
    path.write_bytes(b"\n".join([long, kafka_line(), b"y" * 3_000_000, kafka_line(), b""]))
    counts, found = counted(*lines_of(path))
    assert [number for _, number, _, _ in found] == [3]
    assert counts.skipped == {Reason.NOT_A_REQUEST: 1}
    monkeypatch.setattr(module, "MAX_LINE", 2_000_000)
    monkeypatch.setattr(logs, "_LONGEST", 2_000_002)
    pieces = list(lines_of(path))
    assert max(map(len, pieces)) == 2_000_001
    counts, found = counted(*pieces)
    assert [number for _, number, _, _ in found] == [2]
    assert counts.skipped == {Reason.TOO_LONG: 2}
