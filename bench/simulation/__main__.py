"""`python -m bench.simulation FILE DIR` writes the logs of the fleet that FILE describes to DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.simulation.run import simulate

if __name__ == "__main__":
    print(f"{simulate(Path(sys.argv[1]), Path(sys.argv[2])):,} requests")
