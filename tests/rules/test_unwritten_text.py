"""unwritten-text: what it reports about its fixtures."""

from __future__ import annotations

from tests.rules.fixture_pairs import FOLDER, findings

RULE = "unwritten-text"


def test_it_fires_where_it_must() -> None:
    reported = [item for item in findings(FOLDER / RULE / "break-example") if item.rule == RULE]
    assert [item.field for item in reported] == ["Id"]


def test_it_does_not_fire_where_nothing_breaks() -> None:
    assert [item for item in findings(FOLDER / RULE / "fine-example") if item.rule == RULE] == []
