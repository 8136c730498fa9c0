"""The mock broker under hundreds of connections, most of them up to no good; `make bench` does it longer."""

from __future__ import annotations

import sys

import pytest

from bench.mock import CONNECTIONS, GOAL_MB, soak

pytestmark = pytest.mark.long


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_it_goes_on_answering_in_bounded_memory() -> None:
    found = soak(seconds=6)
    assert found.alive
    assert found.wrong == 0
    assert found.answers >= 200, found
    assert found.opened >= CONNECTIONS, found
    assert found.peak_mb < GOAL_MB, found
