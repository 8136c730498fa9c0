"""Which specs show, export, encode and decode read: those named, those here, or the embedded
ones."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.repositories import Repo, request
from wirebook.cli.main import main

DIVE = request(name="DiveRequest", apiKey=3, listeners=["gateway"])


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    done = capsys.readouterr()
    return code, done.out + done.err


@pytest.fixture
def otter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = Repo(tmp_path / "otter")
    repo.spec(DIVE, "protocol")
    repo.write("docs/note.txt", "no spec")
    repo.commit("first")
    monkeypatch.chdir(repo.folder)
    return repo


@pytest.mark.parametrize("folder", ["", "docs"])
def test_in_a_repository_its_specs_are_read(
    folder: str, otter: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(otter.folder / folder)
    assert "DiveRequest" in printed(capsys, "show", "Dive", "--format", "json")[1]
    code, out = printed(capsys, "show", "Fetch")
    assert (code, 'there is no API or message "Fetch" in the specs here' in out) == (2, True)
    assert main(["export"]) == 0
    done = capsys.readouterr()
    lines = done.out.splitlines()
    assert {json.loads(line)["message"] for line in lines} == {"DiveRequest"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"MaxWaitMs":1,"Topic":"a"}')))
    assert main(["encode", "DiveRequest", "0"]) == 0
    encoded = capsys.readouterr()
    assert encoded.out == "00000001000161\n"
    # Nobody named them, so the command does.
    where = "../protocol" if folder else "protocol"
    assert done.err == encoded.err == f"wirebook: using the specs in {where}\n"


@pytest.mark.parametrize("source", ["./protocol", "HEAD", "kafka"])
def test_a_named_source_is_not_named_again(
    source: str, otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert otter.folder.is_dir()
    assert main(["export", source]) == 0
    assert capsys.readouterr().err == ""


def test_an_unknown_message_is_one_of_the_specs_that_are_named(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert otter.folder.is_dir()
    assert main(["show", "Fetch"]) == 2
    assert capsys.readouterr().err.startswith(
        'wirebook: using the specs in protocol\nwirebook: there is no API or message "Fetch"'
    )


def test_the_embedded_specs_are_named_kafka(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert otter.folder.is_dir()
    assert (
        "HeartbeatRequest"
        in printed(capsys, "show", "Heartbeat", "--source", "kafka", "--format", "json")[1]
    )
    assert '"HeartbeatRequest"' in printed(capsys, "export", "kafka", "--api", "Heartbeat")[1]


def test_where_there_are_no_specs_the_embedded_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "HeartbeatRequest" in printed(capsys, "show", "Heartbeat", "--format", "json")[1]


def test_the_configuration_says_where_they_are(
    otter: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    otter.spec({**DIVE, "name": "OldDiveRequest", "apiKey": 4}, "vendored")
    otter.write("wirebook.toml", 'paths = ["protocol"]\n')
    assert printed(capsys, "show", "OldDive")[0] == 2
    otter.write("wirebook.toml", "")
    assert printed(capsys, "show", "OldDive")[0] == 0
