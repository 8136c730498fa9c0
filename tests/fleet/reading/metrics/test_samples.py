"""Each form of a dump gives the counters that the broker had, and what is none is counted by its reason."""

from __future__ import annotations

import os

import pytest

from wirebook.fleet.reading.metrics.samples import Dump, Scrape, Series, form_of
from wirebook.fleet.requests import LineForm, Reason

FETCH = Series("Fetch", 3, "", "")
OLD = Series("Fetch", 3, "sarama", "1.29")
BEAN = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Fetch,version=3"
OLD_BEAN = (
    "kafka.network:type=RequestMetrics,name=DeprecatedRequestsPerSec,request=Fetch,version=3,"
    "clientSoftwareName=sarama,clientSoftwareVersion=1.29"
)
LABELS = 'request="Fetch",version="3"'
WITH = 'request="Fetch",version="3",clientSoftwareName="sarama",clientSoftwareVersion="1.29"'

LOWER = WITH.replace("clientSoft", "clientsoft")


def read(text: str, path: str = "m/broker-1.prom") -> tuple[list[Scrape], Dump]:
    form = form_of(text.encode())
    assert form is not None
    dump = Dump(path, form)
    return dump.read(text.encode().splitlines()), dump


@pytest.mark.parametrize(
    ("plain", "old"),
    [
        # The default format of jmx_exporter.
        (
            f'kafka_network_RequestMetrics_Count{{name="RequestsPerSec",{LABELS},}}',
            f'kafka_network_RequestMetrics_Count{{name="DeprecatedRequestsPerSec",{WITH},}}',
        ),
        # Its example rules, with and without names in lower case.
        (
            f"kafka_network_requestmetrics_requests_total{{{LABELS}}}",
            f"kafka_network_requestmetrics_deprecatedrequests_total{{{LOWER}}}",
        ),
        (
            f"kafka_network_RequestMetrics_RequestsPerSec_Count{{{LABELS}}}",
            f"kafka_network_RequestMetrics_DeprecatedRequestsPerSec_Count{{{WITH}}}",
        ),
        (
            f'{{__name__="kafka_network_requestmetrics_requestspersec_count",{LABELS}}}',
            f'{{__name__="kafka_network_requestmetrics_deprecatedrequestspersec_total",{WITH}}}',
        ),
    ],
)
def test_prometheus_by_any_rules(plain: str, old: str) -> None:
    scrapes, dump = read(
        f"# HELP x y\n# TYPE x counter\n{plain} 1.2E7\n{old} 25.0\n"
        'kafka_network_requestmetrics_requestspersec_oneminuterate{request="Fetch",version="3"} 4.2\n'
        'kafka_network_requestmetrics_totaltimems_count{request="Fetch"} 4\njvm_info 1\n'
    )
    assert scrapes == [Scrape(os.path.realpath("m/broker-1.prom"), "", {FETCH: 12_000_000, OLD: 25})]
    assert (dump.others, dump.skipped) == (3, [])


def test_exemplars_and_braces_in_labels_are_no_part_of_a_counter() -> None:
    name = "kafka_network_requestmetrics_requests_total"
    scrapes, dump = read(
        f'{name}{{{LABELS}}} 17 # {{trace_id="a"}} 1.0\n'
        f'{name}{{request="Produce",version="3",note="}} 4 # {{\\"}}"}} 5 1760000000 # {{a="b"}} 2.0 1.5\n'
    )
    assert [sum(scrape.values.values()) for scrape in scrapes] == [17, 5]
    assert dump.skipped == []


def test_moments_of_samples_and_the_brokers_that_labels_name() -> None:
    name = "kafka_network_requestmetrics_requests_total"
    lines = [
        f'{name}{{{LABELS},instance="a:9404",job="kafka"}} {value} {at}'
        for value, at in ((1, 1_760_000_000_000), (5, 1_760_003_600_000), (9, "1760007200.5"))
    ]
    lines.append(f'{name}{{{LABELS},instance="b:9404",job="kafka"}} 7 1760000000000')
    scrapes, _ = read("\n".join(lines), "dump-2026-11-20.txt")
    assert [(scrape.source, scrape.at, scrape.values[FETCH]) for scrape in scrapes] == [
        ("job=kafka,instance=a:9404", "2025-10-09T08:53:20.000", 1),
        ("job=kafka,instance=a:9404", "2025-10-09T09:53:20.000", 5),
        ("job=kafka,instance=a:9404", "2025-10-09T10:53:20.500", 9),
        ("job=kafka,instance=b:9404", "2025-10-09T08:53:20.000", 7),
    ]


@pytest.mark.parametrize(
    ("path", "source", "at"),
    [
        ("m/broker-1.prom", "m/broker-1.prom", ""),
        ("m/broker-1_2026-11-20T10:05.prom", "m/broker-1_", "2026-11-20T10:05:00.000"),
        ("m/1/20261120-100507.prom", "m/1", "2026-11-20T10:05:07.000"),
        ("m/broker-1-2026-11-20.txt", "m/broker-1-", "2026-11-20T00:00:00.000"),
        ("m/broker-1-2026-13-20.txt", "m/broker-1-2026-13-20.txt", ""),
        ("m/i-01234567890abcdef_2026-11-20.prom", "m/i-01234567890abcdef_", "2026-11-20T00:00:00.000"),
        ("m/broker-20190101_2026-11-20T10.prom", "m/broker-20190101_", "2026-11-20T00:00:00.000"),
        ("m/broker-20190101-20261120101112.prom", "m/broker-20190101-", "2026-11-20T10:11:12.000"),
        ("m/broker-1_1710121500.prom", "m/broker-1_1710121500.prom", ""),
    ],
)
def test_the_name_of_a_file_has_its_moment_and_its_broker(path: str, source: str, at: str) -> None:
    (scrape,), _ = read(f"kafka_network_requestmetrics_requests_total{{{LABELS}}} 1", path)
    assert (scrape.source.rstrip("/"), scrape.at) == (os.path.realpath(source), at)


@pytest.mark.parametrize(
    "text",
    [
        f'"time","{BEAN}:Count","{OLD_BEAN}:Count","kafka.server:type=X:Count"\n1760000000000,12,25,3\n',
        f'time,"1760000000000"\n{BEAN}:Count,"12"\n{OLD_BEAN}:Count,"25"\n{BEAN}:MeanRate,"0.5"\n',
        f"time=1760000000000\n{BEAN}:Count=12\n{OLD_BEAN}:Count=25\n{BEAN}:EventType=requests\n",
        f"time\t1760000000000\n{BEAN}:Count\t12\n{OLD_BEAN}:Count\t25\n{BEAN}:RateUnit\tSECONDS\n",
        f"time=2025-10-09_08:53:20\n{BEAN}:Count=12\n{OLD_BEAN}:Count=25\n{BEAN}:MeanRate=1\n",
    ],
    ids=["original", "csv", "properties", "tsv", "date-format"],
)
def test_what_jmxtool_prints(text: str) -> None:
    scrapes, dump = read(text, "jmx.csv")
    assert scrapes == [Scrape(os.path.realpath("jmx.csv"), "2025-10-09T08:53:20.000", {FETCH: 12, OLD: 25})]
    assert (dump.others, dump.skipped) == (1, [])


def test_what_jmxterm_prints() -> None:
    text = f"#mbean = {BEAN}:\nCount = 12;\n\nMeanRate = 0.5;\n\n#mbean = {OLD_BEAN}:\nCount = 25;\n"
    scrapes, dump = read(text, "jmxterm.txt")
    assert scrapes == [Scrape(os.path.realpath("jmxterm.txt"), "", {FETCH: 12, OLD: 25})]
    assert (dump.others, dump.skipped) == (1, [])


def test_what_is_no_counter_is_counted_by_its_reason() -> None:
    name = "kafka_network_requestmetrics_requests_total"
    bad = [
        f"{name}{{{LABELS}}} NaN",
        f"{name}{{{LABELS}}} -1",
        f"{name}{{{LABELS}}} 1e400",
        f'{name}{{request="Fetch",version="x"}} 1',
        f'{name}{{request="Fetch",version="{"9" * 5000}"}} 1',
        f'{name}{{version="3"}} 1',
        f"{name}{{{LABELS}",
        "\x00\x01",
    ]
    scrapes, dump = read("\n".join([f"{name}{{{LABELS}}} 1", *bad]))
    assert scrapes[0].values == {FETCH: 1}
    assert [reason for reason, _ in dump.skipped] == [Reason.NO_COUNTER] * len(bad)
    row = f'"time","{BEAN}:Count"\n1760000000000\n1760000000000,x\n'
    _, dump = read(row)
    assert [reason for reason, _ in dump.skipped] == [Reason.CUT, Reason.NO_COUNTER]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[2026-10-01 10:00:00,123] DEBUG Completed request:{}",
        b'{"schema": "wirebook/mock/1"}',
        b"nothing of interest 3\n",
        b"\x1f\x8b",
        b"time passes",
        b"log 0\n",
        b"a_log 0\n[2026-10-01 10:00:00,123] DEBUG Completed request:{}",
    ],
)
def test_what_is_no_dump(text: bytes) -> None:
    assert form_of(text) is None


def test_hostile_labels_end_in_time() -> None:
    text = "kafka_network_requestmetrics_requests_total{" + 'a="\\' * 50_000 + " 1"
    _, dump = read(f"# TYPE x counter\n{text}\n")
    assert len(dump.skipped) == 1
    assert form_of(b"a" * 65536) is None
    assert form_of(b"kafka_x{" * 8000) is LineForm.PROMETHEUS
