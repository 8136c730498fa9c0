"""`wirebook negotiate`: what it prints, the forms of ranges it reads, and one clear line for bad
input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.refusing import refused
from tests.cli.validating import validator
from tests.peers.small_broker import Broker, listening
from tests.support import ROOT
from wirebook.cli.main import main
from wirebook.peers.ranges import read_ranges
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

KIP_BROKERS = {
    "brokers": [
        {"name": "B1", "versions": {"0": "0-3", "1": "2-3"}},
        {"name": "B2", "versions": {"0": "1-2", "1": "0-3", "2": "0"}},
    ]
}
KIP_CLIENT = {"features": {"Feature1": [[0, 3, 3], [1, 2, 3]], "Feature2": [[0, 0, 1], [1, 2, 3]]}}


def written(folder: Path, name: str, value: object) -> str:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """The JSON of a run, checked against its schema."""
    assert main(["negotiate", *arguments, "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert list(validator("negotiation").iter_errors(document)) == []
    return document


def test_the_example_of_the_kip_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    brokers = written(tmp_path, "brokers.json", KIP_BROKERS)
    client = written(tmp_path, "client.json", KIP_CLIENT)
    assert not list(validator("ranges").iter_errors(KIP_CLIENT))
    document = asked(capsys, "--broker", brokers, "--client", client)
    assert [broker["name"] for broker in document["brokers"]] == ["B1", "B2"]
    assert [item["across"] for item in document["apis"]] == ["1-2", "2-3", None]
    assert [item["usable"] for item in document["apis"]] == ["every", "every", "some"]
    first, second = document["features"]
    assert (first["name"], first["usable"], second["usable"]) == ("Feature1", "some", "every")
    assert [row["usable"] for row in first["brokers"]] == [True, False]
    assert [row["words"] for row in second["brokers"]] == ["Produce 1, Fetch 3"] * 2
    assert main(["negotiate", "--broker", brokers, "--client", client]) == 0
    out = capsys.readouterr().out
    assert "no   B2: Produce: version 3 is needed, the broker serves 1-2" in out
    assert "  Feature2: with every broker" in out


def test_documents_are_of_their_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = asked(capsys, "--broker", "3.9", "--broker", "0.9.0", "--client", "kafka-python")
    assert document["brokers"][1]["asks"] is False
    assert {pair["broker"] for item in document["apis"] for pair in item["pairs"]} == {
        "3.9",
        "0.9.0",
    }
    document = asked(capsys, "--broker", "58", "--client", "librdkafka")
    fetch = next(item for item in document["apis"] if item["name"] == "Fetch")
    assert (document["client"]["name"], fetch["pairs"][0]["version"]) == ("librdkafka 2.15.0", 16)
    path = written(tmp_path, "odd.json", {"name": "odd", "versions": {"Fetch": "0-6"}})
    document = asked(capsys, "--broker", path, "--api", "Fetch")
    assert document["brokers"][0]["like"].startswith("nearest is ")
    assert [item["name"] for item in document["apis"]] == ["Fetch"]
    # What it writes, it reads: a broker of a document, or all of them.
    again = written(tmp_path, "again.json", document)
    assert asked(capsys, "--broker", again, "--api", "Fetch")["brokers"][0]["name"] == "odd"


def test_what_is_required_decides_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    features = ["--client", "librdkafka", "--broker", "0.10.0", "--broker", "4.3"]
    asked(capsys, *features, "--require", "LZ4", "--require", "Fetch")
    asked(capsys, *features, "--require", "idempotent_producer", code=1)
    asked(capsys, *features, "--require", "Idempotence", code=1)
    assert main(["negotiate", *features, "--require", "Idempotent"]) == 2
    assert "features are MSGVER1, MSGVER2, " in capsys.readouterr().err
    assert main(["negotiate", *features, "--require", "Vote"]) == 2
    assert 'neither the client nor a broker has "Vote"' in capsys.readouterr().err
    assert (
        main(["negotiate", "--client", "2.0", "--broker", "4.3", "--require", "StopReplica"]) == 1
    )
    err = capsys.readouterr().err
    assert (
        err
        == "wirebook: StopReplica is required and does not work with 4.3: the broker does not list it\n"
    )


TOOL = """localhost:9092 (id: 0 rack: null isFenced: false) -> (
\tProduce(0): 0 to 9 [usable: 9],
\tListPartitionReassignments(46): 0 [usable: 0],
\tUNKNOWN(99): 0 to 2 [usable: unknown],
\tLeaderAndIsr(4): UNSUPPORTED
)
broker 2 (id: 1 rack: null isFenced: false) -> (
\tFetch(1): 4 to 17 [usable: 17]
)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0: 0-3", {"x": {0: "0-3"}}),
        ("Produce: 0-3\nFetch(1): 4 to 11", {"x": {0: "0-3", 1: "4-11"}}),
        ("0: 3 # only this\n\n1: 2", {"x": {0: "3", 1: "2"}}),
        (json.dumps(KIP_BROKERS), {"B1": {0: "0-3", 1: "2-3"}, "B2": {0: "1-2", 1: "0-3", 2: "0"}}),
        (TOOL, {"localhost:9092": {0: "0-9", 46: "0", 99: "0-2"}, "broker 2": {1: "4-17"}}),
        ('{"0": "0-3", "Fetch": "4-11", "3": "2"}', {"x": {0: "0-3", 1: "4-11", 3: "2"}}),
        ("[[0, 0, 3], [1, 2, 3]]", {"x": {0: "0-3", 1: "2-3"}}),
        ('{"name": "n", "versions": {"0": "0-3"}}', {"n": {0: "0-3"}}),
        ('{"brokers": [{"versions": {"0": "1"}}, {"name": "n", "versions": [[0, 2, 2]]}]}',
         {"x-0": {0: "1"}, "n": {0: "2"}}),
        ('{"versions": {}}', {"x": {}}),
    ],
)  # fmt: skip
def test_ranges_are_read_in_every_form(text: str, expected: dict[str, dict[int, str]]) -> None:
    found = read_ranges(text.encode(), "here", "x", kafka_releases())
    assert {
        peer.name: {k: str(v) for k, v in (peer.versions or {}).items()} for peer in found
    } == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("22", 'here:1:1: "22" is not a range'),
        ("0: 0-3\n0: 1", "here:2:1: Produce (0) appears twice"),
        ("", "there are no ranges"),
        ("\xff\xfe", "is not a range"),
        ('{"0": "0-3",}', "here:1:13: this is not JSON"),
        ('{"0": "0-3", "0": "1"}', 'the key "0" is repeated'),
        ('{"0": "3-1"}', "0: "),
        ('{"0": true}', 'a range is written "0-3"'),
        ("[[0, 3]]", "an entry of the list is [key, lowest, highest]"),
        ("[" * 100_000, "this is not JSON"),
    ],
)
def test_what_is_no_range_is_one_line(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ranges(text.encode(), "here", "x", kafka_releases())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--broker", "9.9"], 'no broker release "9.9" is known'),
        (["--broker", "4.1.9"], 'no broker release "4.1.9" is known; the nearest is 4.1.2'),
        (["--broker", "999"], "there is no ApiVersion 999; the newest is 66"),
        (["--broker", "nothing.json"], "no such folder"),
        (["--broker", ""], "is empty"),
        (["--broker", "3.9", "--client", "kafka-go"], "known are kafka-python"),
        (["--broker", "3.9", "--api", "Fetsh"], "did you mean Fetch"),
        (["--broker", "3.9", "--api", "Vote"], 'neither the client nor a broker has "Vote"'),
    ],
)
def test_bad_words_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert words in refused(capsys, "negotiate", *arguments)


def test_a_broker_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--broker" in refused(capsys, "negotiate")


def test_ranges_come_out_of_a_set_of_specs(capsys: pytest.CaptureFixture[str]) -> None:
    document = asked(
        capsys, "--broker", str(ROOT / "specs" / "kafka" / "messages"), "--client", "4.3"
    )
    fetch = next(item for item in document["apis"] if item["name"] == "Fetch")
    assert fetch["pairs"][0]["serves"] == str(Versions(4, 18))


def test_what_a_probe_prints_is_a_broker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = written(tmp_path, "client.json", KIP_CLIENT)
    first = Broker({0: (0, 3), 1: (2, 3), 18: (0, 4)})
    second = Broker({0: (1, 2), 1: (0, 3), 2: (0, 0), 18: (0, 0)})
    with listening(first) as one, listening(second) as two:
        assert main(["probe", one.address, two.address, "--format", "json"]) in (0, 1)
    saved = written(tmp_path, "saved.json", capsys.readouterr().out)
    document = asked(capsys, "--broker", saved, "--client", client)
    assert [broker["name"] for broker in document["brokers"]] == [one.address, two.address]
    assert [item["across"] for item in document["apis"]] == ["1-2", "2-3", None, "0"]
    assert [item["usable"] for item in document["features"]] == ["some", "every"]


def test_the_table_says_that_the_version_used_is_deprecated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.txt").write_text("Produce: 0-2\nFetch: 4-11\n")
    assert main(["negotiate", "--client", str(tmp_path / "own.txt"), "--broker", "3.9"]) == 0
    rows = [line.split("  ")[-1].strip() for line in capsys.readouterr().out.splitlines()]
    assert {"2 of 0-11 (deprecated)", "11 of 0-17"} <= {*rows}
