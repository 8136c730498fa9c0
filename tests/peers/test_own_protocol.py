"""Negotiations of a protocol that is not Kafka's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo
from tests.support import ROOT
from wirebook.cli.main import main

TABLES = """
[tables]
levels = "tables/levels.json"
"""
LEVELS = [
    {"id": 0, "version": "L0", "release": "1.0"},
    {"id": 1, "version": "L1", "release": "2.0"},
]


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
    code = main(["negotiate", *arguments])
    done = capsys.readouterr()
    return code, " ".join((done.out + done.err).split())


def negotiated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["negotiate", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_levels_refs_and_specs_are_peers(otter: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    otter.commit("first")
    code, out = printed(capsys, "--broker", "L0", "--client", "tiny", "--api", "OpenSession")
    assert (code, "gateway protocol level 0 (L0)" in out) == (0, True)
    code, out = printed(capsys, "--broker", "./", "--client", "tiny", "--require", "SendReadings")
    assert (code, "SendReadings is required and does not work with ./" in out) == (1, True)
    assert "broker" not in out
    made = negotiated(capsys, "--broker", "HEAD", "--client", "./")
    assert made["brokers"][0]["like"] is None
    otter.write("ranges.txt", "OpenSession: 1-2\n")
    made = negotiated(capsys, "--broker", "ranges.txt", "--client", "tiny")
    assert [(api["name"], api["version"]) for api in made["apis"] if api["version"]] == [
        ("OpenSession", 2)
    ]


def test_the_versions_of_a_level_are_in_the_history_of_the_specs(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """The KIP's REQ_A, and its backport: 1 comes with L1, deprecated, as a bridge to 2."""
    history = [
        {"version": 0, "added": "L0", "removed": "L1"},
        {"version": 1, "added": "L1", "deprecated": "L1"},
        {"version": 2, "added": "L1"},
    ]
    path = otter.folder / "messages" / "OpenSessionRequest.json"
    spec = json.loads("\n".join(line for line in path.read_text().splitlines() if "//" not in line))
    spec["validVersions"] = "0-2"
    path.write_text(json.dumps({**spec, "history": history}))
    made = negotiated(
        capsys, "--broker", "L0", "--broker", "L1", "--client", "tiny", "--api", "OpenSession"
    )
    (api,) = made["apis"]
    assert [pair["serves"] for pair in api["pairs"]] == ["0", "1-2"]
    assert [pair["version"] for pair in api["pairs"]] == [0, 2]
    assert (api["across"], made["brokers"][1]["avoid"]) == (None, {str(api["key"]): "1"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--broker", "3.9"], "3.9: no such folder, file or git ref"),
        (["--broker", "./", "--api", "Foo"], 'there is no API "Foo"'),
        ([], "name a peer to negotiate with: --broker"),
        (["--broker", "7"], "there is no protocol level 7; the newest is 1, L1"),
        (
            ["--broker", "./", "--client", "librdkafka"],
            'the versions of a client "librdkafka" are not known',
        ),
    ],
)
def test_what_kafka_has_is_refused(
    arguments: list[str], words: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = printed(capsys, *arguments)
    assert (code, words in out) == (2, True), out
