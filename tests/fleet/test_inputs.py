"""Metrics, results of the probe and outputs of other runs: counted once, in one go or day after day."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fleet.logs import kafka_line
from tests.fleet.summaries import refused, rows
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.docgen.catalog.json_records import to_json
from wirebook.fleet.run import FleetRequest, fleet
from wirebook.fleet.tables import tables
from wirebook.specs.output import FLEET, owned
from wirebook.specs.problems import InputError

NAME = "kafka_network_RequestMetrics_Count"
OLD = 'name="DeprecatedRequestsPerSec",request="Fetch",version="3"'
SARAMA = 'clientSoftwareName="sarama",clientSoftwareVersion="1.29"'


def scrape(fetch: int, sarama: int, produce: int = 0) -> str:
    """What jmx_exporter answers for a broker."""
    return (
        "# TYPE kafka_network_RequestMetrics_Count untyped\n"
        f'{NAME}{{name="RequestsPerSec",request="Fetch",version="3",}} {fetch}.0\n'
        f'{NAME}{{name="RequestsPerSec",request="FetchConsumer",version="3",}} {fetch}.0\n'
        f"{NAME}{{{OLD},{SARAMA},}} {sarama}.0\n"
        f'{NAME}{{name="RequestsPerSec",request="Produce",version="9",}} {produce}.0\n'
        "jvm_threads_current 40.0\n"
    )


def asked(output: Path, *names: Path, **more: Any) -> Any:
    """The output for some inputs."""
    return fleet(FleetRequest([str(name) for name in names], "4.0", output, **more))


def found(output: Path) -> list[tuple[Any, ...]]:
    """Day, software, API, version and requests of an output."""
    return sorted((row[0], row[1], row[6], row[7], row[10]) for row in rows(output))


@pytest.mark.parametrize("one_by_one", [False, True])
def test_scrapes_of_brokers_are_requests_by_day(one_by_one: bool, tmp_path: Path) -> None:
    scrapes = {
        "broker-1_2026-11-20T10:00.prom": scrape(100, 40, 5),
        "broker-1_2026-11-20T22:00.prom": scrape(160, 60, 5),
        "broker-2_2026-11-20T10:00.prom": scrape(7, 0),
        "broker-1_2026-11-21T10:00.prom": scrape(170, 65, 5),
        "broker-2_2026-11-21T10:00.prom": scrape(3, 3),
    }
    (tmp_path / "in").mkdir()
    for name, text in scrapes.items():
        (tmp_path / "in" / name).write_text(text)
        if one_by_one:
            made = asked(tmp_path / "out", tmp_path / "in")
    made = asked(tmp_path / "out", tmp_path / "in")
    again = asked(tmp_path / "out", tmp_path / "in")
    assert found(tmp_path / "out") == [
        ("2026-11-20", "sarama", 1, 3, 20),
        ("2026-11-20", "unknown", 1, 3, 40),
        # The counters of broker 2 are lower: it was restarted.
        ("2026-11-21", "sarama", 1, 3, 8),
        ("2026-11-21", "unknown", 1, 3, 5),
    ]
    assert made.summary.logs.requests == 73
    assert made.summary.logs.read == {"prometheus": 73}
    assert made.summary.logs.skipped == {"another metric": 5}
    assert (again.files, again.unchanged, again.lines) == (5, 5, 0)
    assert to_json(again.summary) == to_json(made.summary)
    # Metrics name no application.
    assert made.summary.cut_off == ()
    assert made.summary.applications.total == 0
    assert made.summary.headline == "73 requests are refused at 4.0; metrics do not name applications"
    assert {
        (use.software, use.api, use.status, use.requests, use.in_log) for use in made.summary.metrics
    } == {
        ("sarama", "Fetch", "refused", 28, False),
        ("unknown", "Fetch", "refused", 45, False),
    }
    for name in ("fleet", "fleet_state"):
        schema = json.loads((ROOT / f"fleet/schema/{name}.json").read_text())
        document = "summary.json" if name == "fleet" else "state.json"
        value = json.loads((tmp_path / "out" / document).read_text())
        assert [error.message for error in Draft202012Validator(schema).iter_errors(value)] == []


def test_one_scrape_is_a_total_since_an_unknown_day(tmp_path: Path) -> None:
    (tmp_path / "a.prom.gz").write_bytes(gzip.compress(scrape(100, 40).encode()))
    shutil.copy(tmp_path / "a.prom.gz", tmp_path / "copy.prom.gz")
    made = asked(tmp_path / "out", tmp_path / "a.prom.gz", tmp_path / "copy.prom.gz")
    assert found(tmp_path / "out") == [("unknown", "sarama", 1, 3, 40), ("unknown", "unknown", 1, 3, 60)]
    assert [item.problem for item in made.summary.logs.problems] == [
        "has the same text as another file, and counts once"
    ]


@pytest.mark.parametrize("runs", [1, 2])
def test_what_is_taken_back_is_taken_from_the_form_that_showed_it(runs: int, tmp_path: Path) -> None:
    bean = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Fetch,version=3"
    first, second = tmp_path / "b_2026-11-01.jmx", tmp_path / "b_2026-11-02.prom"
    first.write_text(f"{bean}:Count=100\n")
    second.write_text(scrape(110, 0))
    if runs == 2:
        assert asked(tmp_path / "out", first).summary.logs.read == {"jmx": 100}
    assert asked(tmp_path / "out", first, second).summary.logs.read == {"prometheus": 10}


def test_owners_of_everything_own_no_metrics(tmp_path: Path) -> None:
    (tmp_path / "owners.toml").write_text(
        '[[owner]]\nteam = "all"\nprincipal = "*"\n[[application]]\nname = "any"\nclient_id = "*"\n'
    )
    (tmp_path / "key").write_text("0123456789abcdef")
    for day, total in ((1, 100), (2, 110)):
        (tmp_path / f"b_2026-11-0{day}.prom").write_text(scrape(total, 0))
    asked(tmp_path / "out", tmp_path / "b_2026-11-01.prom")
    asked(tmp_path / "out", tmp_path / "b_2026-11-02.prom", owners=tmp_path / "owners.toml")
    asked(
        tmp_path / "hidden", tmp_path / "out", owners=tmp_path / "owners.toml", pseudonymize=tmp_path / "key"
    )
    for output in ("out", "hidden"):
        (row,) = tables.read_all(tmp_path / output).to_pylist()
        assert (row["day"], row["application"], row["requests"]) == ("2026-11-02", "(metrics)", 10)
        assert (row["principal"], row["owner"]) == ("", "")


def test_what_jmxtool_and_the_probe_print_beside_a_log(tmp_path: Path) -> None:
    bean = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Fetch,version=3"
    (tmp_path / "in").mkdir()
    table = f'"time","{bean}:Count"\n1760000000000,12\n1760003600000,20\n'
    (tmp_path / "in" / "jmx.csv").write_text(table)
    (tmp_path / "in" / "a.log").write_bytes(kafka_line(version=3) + b"\n")
    step = {"api": "ApiVersions", "version": 4, "outcome": "listed"}
    probe: dict[str, Any] = {"schema": "wirebook/probe/1", "tool": {"name": "wirebook", "version": "0.1.0"}}
    probe |= {"brokers": [{"conversation": [step, {**step, "version": 3}]}]}
    (tmp_path / "in" / "probe.json").write_text(json.dumps(probe, indent=2))
    made = asked(tmp_path / "out", tmp_path / "in")
    assert found(tmp_path / "out") == [
        ("2025-10-09", "unknown", 1, 3, 8),
        ("2026-10-01", "apache-kafka-java", 1, 3, 1),
        ("unknown", "wirebook", 18, 3, 1),
        ("unknown", "wirebook", 18, 4, 1),
    ]
    assert made.summary.logs.read == {"jmx": 8, "kafka-json": 1, "wirebook-probe": 2}
    assert asked(tmp_path / "out", tmp_path / "in").lines == 0


def test_a_file_without_counters_and_a_late_scrape_are_reported(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "jvm.prom").write_text("# TYPE jvm_info gauge\njvm_info 1\n")
    (tmp_path / "in" / "b_2026-11-20.prom").write_text(
        scrape(10, 0) + scrape(1, 0).replace("Fetch", "Fetsch")
    )
    (tmp_path / "in" / "cut.prom.gz").write_bytes(gzip.compress(scrape(10, 0).encode())[:-9])
    asked(tmp_path / "out", tmp_path / "in")
    (tmp_path / "in" / "b_2026-11-19.prom").write_text(scrape(4, 0))
    made = asked(tmp_path / "out", tmp_path / "in")
    problems = {Path(item.file).name: item.problem for item in made.summary.logs.problems}
    assert "has no counter of requests" in problems["jvm.prom"]
    assert problems["b_2026-11-20.prom"].endswith("no release has by name: Fetsch, FetschConsumer")
    assert problems["b_2026-11-19.prom"] == "has a scrape that is not later than one that was counted"
    assert "cut off or corrupt" in problems["cut.prom.gz"]
    assert made.summary.logs.requests == 10


# -- outputs of other runs --------------------------------------------------------------------------


def cluster(folder: Path, name: str, version: int) -> Path:
    """The output for a log of a cluster."""
    folder.mkdir(exist_ok=True)
    lines = [kafka_line(version=version, client_id=name, principal=f"User:{name}") + b"\n"] * 3
    (folder / f"{name}.log").write_bytes(b"".join([*lines, b"no request\n"]))
    asked(folder / name, folder / f"{name}.log")
    return folder / name


def test_outputs_of_other_clusters_are_merged_and_count_once(tmp_path: Path) -> None:
    east, west = (cluster(tmp_path / "c", name, version) for name, version in (("east", 3), ("west", 11)))
    (tmp_path / "north.log").write_bytes(kafka_line(version=2, client_id="north") + b"\n")
    given = (tmp_path / "out", tmp_path / "north.log", east, west)
    made = asked(*given)
    whole = asked(tmp_path / "whole", tmp_path / "north.log", *(tmp_path / "c").glob("*.log"))
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")
    assert made.summary.logs.requests == whole.summary.logs.requests == 7
    assert made.summary.logs.skipped == {"not a request": 2}
    again = asked(*given)
    assert to_json(again.summary) == to_json(made.summary)
    # A log that the other run has read counts no second time.
    asked(tmp_path / "out", tmp_path / "c" / "east.log", east)
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


def test_a_copy_of_an_output_counts_once_and_the_output_itself_is_no_input(tmp_path: Path) -> None:
    east = cluster(tmp_path / "c", "east", 3)
    shutil.copytree(east, tmp_path / "copy")
    made = asked(tmp_path / "c" / "out", tmp_path / "copy", east)
    assert made.summary.logs.requests == 3
    # The folder of logs holds the output; its own files are no logs.
    again = asked(tmp_path / "c" / "out", tmp_path / "c", tmp_path / "copy")
    assert again.summary.logs.requests == 3
    assert again.summary.logs.skipped == {"not a request": 1}


def test_what_would_count_twice_is_refused(tmp_path: Path) -> None:
    east = cluster(tmp_path / "c", "east", 3)
    log = tmp_path / "c" / "east.log"
    asked(tmp_path / "both", log)
    with pytest.raises(InputError, match=r"has read .*east\.log, which is counted already"):
        asked(tmp_path / "both", log, east)
    asked(tmp_path / "out", east)
    with log.open("ab") as file:
        file.write(kafka_line(version=3) + b"\n")
    asked(east, log)
    with pytest.raises(InputError, match="has changed since it was merged"):
        asked(tmp_path / "out", east)
    for name in ("1", "2"):
        (tmp_path / f"m{name}").mkdir()
        (tmp_path / "m.prom").write_text(scrape(int(name), 0))
        asked(tmp_path / f"m{name}" / "out", tmp_path / "m.prom")
    with pytest.raises(InputError, match=r"has counters of .*m\.prom, which are counted already"):
        asked(tmp_path / "both", tmp_path / "m1" / "out", tmp_path / "m2" / "out")
    assert owned(tmp_path / "both", FLEET) is not None
    assert len(rows(tmp_path / "both")) == 1


@pytest.mark.parametrize("numbers", [(2, 9), (9, 2), (2, 900), (300, 900)])
def test_outputs_that_have_read_one_log_to_different_points_are_refused(
    numbers: tuple[int, int], tmp_path: Path
) -> None:
    lines = [kafka_line(request={"line": number}) + b"\n" for number in range(900)]
    for number in numbers:
        (tmp_path / "a.log").write_bytes(b"".join(lines[:number]))
        asked(tmp_path / f"{number}", tmp_path / "a.log")
    (tmp_path / "a.log").unlink()
    with pytest.raises(InputError, match=r"has read .*a\.log, which is counted already"):
        asked(tmp_path / "out", *(tmp_path / f"{number}" for number in numbers))


def streamed(output: Path, *, has_files: bool = False, batch: int = 0, query: str = "query") -> Path:
    """The output as the stream of a topic leaves it, without positions; or of files, with their starts."""
    path = output / "state.json"
    state = json.loads(path.read_text())
    unknown = {"size": 0, "modified": 0, "inode": 0, "suffix": "", "starts": []}
    files = [{**each, **unknown, "path": f"file://{each['path']}"} for each in state["positions"]]
    state |= {"positions": [], "stream": [query, batch], "objects": files if has_files else []}
    path.write_text(json.dumps(state))
    return output


@pytest.mark.parametrize("is_later", [False, True])
def test_a_log_that_a_stream_has_read_is_refused_beside_its_output(is_later: bool, tmp_path: Path) -> None:
    stream = streamed(cluster(tmp_path / "c", "east", 3), has_files=True)
    log = tmp_path / "c" / "east.log"
    if is_later:
        asked(tmp_path / "out", stream)
    with pytest.raises(InputError, match=r"has the same text as file://.*/east\.log, and would count twice"):
        asked(tmp_path / "out", stream, log)
    asked(tmp_path / "other", log)
    with pytest.raises(InputError, match=r"has the same text as file://.*/east\.log, and would count twice"):
        asked(tmp_path / "both", stream, tmp_path / "other")


def test_different_logs_whose_tables_are_equal_both_count(tmp_path: Path) -> None:
    request = {"schema": "wirebook/mock/1", "event": "request", "key": 1, "version": 3}
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_text(json.dumps({**request, "time": name}) + "\n")
        asked(tmp_path / name, tmp_path / f"{name}.log")
    logs = asked(tmp_path / "out", tmp_path / "a", tmp_path / "b").summary.logs
    assert (logs.requests, logs.problems) == (2, ())


def test_an_output_that_has_read_more_without_a_request_is_not_changed(tmp_path: Path) -> None:
    outputs = cluster(tmp_path / "c", "east", 3), streamed(cluster(tmp_path / "c", "west", 3))
    asked(tmp_path / "out", *outputs)
    before = rows(tmp_path / "out")
    (tmp_path / "c" / "more.log").write_text("no request\n")
    asked(outputs[0], tmp_path / "c" / "east.log", tmp_path / "c" / "more.log")
    streamed(outputs[1], batch=1)
    asked(tmp_path / "out", *outputs)
    assert rows(tmp_path / "out") == before


def test_topics_with_equal_requests_count_apart(tmp_path: Path) -> None:
    """The stream of a topic has no texts: only its name distinguishes it from another one."""
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\n")
    topics = [tmp_path / name for name in ("one", "other")]
    for topic in topics:
        asked(topic, tmp_path / "a.log")
        streamed(topic, query=topic.name)
    made = asked(tmp_path / "out", *topics)
    assert [row[-1] for row in found(tmp_path / "out")] == [2]
    assert made.summary.logs.requests == 2


def test_the_output_of_a_stream_that_has_grown_elsewhere_is_refused(tmp_path: Path) -> None:
    stream = cluster(tmp_path / "c", "east", 3)
    shutil.copytree(stream, tmp_path / "moved")
    asked(tmp_path / "out", streamed(stream))
    (tmp_path / "more.log").write_bytes(kafka_line(client_id="later") + b"\n")
    asked(tmp_path / "moved", tmp_path / "more.log")
    with pytest.raises(InputError, match="has changed since it was merged"):
        asked(tmp_path / "out", streamed(tmp_path / "moved", batch=1))


@pytest.mark.parametrize("given", [("stream", "a"), ("copy", "a"), ("a", "b")])
def test_outputs_that_have_merged_one_output_are_refused(given: tuple[str, str], tmp_path: Path) -> None:
    stream = streamed(cluster(tmp_path / "stream", "stream", 3))
    shutil.copytree(stream, tmp_path / "copy")
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_bytes(kafka_line(client_id=name) + b"\n")
        asked(tmp_path / name, stream, tmp_path / f"{name}.log")
    outputs = {"stream": stream, "copy": tmp_path / "copy", "a": tmp_path / "a", "b": tmp_path / "b"}
    with pytest.raises(InputError, match=r"has merged .*stream, which is counted already"):
        asked(tmp_path / "out", *(outputs[name] for name in given))


def test_outputs_of_logs_that_begin_alike_are_merged(tmp_path: Path) -> None:
    for name, number in (("east", 3), ("west", 2)):
        line = kafka_line(request={"cluster": name})
        (tmp_path / f"{name}.log").write_bytes((line + b"\n") * number)
        asked(tmp_path / name, tmp_path / f"{name}.log")
    assert asked(tmp_path / "out", tmp_path / "east", tmp_path / "west").summary.logs.requests == 5


def test_pseudonyms_of_another_key_are_refused(tmp_path: Path) -> None:
    east = cluster(tmp_path / "c", "east", 3)
    keys = []
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"0123456789abcdef {name}")
        keys.append(tmp_path / name)
    asked(tmp_path / "hidden", east, pseudonymize=keys[0])
    assert not any(b"east" in path.read_bytes() for path in (tmp_path / "hidden").rglob("*.parquet"))
    for more in ({}, {"pseudonymize": keys[1]}):
        with pytest.raises(InputError, match="has to name the same key"):
            asked(tmp_path / "out", tmp_path / "hidden", **more)
    asked(tmp_path / "out", tmp_path / "hidden", pseudonymize=keys[0])
    assert rows(tmp_path / "out") == rows(tmp_path / "hidden")


def test_patterns_name_files_and_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for day in (1, 2):
        (tmp_path / f"dt={day}").mkdir()
        line = kafka_line(at=f"2026-10-0{day} 10:00:00,123")
        (tmp_path / f"dt={day}" / "a.log").write_bytes(line + b"\n")
    assert asked(tmp_path / "out", tmp_path / "dt=*").lines == 2
    arguments = ("--target", "4.0", "--output", str(tmp_path / "other"), "--quiet")
    assert main(["fleet", f"file://{tmp_path}/*/*.log", *arguments]) == 0
    assert rows(tmp_path / "other") == rows(tmp_path / "out")
    assert "there is no such file or folder" in refused(capsys, f"{tmp_path}/x*", *arguments)


def test_a_state_of_a_newer_version_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_bytes(kafka_line() + b"\n")
    asked(tmp_path / "out", tmp_path / "a.log")
    state = tmp_path / "out" / "state.json"
    state.write_text(state.read_text().replace("wirebook/fleet-state/2", "wirebook/fleet-state/3"))
    line = refused(capsys, str(tmp_path / "a.log"), "--target", "4.0", "--output", str(tmp_path / "out"))
    assert "is of a newer version of wirebook" in line


def test_a_baseline_with_names_of_another_kind_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, key = tmp_path / "a.log", tmp_path / "key"
    log.write_bytes(kafka_line(client_id="secret", principal="User:alice") + b"\n")
    key.write_text("0123456789abcdef")
    asked(tmp_path / "plain", log)
    asked(tmp_path / "hidden", log, pseudonymize=key)
    given = (str(log), "--target", "4.0", "--output", str(tmp_path / "out"), "--baseline")
    hidden = ("--pseudonymize", str(key))
    assert "holds names without pseudonyms" in refused(capsys, *given, str(tmp_path / "plain"), *hidden)
    assert "holds pseudonyms" in refused(capsys, *given, str(tmp_path / "hidden"))
    assert not (tmp_path / "out").exists()
    assert main(["fleet", *given, str(tmp_path / "hidden"), *hidden]) == 0


OWNERS = """
[[owner]]
team = "payments"
client_id = "job-[0-9]*"
[[application]]
name = "billing"
client_id = "bill-[0-9]*"
"""


def test_outputs_are_merged_into_pseudonyms_by_client_ids_that_owners_match(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef")
    (tmp_path / "owners.toml").write_text(OWNERS)
    for day in (1, 2):
        lines = [
            kafka_line(version=3, client_id=f"{name}-{day}", at=f"2026-10-0{day} 10:00:00,123")
            for name in ("job", "bill")
        ]
        (tmp_path / f"{day}.log").write_bytes(b"\n".join(lines) + b"\n")
    more = {"owners": tmp_path / "owners.toml", "pseudonymize": tmp_path / "key"}
    asked(tmp_path / "plain", tmp_path / "1.log", tmp_path / "2.log")
    merged = asked(tmp_path / "merged", tmp_path / "plain", **more)
    asked(tmp_path / "read", tmp_path / "1.log", tmp_path / "2.log", **more)
    assert rows(tmp_path / "merged") == rows(tmp_path / "read")
    assert {use.owner: use.requests for use in merged.summary.cut_off} == {"payments": 2, "": 2}


@pytest.mark.parametrize("has_owners", [(True, False), (False, True)])
@pytest.mark.parametrize("is_hidden", [False, True])
def test_an_application_is_not_new_because_of_the_owners_file(
    is_hidden: bool, has_owners: tuple[bool, bool], tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("0123456789abcdef")
    (tmp_path / "owners.toml").write_text('[[owner]]\nteam = "payments"\nclient_id = "job-[0-9]*"\n')
    outputs = [tmp_path / "before", tmp_path / "now"]
    for day, (output, is_owned) in enumerate(zip(outputs, has_owners, strict=True), 1):
        line = kafka_line(version=3, client_id="job-7", at=f"2026-10-0{day} 10:00:00,123")
        (tmp_path / f"{day}.log").write_bytes(line + b"\n")
        more = {"owners": tmp_path / "owners.toml"} if is_owned else {}
        more |= {"pseudonymize": tmp_path / "key"} if is_hidden else {}
        more |= {"baseline": outputs[0]} if day == 2 else {}
        compared = asked(output, tmp_path / f"{day}.log", **more).summary.baseline
    assert compared is not None
    assert (compared.new, compared.ended, compared.still) == ((), (), 1)


def test_owners_of_clients_that_are_named_alike_are_compared_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "owners.toml").write_text(
        "\n".join(f'[[owner]]\nteam = "{team}"\nclient_id = "job-{team}?"\n' for team in (1, 2, 3))
    )
    for name, versions in (("before", {10: 3, 20: 3}), ("now", {10: 3, 20: 11, 30: 3})):
        lines = [kafka_line(version=version, client_id=f"job-{n}") for n, version in versions.items()]
        (tmp_path / f"{name}.log").write_bytes(b"\n".join(lines) + b"\n")
    more = {"owners": tmp_path / "owners.toml"}
    asked(tmp_path / "before", tmp_path / "before.log", **more)
    made = asked(tmp_path / "now", tmp_path / "now.log", baseline=tmp_path / "before", **more)
    compared = made.summary.baseline
    assert compared is not None
    assert [(use.name, use.owner) for use in compared.new] == [("job-30", "3")]
    assert [(use.name, use.owner) for use in compared.ended] == [("job-20", "2")]
    assert compared.still == 1


def test_the_number_of_client_ids_survives_a_merge_into_pseudonyms(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef")
    for name, ids in (("a", 100), ("b", 20), ("c", 3)):
        lines = [kafka_line(version=3, client_id=f"app-{number}") for number in range(ids)]
        (tmp_path / f"{name}.log").write_bytes(b"\n".join(lines) + b"\n")
    asked(tmp_path / "plain", tmp_path / "a.log")
    asked(tmp_path / "few", tmp_path / "c.log")
    given = (tmp_path / "plain", tmp_path / "b.log")
    for names in (given[:1], given, given):
        (item,) = asked(tmp_path / "out", *names, pseudonymize=tmp_path / "key").summary.cut_off
        assert (item.client_ids.number, item.client_ids.exact) == (100, False)
    (item,) = asked(tmp_path / "other", tmp_path / "few", pseudonymize=tmp_path / "key").summary.cut_off
    assert (item.client_ids.number, item.client_ids.exact) == (3, True)
    (item,) = asked(tmp_path / "again", tmp_path / "out", pseudonymize=tmp_path / "key").summary.cut_off
    assert (item.client_ids.number, item.client_ids.exact) == (100, False)
