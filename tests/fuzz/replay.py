"""Replays every seed of a target in a process; `python -m tests.fuzz.replay spec` prints a line for each."""

from __future__ import annotations

import json
import signal
import sys
import traceback
from types import FrameType

from tests.fuzz.oracle import measured
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS

GIVE_UP = 180  # seconds, on a machine with other work to do; what an input may cost is CPU time


class HangError(Exception):
    """An input that is still not read."""


def main(name: str) -> None:
    """Print a line of JSON for each seed: its name, the seconds and MiB, and the error, if it was one."""
    signal.signal(signal.SIGALRM, _stop)
    target = TARGETS[name]
    prepared = seeds(name)
    # What is loaded once, and compiled after some uses, is no cost of an input.
    for data in list(prepared.values())[:1]:
        measured(target, data, slower=100)
    for title, data in prepared.items():
        row: dict[str, object] = {"name": title, "size": len(data)}
        signal.alarm(GIVE_UP)
        try:
            cost = measured(target, data)
            row |= {"refused": cost.refused, "seconds": cost.seconds, "mib": cost.mib}
        except Exception:
            row["error"] = traceback.format_exc()
        finally:
            signal.alarm(0)
        print(json.dumps(row), flush=True)


def _stop(number: int, frame: FrameType | None) -> None:
    raise HangError(f"it takes more than {GIVE_UP} s")


if __name__ == "__main__":
    main(sys.argv[1])
