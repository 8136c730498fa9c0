"""Hostile specs: the cost of a check of each, beside a plain spec of the same size in the same run."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.rules.check.budgets import Cost, assert_small, measured
from tests.rules.check.hostile import ROWS, TABLES, Row, plain

pytestmark = pytest.mark.long

PROFILE = 'name = "hostile"\n[tables]\nerrors = "errors.json"\nvalues = "values.json"\n'


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_spec_costs_a_small_multiple_of_a_plain_one(name: str, tmp_path: Path) -> None:
    made = ROWS[name]()
    found = cost(made, tmp_path)
    # In steps, so that rows of about one size share a plain check.
    base = plain_cost(1 << (len(made.old) + len(made.new) >> 1).bit_length())
    assert found.code == made.code, found.text[-2000:]
    assert made.says in " ".join(found.text.split())
    assert_small(found, base)
    if made.code == 2:
        assert "HostileRequest.json:" in found.text


@pytest.mark.parametrize("name", TABLES)
def test_a_hostile_table_costs_a_small_multiple_of_a_plain_spec(name: str, tmp_path: Path) -> None:
    made = TABLES[name]()
    text = plain(1).old
    found = cost(Row(text, text, 0, ""), tmp_path, made)
    base = plain_cost(1 << (len(made.old) + len(made.new) >> 1).bit_length())
    assert found.code == made.code, found.text[-2000:]
    assert made.says in " ".join(found.text.split())
    assert_small(found, base)


def test_the_time_of_a_plain_check_is_linear_in_the_size() -> None:
    start, small, large = plain_cost(1), plain_cost(1 << 17), plain_cost(1 << 20)
    assert large.cpu - start.cpu <= 3 * 8 * max(small.cpu - start.cpu, 0.05)


@cache
def plain_cost(size: int) -> Cost:

    with tempfile.TemporaryDirectory() as folder:
        return cost(plain(min(size, 1 << 20)), Path(folder))


def cost(made: Row, folder: Path, table: Row | None = None) -> Cost:
    """The cost of a check of two sides, each with a spec and perhaps a table."""
    for side, text in (("old", made.old), ("new", made.new)):
        (folder / side).mkdir()
        (folder / side / "HostileRequest.json").write_text(text)
        if table is not None:
            (folder / side / "profile.toml").write_text(PROFILE)
            content = table.old if side == "old" else table.new
            name = "errors.json" if '"errors"' in content else "values.json"
            (folder / side / name).write_text(content)
    return measured(["check", "--old", "./old", "--new", "./new"], folder)
