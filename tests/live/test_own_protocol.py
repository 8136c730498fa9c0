"""Negotiations of a protocol that is not Kafka's, and the commands that speak Kafka's only."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.live.own_protocols import LEVELS, TABLES
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.cli.main import main


@pytest.fixture
def otter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The example, with levels, and the ranges of a client."""
    repo = Repo(tmp_path / "otter")
    example = ROOT / "examples" / "otter"
    shutil.copytree(example / "messages", repo.folder / "messages")
    repo.write("wirebook.toml", (example / "wirebook.toml").read_text() + TABLES)
    repo.write("tables/levels.json", json.dumps(LEVELS))
    repo.write("tiny", json.dumps({"name": "tiny", "versions": {"0": "0", "OpenSession": "0-2"}}))
    monkeypatch.chdir(repo.folder)
    return repo


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    done = capsys.readouterr()
    return code, " ".join((done.out + done.err).split())


def negotiated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["negotiate", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_levels_and_specs_are_peers(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    otter.commit("first")
    code, out = printed(capsys, "negotiate", "--broker", "L0", "--client", "tiny", "--api", "OpenSession")
    assert (code, "gateway protocol level 0 (L0)" in out) == (0, True)
    code, out = printed(
        capsys, "negotiate", "--broker", "./", "--client", "tiny", "--require", "SendReadings"
    )
    assert (code, "SendReadings is required and does not work with ./" in out) == (1, True)
    assert "broker" not in out
    made = negotiated(capsys, "--broker", "HEAD", "--client", "./")
    assert made["brokers"][0]["like"] is None
    otter.write("ranges.txt", "OpenSession: 1-2\n")
    made = negotiated(capsys, "--broker", "ranges.txt", "--client", "tiny")
    assert [(api["name"], api["version"]) for api in made["apis"] if api["version"]] == [("OpenSession", 2)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--broker", "3.9"], "3.9: no such folder, file or git ref"),
        (
            ["--broker", "localhost:9092"],
            "localhost:9092 cannot be queried, because servers of this protocol",
        ),
        (["--broker", "./", "--api", "Foo"], 'there is no API "Foo"'),
        ([], "name a peer to negotiate with: --broker"),
        (["--broker", "7"], "there is no protocol level 7; the newest is 1, L1"),
        (["--broker", "./", "--client", "librdkafka"], 'the versions of a client "librdkafka" are not known'),
        (["--broker", "./", "--features", "librdkafka"], "features are known only for Kafka clients"),
    ],
)
def test_what_kafka_has_is_not_there(
    arguments: list[str], words: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = printed(capsys, "negotiate", *arguments)
    assert (code, words in out) == (2, True), out


@pytest.mark.parametrize("command", [["probe", "localhost:1"], ["mock", "--seconds", "0.1"]])
def test_probe_and_mock_say_that_they_speak_kafka_only(
    command: list[str], otter: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out = printed(capsys, *command)
    assert code == 2
    assert out == (
        f"wirebook: {command[0]} supports Kafka's protocol only, but the specs here belong to another one "
        "(Otter protocol); --kafka runs it anyway"
    )
    code, out = printed(capsys, *command, "--kafka")
    assert "supports Kafka's protocol only" not in out
    assert ("the connection is refused" in out) is (command[0] == "probe")
    with pytest.raises(SystemExit):
        main([command[0], "--help"])
    assert "Only Kafka's protocol is supported" in " ".join(capsys.readouterr().out.split())
    # Specs without a profile, and no specs, are no other protocol.
    (otter.folder / "wirebook.toml").unlink()
    assert "supports Kafka's protocol only" not in printed(capsys, *command)[1]
