"""`wirebook explain FINGERPRINT` and `wirebook check --explain`: an error on the wire, byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import Repo, request, response
from wirebook.cli.main import main

HOSTILE = "<script>alert(1)</script>```\x1b[31m"
PROOF = """\
  bytes: a peer of 1.0.0 sends this message in version 0:
         {"MaxWaitMs": 1, "Topic": ""}
         byte  hex          field           value
            0  00 00 00 01  MaxWaitMs       1
            4  00 00        Topic (length)  0
         a peer with the new spec fails at byte 0: MaxWaitMs: 8 bytes should be here, but 6 are left
"""


def broken() -> dict[str, Any]:
    """The request with a wider number, and with another default of a tagged field."""
    spec = request()
    spec["fields"][0]["type"] = "int64"
    spec["fields"][2]["default"] = HOSTILE
    return spec


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A release, and a change that breaks it."""
    repo = Repo(tmp_path / "repo")
    repo.spec(request())
    repo.spec(response())
    repo.commit("first")
    repo.git("tag", "1.0.0")
    repo.spec(broken())
    monkeypatch.chdir(repo.folder)
    return repo


def printed(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert main([*arguments, "--released", "[0-9]*"]) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def marks(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The fingerprints of the findings, by rule."""
    found = json.loads(printed(capsys, 1, "check", "--format", "json"))["findings"]
    return {item["rule"]: item["fingerprint"] for item in found}


def test_each_byte_is_explained_on_request(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert PROOF in printed(capsys, 1, "check", "--explain")
    assert "byte  hex" not in printed(capsys, 1, "check")


def test_an_explained_file_has_each_byte_too(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--released", "1.*", "--explain", "--output", "check.txt"]) == 1
    assert PROOF in (repo.folder / "check.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("length", [16, 6])
def test_a_finding_is_explained_by_the_beginning_of_its_fingerprint(
    repo: Repo, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    mark = marks(capsys)["type-changed"]
    out = printed(capsys, 0, "explain", mark[:length])
    assert out.startswith("error[type-changed] FetchRequest · MaxWaitMs · versions 0-2, released in 1.0.0\n")
    assert PROOF in out
    assert out.count("error[") == 1
    assert f"  waive: wirebook check --released '[0-9]*' --waive={mark}\n" in out


def test_a_finding_is_printed_as_json(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    mark = marks(capsys)["type-changed"]
    document = json.loads(printed(capsys, 0, "explain", mark, "--format", "json"))
    assert [item["fingerprint"] for item in document["findings"]] == [mark]
    assert document["findings"][0]["proof"]["bytes"] == "000000010000"


def test_a_fingerprint_of_no_finding_is_refused(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert "0000" not in {mark[:4] for mark in marks(capsys).values()}
    assert "no finding has the fingerprint 0000" in refused(capsys, "explain", "0000")
