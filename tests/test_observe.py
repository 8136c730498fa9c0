"""Rows of errors provoked at a broker: each provocation is of a row, and only Kafka's own marks rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.real_brokers import tansu
from tools import observe
from tools.observe import PROVOCATIONS, Provocation, codes_at, main, mark, row_of
from wirebook.api import encode, layout
from wirebook.specs.kafka import text_check, texts
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import TEXTS
from wirebook.specs.texts.reader import read_texts


@pytest.mark.parametrize("provoked", PROVOCATIONS, ids=str)
def test_each_provocation_is_of_a_row_and_can_be_sent(provoked: Provocation) -> None:
    assert row_of(provoked) >= 0
    version = 4 if provoked.error == "UNSUPPORTED_VERSION" else provoked.version
    assert encode(layout(f"{provoked.api}Request", version), provoked.value) is not None


def test_no_row_is_provoked_twice() -> None:
    rows = [(each.api, row_of(each)) for each in PROVOCATIONS]
    assert len(set(rows)) == len(rows) >= 30


def test_codes_are_found_below_arrays() -> None:
    response = {"Topics": [{"Partitions": [{"ErrorCode": 3}, {"ErrorCode": 0}]}, {"Partitions": []}]}
    assert list(codes_at(response, "Topics.Partitions.ErrorCode")) == [3, 0]


def test_a_row_is_marked_with_the_newest_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provoked = next(each for each in PROVOCATIONS if each.api == "Heartbeat")
    shutil.copy(TEXTS / "Heartbeat.json", tmp_path)
    for module in (observe, text_check, texts):
        monkeypatch.setattr(module, "TEXTS", tmp_path)
    for release, newest in (("4.1.1", "4.1.1"), ("4.3.1", "4.3.1"), ("4.0.0", "4.3.1")):
        mark(provoked, release)
        text = (tmp_path / "Heartbeat.json").read_text(encoding="utf-8")
        read = read_texts(text, "Heartbeat.json", known_releases())
        assert [error.observed for error in read.errors if error.observed] == [newest]
        assert read.errors[row_of(provoked)].observed == newest


def test_another_broker_is_compared_and_marks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tansu(tmp_path) as address:
        assert main([address]) == 1
        printed = capsys.readouterr().out
        assert "observed SaslHandshake 1 ErrorCode: UNSUPPORTED_SASL_MECHANISM\n" in printed
        assert printed.endswith(f"of {len(PROVOCATIONS)} rows observed\n")
        assert main([address, "--mark", "4.3.1"]) == 2
        assert "it marks nothing" in capsys.readouterr().err


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["127.0.0.1:1", "--mark", "9.9"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
