"""Hostile specs: the cost of a check of each, beside a plain spec of the same size in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.rules.check.hostile import ROWS, TABLES, Row, plain

ROOT = Path(__file__).parents[3]
# Generous, because the machine may be busy: what is not linear is a hundred times over it.
TIMES = 6  # the CPU time of a plain check of the same size
SECONDS = 0.5  # and so much more
MEMORY = 4  # the memory of a plain check of the same size
MIBS = 64  # and so much more
PROFILE = 'name = "hostile"\n[tables]\nerrors = "errors.json"\nvalues = "values.json"\n'
GIVE_UP = 30  # seconds of CPU


class Cost(NamedTuple):
    """What a process came to."""

    code: int
    cpu: float
    mib: float
    text: str


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


def assert_small(found: Cost, base: Cost) -> None:
    """A hostile input costs at most a small multiple of a plain one."""
    assert found.cpu <= TIMES * base.cpu + SECONDS, f"{found.cpu:.2f} s, plain {base.cpu:.2f} s"
    assert found.mib <= MEMORY * base.mib + MIBS, f"{found.mib:.0f} MiB, plain {base.mib:.0f} MiB"


def test_the_time_of_a_plain_check_is_linear_in_the_size() -> None:
    start, small, large = plain_cost(1), plain_cost(1 << 17), plain_cost(1 << 20)
    assert large.cpu - start.cpu <= 3 * 8 * max(small.cpu - start.cpu, 0.05)


@cache
def plain_cost(size: int) -> Cost:
    import tempfile

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


def limited() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (GIVE_UP, GIVE_UP))


# What a process takes at most is counted from the fork on, so the one that forks has to be small itself.
_MEASURE = """
import resource, subprocess, sys
code = subprocess.Popen(sys.argv[2:]).wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=file)
"""


def measured(
    arguments: list[str], folder: Path, environ: Mapping[str, str] = os.environ, given: bytes = b""
) -> Cost:
    """Run the command in a folder; its exit code (that of the signal where it was stopped) and its costs."""
    command = [sys.executable, "-m", "wirebook.cli.main", *arguments]
    with tempfile.TemporaryDirectory() as place, (folder / "out").open("w+b") as out:
        costs = Path(place) / "costs"
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _MEASURE, str(costs), *command],
            cwd=folder,
            input=given,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "500"},
            preexec_fn=limited,
            check=True,
        )
        code, cpu, mib = costs.read_text(encoding="utf-8").split()
        out.seek(0)
        text = out.read().decode(errors="replace")
    return Cost(int(code), float(cpu), float(mib), text)
