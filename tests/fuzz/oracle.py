"""What may come of an input: a result or the documented error, within a time and a memory that are stated."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


@dataclass(frozen=True)
class Target:
    """Something that reads input: a function that raises only the errors in `refused`.

    `seconds` and `mib` are for an input of no size, `seconds_per_mib` and `mib_per_mib` for its size.
    """

    run: Callable[[bytes], object]
    refused: tuple[type[Exception], ...] = ()
    seconds: float = 1.0
    seconds_per_mib: float = 8.0
    mib: float = 48.0
    mib_per_mib: float = 60.0


class Cost(NamedTuple):
    """What an input came to: CPU time, and by how much the peak of the memory of this process rose."""

    refused: bool
    seconds: float
    mib: float


class CostError(AssertionError):
    """An input takes more time or memory than its size justifies."""


def measured(target: Target, data: bytes, *, slower: float = 1.0) -> Cost:
    """Run a target on an input. Raises CostError, and every error that the target does not document.

    `slower` is for code that is instrumented.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    refused = False
    try:
        target.run(data)
    except target.refused:
        refused = True
    took = time.process_time() - begun
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * _UNIT / 2**20
    size = len(data) / 2**20
    seconds, mib = target.seconds + target.seconds_per_mib * size, target.mib + target.mib_per_mib * size
    if took > seconds * slower:
        raise CostError(f"{len(data):,} bytes take {took:.2f} s, and {seconds * slower:.2f} s are allowed")
    if grown > mib:
        raise CostError(f"{len(data):,} bytes take {grown:.0f} MiB, and {mib:.0f} MiB are allowed")
    return Cost(refused, took, grown)
