"""Every seed of every target is read or refused with the documented error, within its time and memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.fuzz.oracle import CostError, Target, measured
from tests.fuzz.seeds import CORPUS, seeds
from tests.fuzz.targets import TARGETS
from tests.support import ROOT


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_read_or_refused_at_a_small_cost(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.replay", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["name"] for row in rows] == list(seeds(name))
    assert "\n".join(f"{row['name']}: {row['error']}" for row in rows if "error" in row) == ""
    # Were all of one kind, the target would test less than it says.
    outcomes = {row["refused"] for row in rows}
    assert outcomes == ({True, False} if TARGETS[name].refused else {False})


def test_what_was_found_is_a_seed_of_its_target() -> None:
    folders = [path for path in CORPUS.iterdir() if path.is_dir()]
    assert {path.name for path in folders} <= set(TARGETS)
    for path in folders:
        names = {found.name for found in path.iterdir()}
        assert names
        assert names <= set(seeds(path.name))


def _spin(data: bytes) -> None:
    for _ in range(len(data) ** 2):
        pass


@pytest.mark.long
def test_the_oracle_notices_time_memory_and_errors() -> None:
    def refuse(data: bytes) -> None:
        raise KeyError(len(data))

    with pytest.raises(CostError, match=r"10,000 bytes take .* s"):
        measured(Target(_spin, seconds=0.05), b"a" * 10_000)
    with pytest.raises(CostError, match=r"10 bytes take .* MiB"):
        measured(Target(lambda data: bytearray(len(data) * 100_000_000), seconds=60), b"a" * 10)
    with pytest.raises(KeyError):
        measured(Target(refuse), b"")
    assert measured(Target(refuse, (KeyError,)), b"").refused
    assert not measured(Target(len), b"").refused
