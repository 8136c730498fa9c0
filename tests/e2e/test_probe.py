"""The probe against real software: what each broker answered is held here, oddities included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.probing import probed
from tests.e2e.real_brokers import mock_cluster, tansu
from wirebook.cli.main import main


def test_the_broker_in_rust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tansu(tmp_path) as address:
        document = probed(capsys, address)
    answers = tmp_path / "probe.json"
    answers.write_text(json.dumps(document))
    assert main(["negotiate", "--client", "4.0", "--broker", str(answers), "--format", "json"]) == 0
    negotiated = json.loads(capsys.readouterr().out)
    broker = document["brokers"][0]
    assert broker["api_versions_version"] == 5
    found = {row["name"]: row["versions"] for row in broker["apis"]}
    assert len(found) == 36
    assert (found["Produce"], found["Fetch"], found["ApiVersions"]) == ("0-11", "0-17", "0-4")
    assert (broker["like"]["releases"], broker["like"]["exact"]) == (["3.9.2"], False)
    offset_for_leader_epoch = "23"
    assert offset_for_leader_epoch in broker["like"]["lacking"]
    assert len(broker["like"]["lacking"]) == 27
    assert not any("unknown" in api["notes"] for api in broker["apis"])
    versions = {item["name"]: item["pairs"][0]["version"] for item in negotiated["apis"]}
    assert (versions["Fetch"], versions["OffsetForLeaderEpoch"]) == (17, None)


def test_the_broker_in_rust_that_wants_sasl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREBOOK_PASSWORD", "secret")
    with tansu(tmp_path, "--authentication") as address:
        # It has no users in memory, so that nobody gets further than this.
        for mechanism, words in (
            ("scram-sha-256", "the server refuses: unknown-user"),
            ("scram-sha-512", "the server refuses: unknown-user"),
            ("plain", "closes the connection during authentication: it does not support PLAIN, or"),
        ):
            document = probed(
                capsys,
                address,
                "--sasl",
                mechanism,
                "--user",
                "nobody",
                "--allow-plaintext",
                code=2,
            )
            assert words in document["brokers"][0]["failure"]
            assert document["brokers"][0]["apis"], "the versions are known all the same"


def test_a_tls_handshake_that_the_broker_in_rust_keeps_waiting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tansu(tmp_path) as address:
        assert main(["probe", address, "--tls", "--insecure", "--timeout", "2"]) == 2
    assert "port without TLS (remove --tls)" in capsys.readouterr().out


def test_the_mock_cluster_of_librdkafka(capsys: pytest.CaptureFixture[str]) -> None:
    with mock_cluster() as addresses:
        document = probed(capsys, ",".join(addresses))
    broker, *others = document["brokers"]
    assert [other["versions"] for other in others] == [broker["versions"]] * 2
    # Its error 35 to version 3 and later is in no version's layout: a client that reads it cannot
    # go on.
    assert broker["api_versions_version"] == 0
    assert any(
        "its error 35 to ApiVersions 5 does not have the layout" in note for note in broker["notes"]
    )
    found = {row["name"]: row["versions"] for row in broker["apis"]}
    assert (found["Produce"], found["Fetch"], found["ApiVersions"]) == ("0-10", "0-16", "0-2")
    assert broker["like"]["releases"] == ["2.4"]
    unknown = {api["name"]: api["notes"].get("unknown") for api in broker["apis"]}
    assert {name: versions for name, versions in unknown.items() if versions} == {"Heartbeat": "5"}
