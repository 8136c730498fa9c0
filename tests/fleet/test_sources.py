"""Logs, metrics, client telemetry and a probe in one inventory, which names what its sources disagree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import asked, rows
from wirebook.fleet.reading.metrics import reading
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.tables.state import read_state
from wirebook.specs.problems import InputError

DEPRECATED = (
    'kafka_network_requestmetrics_deprecatedrequestspersec_count{{request="Fetch",version="{}",'
    'clientsoftwarename="{}",clientsoftwareversion="1.29",instance="b1"}} {}\n'
)
INSTANCE = (
    'org_apache_kafka_consumer_fetch_total{{client_instance_id="{}",client_id="{}",principal="User:{}",'
    'client_software_name="apache-kafka-java",client_software_version="4.0.0"}} 7\n'
)


def probe(folder: Path, **ranges: str) -> Path:
    """The output of a probe of one broker that lists these ranges, by "_KEY"."""
    apis = [
        {
            "key": int(name[1:]),
            "versions": text.partition(" but ")[0],
            "refused": text.partition(" but ")[2] or None,
        }
        for name, text in ranges.items()
    ]
    document = {"schema": "wirebook/probe/1", "brokers": [{"answered": True, "apis": apis}]}
    (folder / "probe.json").write_text(json.dumps(document))
    return folder / "probe.json"


def log(folder: Path, *sent: tuple[str, int, int], at: str = "2026-10-01 10:00:00,000", **more: Any) -> Path:
    """A log of requests by client id, API and version."""
    lines = [
        kafka_line(key, version, name, principal=f"User:{name}", at=at, **more) + b"\n"
        for name, key, version in sent
    ]
    path = folder / "a.log"
    path.write_bytes(b"".join(lines))
    return path


def test_metrics_add_what_no_log_names(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    log(tmp_path / "in", ("old", 1, 3), ("new", 1, 17), software=("sarama", "1.29"))
    text = DEPRECATED.format(3, "sarama", 5) + DEPRECATED.format(2, "kafka-go", 4)
    (tmp_path / "in" / "b1_2026-10-01.prom").write_text(text)
    summary = asked(tmp_path / "in", tmp_path / "out").summary
    assert summary.headline == "1 of 2 applications breaks at 4.0: 1 without an owner"
    assert {(use.software, use.version, use.requests, use.in_log) for use in summary.metrics} == {
        ("sarama", 3, 5, True),
        ("kafka-go", 2, 4, False),
    }
    # What the log shows counts once: as the log has it.
    assert summary.requests.refused == 1 + 4
    assert any("4 requests that 4.0 refuses and no request log shows" in it for it in summary.not_known)
    assert [source.source for source in summary.sources] == [
        "request log",
        "metrics of brokers",
        "specs of the target",
    ]


def test_client_telemetry_names_clients_that_no_log_shows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    log(tmp_path / "in", ("old", 1, 3))
    text = "".join(INSTANCE.format(n, f"worker-{n}", "etl") * 2 for n in range(3))
    (tmp_path / "in" / "otlp_2026-10-01.prom").write_text(text)
    for _ in range(2):
        summary = asked(tmp_path / "in", tmp_path / "out").summary
        assert (summary.applications.total, summary.applications.served) == (2, 1)
        assert summary.logs.read == {"client-telemetry": 3, "kafka-json": 1}
        # They are no requests.
        assert summary.requests.served == 0
        assert summary.period.last == "2026-10-01T10:00:00"


@pytest.mark.parametrize("keyed", [False, True])
def test_a_client_instance_counts_once_a_day(keyed: bool, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef")
    more = {"pseudonymize": tmp_path / "key"} if keyed else {}
    first, second = tmp_path / "in" / "otlp_2026-10-01.prom", tmp_path / "in" / "otlp_2026-10-01T1200.prom"
    first.parent.mkdir()
    lines = [INSTANCE.format(f"instance-{n}", f"worker-{n}", "etl") for n in range(3)]
    for path, number in ((first, 1), (first, 2), (second, 3)):
        path.write_text("".join(lines[:number]))
        summary = asked(tmp_path / "in", tmp_path / "out", **more).summary
        assert summary.logs.read == {"client-telemetry": number}
    assert rows(tmp_path / "out")[-1][-2:] == ["2026-10-01T00:00:00.000", "2026-10-01T12:00:00.000"]
    (tmp_path / "in" / "otlp_2026-10-02.prom").write_text(lines[0])
    assert asked(tmp_path / "in", tmp_path / "out", **more).summary.logs.read == {"client-telemetry": 4}
    assert "instance-" not in (tmp_path / "out" / "state.json").read_text()


def test_only_so_many_client_instances_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_INSTANCES", 5)

    def scraped(day: int, number: int) -> Any:
        text = "".join(INSTANCE.format(f"{day}-{n}", "worker", "etl") for n in range(number))
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / f"b{number}_2026-10-0{day}.prom").write_text(text)
        return asked(tmp_path / "logs", tmp_path / "out").summary.logs

    assert scraped(2, 3).read == {"client-telemetry": 3}
    assert scraped(3, 3).read == {"client-telemetry": 6}
    state = read_state(tmp_path / "out")
    assert state is not None
    assert {day: len(seen) for day, seen in state.instances.items()} == {"2026-10-02": 0, "2026-10-03": 3}
    # Of a day after those that were forgotten, new instances count.
    assert scraped(3, 4).read == {"client-telemetry": 7}
    for day in (1, 2):
        logs = scraped(day, 9)
        assert logs.read == {"client-telemetry": 7}
        problem = f"has telemetry of 2026-10-0{day}, whose client instances are no longer known: not counted"
        assert problem in [each.problem for each in logs.problems]


def test_outputs_that_have_read_the_telemetry_of_one_instance_are_refused(tmp_path: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        text = "".join(INSTANCE.format(f"instance-{n}", "worker", "etl") for n in range(number))
        (tmp_path / f"{name}_2026-10-01.prom").write_text(text)
        asked(tmp_path / f"{name}_2026-10-01.prom", tmp_path / name)
    with pytest.raises(InputError, match="telemetry of clients that is counted already: 1 client instance"):
        fleet(FleetRequest([str(tmp_path / "a"), str(tmp_path / "b")], "4.0", tmp_path / "out"))


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_merge_names_the_days_whose_client_instances_cannot_be_compared(
    order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_INSTANCES", 1)
    for name, days in (("a", (1, 2, 3)), ("b", (1, 2))):
        for day in days:
            text = INSTANCE.format(f"instance-{name}-{day}", "worker", "etl")
            (tmp_path / f"{name}_2026-10-0{day}.prom").write_text(text)
        asked(tmp_path / f"{name}_*.prom", tmp_path / name)
    outputs = [str(tmp_path / name) for name in order]
    for _ in range(2):
        logs = fleet(FleetRequest(outputs, "4.0", tmp_path / "out")).summary.logs
        assert logs.read == {"client-telemetry": 5}
        words = "has telemetry that cannot be compared: client instances up to 2026-10-02 may count twice"
        assert [(each.file, each.problem) for each in logs.problems] == [(outputs[1], words)]
    (tmp_path / "c_2026-10-03.prom").write_text(INSTANCE.format("instance-c", "worker", "etl"))
    asked(tmp_path / "c_2026-10-03.prom", tmp_path / "c")
    given = FleetRequest([*outputs, str(tmp_path / "c")], "4.0", tmp_path / "out")
    assert len(fleet(given).summary.logs.problems) == 1


def test_a_probe_of_the_target_counts_more_than_its_specs(tmp_path: Path) -> None:
    path = log(
        tmp_path, ("patched", 1, 3), ("served", 1, 17), ("cut", 8, 9), ("telemetry", 72, 0), ("old", 0, 2)
    )
    given = FleetRequest(
        [str(path)], "4.0", tmp_path / "out", probe=probe(tmp_path, _0="0-12 but 0-2", _1="2-17", _8="2-8")
    )
    summary = fleet(given).summary
    assert [item.name for item in summary.cut_off] == ["cut", "old"]
    assert {(item.api, item.version, item.specs, item.probe) for item in summary.disagreements} == {
        ("Fetch", 3, "refused", "served"),
        ("OffsetCommit", 9, "served", "refused"),
    }
    assert summary.not_known[-1].startswith("Why the probe and the specs of 4.0 disagree about 2 versions")
    assert "Where the probe and the specs disagree" in (tmp_path / "out" / "index.html").read_text()
    (tmp_path / "probe.json").write_text(
        '{"schema": "wirebook/probe/1", "brokers": [{"answered": false, "apis": []}]}'
    )
    with pytest.raises(InputError, match="no broker answered this probe"):
        fleet(given)


def test_the_log_shows_what_the_cluster_may_be(tmp_path: Path) -> None:
    path = log(tmp_path, ("a", 1, 16), ("b", 4, 7))
    summary = asked(path, tmp_path / "out").summary
    assert (summary.cluster.releases[0], summary.cluster.releases[-1]) == ("3.7", "3.9.1")
    assert summary.cluster.beyond == ()


def test_what_brokers_like_the_target_serve_only_possibly_breaks(tmp_path: Path) -> None:
    # ListOffsets 11 is of 4.2, Fetch 3 of 3.9: patched brokers, or an upgrade that goes on.
    path = log(tmp_path, ("patched", 1, 3), ("new", 2, 11), ("newer", 88, 0))
    summary = fleet(FleetRequest([str(path)], "4.2", tmp_path / "out")).summary
    (item,) = summary.cut_off
    assert (item.confidence, item.because) == (
        "possible",
        "brokers that are otherwise like the target serve them",
    )
    assert summary.cluster.beyond == ("Fetch v3",)
    assert any(it.startswith("Why the cluster serves Fetch v3") for it in summary.not_known)


def test_a_java_client_is_free_to_choose(tmp_path: Path) -> None:
    path = log(tmp_path, ("java", 1, 3), ("ancient", 1, 2), software=("apache-kafka-java", "2.4.0"))
    with path.open("ab") as file:
        file.write(
            kafka_line(1, 2, "ancient", principal="User:ancient", software=("apache-kafka-java", "0.9.0"))
            + b"\n"
        )
    summary = asked(path, tmp_path / "out").summary
    assert {(item.name, item.confidence) for item in summary.cut_off} == {
        ("java", "possible"),
        ("ancient", "certain"),
    }


def test_software_that_is_named_queries_api_versions(tmp_path: Path) -> None:
    """KIP-511: a client names its software in ApiVersions, and nowhere else."""
    path = log(tmp_path, ("named", 0, 2), software=("kgo", "v1.15.0"))
    with path.open("ab") as file:
        file.write(
            kafka_line(0, 2, "unnamed", principal="User:unnamed", software=("unknown", "unknown")) + b"\n"
        )
    summary = asked(path, tmp_path / "out").summary
    reasons = {item.name: (item.confidence, item.because) for item in summary.cut_off}
    assert reasons == {
        "named": ("likely", "it sends these versions, and may support others"),
        "unnamed": ("likely", "it sends these versions, and no log shows that it queries ApiVersions"),
    }


def test_names_that_do_not_return_are_one_application(tmp_path: Path) -> None:
    words = ["".join("abcdefghij"[int(digit)] for digit in str(number)) + "x" for number in range(1000, 1060)]
    lines = b""
    for number, word in enumerate(words):
        at = f"2026-10-{1 + number % 20:02} 10:00:00,000"
        lines += kafka_line(1, 3, f"job-{word}", principal="User:shared", at=at) + b"\n"
        for name in ("team-orders", "team-stock"):
            lines += kafka_line(1, 3, name, principal="User:shared", at=at) + b"\n"
    (tmp_path / "a.log").write_bytes(lines)
    summary = asked(tmp_path / "a.log", tmp_path / "out").summary
    assert {(item.name, item.refused, item.client_ids.number) for item in summary.cut_off} == {
        ("job-<any>", 60, 60),
        ("team-orders", 60, 1),
        ("team-stock", 60, 1),
    }
