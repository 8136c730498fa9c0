"""Every rule's documentation shows specs before and after; the rule finds what it is there for in
them."""

from __future__ import annotations

import pytest

from tests.rules.rule_examples import JUDGING, lines_of, side_of
from wirebook.rules.engine import check
from wirebook.rules.rule import Rule
from wirebook.rules.tables import TablesPair
from wirebook.specs.model import Protocol


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.name)
def test_the_example_sets_off_its_rule(rule: Rule) -> None:
    lines = lines_of(rule)
    assert any(line.startswith(("+ ", "- ")) for line in lines)
    assert all(line.startswith(("+ ", "- ", "  ", "@@ ")) for line in lines)
    assert max(map(len, lines)) <= 104
    old, old_tables = side_of(lines, new=False)
    new, new_tables = side_of(lines, new=True)
    found = check(old, new or Protocol(()), tables=TablesPair(old_tables, new_tables))
    fired = {item.rule for item in found}
    assert rule.name in fired


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.name)
def test_neither_side_of_an_example_changes_from_itself(rule: Rule) -> None:
    for new in (False, True):
        side, tables = side_of(lines_of(rule), new)
        if side is not None:
            assert check(side, side, tables=TablesPair(tables, tables)) == []


def test_a_diff_of_several_files() -> None:
    text = """\
@@ FooRequest.json @@
- { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0" }
+ { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1" }
@@ api_versions.json @@
+ [{ "id": 0, "version": "1.0", "release": "1.0" }]"""
    old, old_tables = side_of(text.split("\n"), new=False)
    new, new_tables = side_of(text.split("\n"), new=True)
    assert old is not None
    assert new is not None
    assert [str(side.messages[0].valid_versions) for side in (old, new)] == ["0", "0-1"]
    assert old_tables.levels is None
    assert new_tables.levels is not None
    assert new_tables.levels.api_versions[0].version == "1.0"
