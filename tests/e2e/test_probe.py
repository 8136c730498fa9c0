"""The probe against real software: what each broker answered is held here, oddities included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.probing import probed
from tests.e2e.real_brokers import mock_cluster, tansu
from wirebook.cli.main import main


def asked(broker: Any, api: str = "ApiVersions") -> list[int]:
    return [step["version"] for step in broker["conversation"] if step["api"] == api]


def test_the_broker_in_rust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tansu(tmp_path) as address:
        document = probed(capsys, address)
        assert main(["negotiate", "--client", "4.0", "--broker", address, "--format", "json"]) == 0
        negotiated = json.loads(capsys.readouterr().out)
    broker = document["brokers"][0]
    assert (asked(broker), broker["api_versions_version"]) == ([4], 4)
    assert [row["key"] for row in broker["apis"]] == sorted(row["key"] for row in broker["apis"])
    found = {row["name"]: row["versions"] for row in broker["apis"]}
    assert len(found) == 36
    assert (found["Produce"], found["Fetch"], found["ApiVersions"]) == ("0-11", "0-17", "0-4")
    assert broker["like"]["exact"] == []
    assert broker["like"]["nearest"][0]["release"] == "3.9.1"
    assert "OffsetForLeaderEpoch" in {item["name"] for item in broker["lacking"]}
    assert len(broker["lacking"]) == 27
    assert not any(api["unknown"] for api in broker["apis"])
    assert broker["cluster"]["id"] == "tansu_cluster"
    versions = {item["name"]: item["pairs"][0]["version"] for item in negotiated["apis"]}
    assert (versions["Fetch"], versions["OffsetForLeaderEpoch"]) == (17, None)


def test_the_broker_in_rust_that_wants_sasl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREBOOK_PASSWORD", "secret")
    with tansu(tmp_path, "--authentication") as address:
        broker = probed(capsys, address)["brokers"][0]
        assert broker["sasl"]["mechanism"] is None
        assert broker["sasl"]["mechanisms"] == ["SCRAM-SHA-512"], "it hangs up on PLAIN"
        assert "it requires SASL (SCRAM-SHA-512)" in broker["notes"][-1]
        # It has no users in memory, so that nobody gets further than this.
        for mechanism, code, words in (
            ("scram-sha-256", "sasl", "the server refuses: unknown-user"),
            ("scram-sha-512", "sasl", "the server refuses: unknown-user"),
            ("plain", "mechanism", "closes the connection on a SaslHandshake for PLAIN"),
        ):
            document = probed(
                capsys, address, "--sasl", mechanism, "--user", "nobody", "--allow-plaintext", code=2
            )
            failure = document["brokers"][0]["failure"]
            assert failure["code"] == code
            assert words in failure["message"]
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
    assert document["summary"] == {"answered": 3, "failed": 0, "alike": True}
    assert not any(row["differ"] for row in document["common"])
    broker = document["brokers"][0]
    # Its error 35 to version 3 and later is in no version's layout: a client that reads it cannot go on.
    assert (asked(broker), broker["api_versions_version"]) == ([4, 0], 0)
    assert any("its error 35 to ApiVersions 4 does not have the layout" in note for note in broker["notes"])
    assert any("answer to Metadata 13 is longer than its layout" in note for note in broker["notes"])
    found = {row["name"]: row["versions"] for row in broker["apis"]}
    assert (found["Produce"], found["Fetch"], found["ApiVersions"]) == ("0-10", "0-16", "0-2")
    assert broker["like"]["nearest"][0]["release"] == "2.4"
    assert {api["name"]: api["unknown"] for api in broker["apis"] if api["unknown"]} == {"Heartbeat": "5"}
    assert len(broker["cluster"]["brokers"]) == 3
