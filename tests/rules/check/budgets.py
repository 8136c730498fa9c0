"""What a check costs in time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]


# Generous, because the machine may be busy: what is not linear is a hundred times over it.
TIMES = 6  # the CPU time of a plain check of the same size


SECONDS = 1.0  # and so much more, whatever the start of a process costs


MEMORY = 4  # the memory of a plain check of the same size


MIBS = 64  # and so much more


GIVE_UP = 30  # seconds of CPU


class Cost(NamedTuple):
    """What a process came to."""

    code: int
    cpu: float
    mib: float
    text: str


def assert_small(found: Cost, base: Cost) -> None:
    """A hostile input costs at most a small multiple of a plain one."""
    assert found.cpu <= TIMES * base.cpu + SECONDS, f"{found.cpu:.2f} s, plain {base.cpu:.2f} s"
    assert found.mib <= MEMORY * base.mib + MIBS, f"{found.mib:.0f} MiB, plain {base.mib:.0f} MiB"


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
