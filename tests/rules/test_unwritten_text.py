"""unwritten-text: what it reports about its fixtures."""

from __future__ import annotations

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import FOLDER, findings
from wirebook.rules.engine import check
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message

RULE = "unwritten-text"


def test_it_fires_where_it_must() -> None:
    reported = [item for item in findings(FOLDER / RULE / "break-example") if item.rule == RULE]
    assert [item.field for item in reported] == ["Id"]


def test_the_description_of_a_message_is_reported() -> None:
    for about, lines in (("TODO: what it is for.", [4]), ("Stores a note.", []), ("", [])):
        keys = f'{{ "apiKey": 1, "type": "request", "name": "PutRequest",\n\n\n"about": "{about}",'
        text = f'{keys} "validVersions": "0", "flexibleVersions": "0+", "fields": [] }}'
        reported = check(None, Protocol((read_message(text, "PutRequest.json"),)), together=False)
        assert [(item.rule, item.location and item.location.line) for item in reported] == [
            (RULE, line) for line in lines
        ]


def test_kafkas_format_has_no_description_of_a_message() -> None:
    text = '{ "type": "data", "name": "Memo", "about": "A memo.", "validVersions": "0", "fields": [] }'
    memo = read_kafka(text, "Memo.json")
    assert "unknown-key" in [item.rule for item in check(None, Protocol((memo,)), together=False)]


def test_it_does_not_fire_where_nothing_breaks() -> None:
    assert [item for item in findings(FOLDER / RULE / "fine-example") if item.rule == RULE] == []
