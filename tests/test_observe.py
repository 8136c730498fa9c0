"""Rows of errors provoked at a broker: each provocation is of a row, and only Kafka's own marks rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.real_brokers import tansu
from tests.together import together
from tools import observe
from tools.observe import codes_at, main, mark, row_of
from tools.provocations import PROVOCATIONS, SAMPLE, Provocation, batch, filled
from wirebook.api import encode, layout
from wirebook.specs.kafka import text_check, texts
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import TEXTS
from wirebook.specs.texts.reader import read_texts
from wirebook.specs.wire.records.entries import read_entries
from wirebook.specs.wire.records.model import Batch


@together("provoked", PROVOCATIONS, ids=str)
def test_each_provocation_is_of_a_row_and_can_be_sent(provoked: Provocation) -> None:
    assert row_of(provoked) >= 0
    version = 4 if provoked.version == 99 else provoked.version
    assert encode(layout(f"{provoked.api}Request", version), filled(provoked.value, SAMPLE)) is not None


def test_no_row_is_provoked_twice() -> None:
    rows = [(each.api, row_of(each)) for each in PROVOCATIONS]
    assert len(set(rows)) == len(rows) >= 290


def test_codes_are_found_below_arrays() -> None:
    response = {"Topics": [{"Partitions": [{"ErrorCode": 3}, {"ErrorCode": 0}]}, {"Partitions": []}]}
    assert list(codes_at(response, "Topics.Partitions.ErrorCode")) == [3, 0]


@pytest.mark.parametrize(
    ("api", "error"), [("Heartbeat", "UNKNOWN_MEMBER_ID"), ("Produce", "UNKNOWN_TOPIC_OR_PARTITION")]
)
def test_a_row_is_marked_with_the_newest_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: str, error: str
) -> None:
    """A row on one line and one of several lines, whether it is marked already or not."""
    provoked = next(each for each in PROVOCATIONS if (each.api, each.error) == (api, error))
    name = f"{api}.json"
    text = (TEXTS / name).read_text(encoding="utf-8")
    without = re.sub(r', "observed": "[^"]*"(?= ?\})|^ *"observed": "[^"]*",\n', "", text, flags=re.MULTILINE)
    (tmp_path / name).write_text(without, encoding="utf-8")
    for module in (observe, text_check, texts):
        monkeypatch.setattr(module, "TEXTS", tmp_path)
    assert not any(row.observed for row in read_texts(without, name, known_releases()).errors)
    for release, newest in (("4.1.1", "4.1.1"), ("4.3.1", "4.3.1"), ("4.0.0", "4.3.1")):
        mark(provoked, release)
        marked = (tmp_path / name).read_text(encoding="utf-8")
        read = read_texts(marked, name, known_releases())
        assert [row.observed for row in read.errors if row.observed] == [newest]
        assert read.errors[row_of(provoked)].observed == newest


def test_the_batch_is_sound() -> None:
    (sound,) = read_entries(bytes.fromhex(batch()))
    (corrupt,) = read_entries(bytes.fromhex(batch(checksum=0)))
    assert isinstance(sound, Batch)
    assert [record.value for record in sound.records or ()] == [b"otter"]
    assert corrupt != sound


def test_another_broker_is_compared_and_marks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(observe, "_TRIES", 1)
    monkeypatch.setattr(observe, "_SECONDS", 1)  # This broker never answers some of the requests.
    with tansu(tmp_path) as address:
        assert main([address]) == 1
        opened = sum(each.where == "open" for each in PROVOCATIONS)
        assert capsys.readouterr().out.endswith(f"of {opened} rows observed\n")
        assert main([address, "--where", "sasl"]) == 0
        printed = capsys.readouterr().out
        assert "observed SaslHandshake 1 ErrorCode: UNSUPPORTED_SASL_MECHANISM\n" in printed
        assert printed.endswith("1 of 1 rows observed\n")
        assert main([address, "--mark", "4.3.1"]) == 2
        assert "it marks nothing" in capsys.readouterr().err


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["127.0.0.1:1", "--mark", "9.9"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
