"""The pipeline over a history, beside the same work in one process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.progress import SILENT
from wirebook.docgen.request import BuildRequest, sources_of
from wirebook.specs.output import CATALOG, replaced

Row = tuple[str, str, str]


def rows(history: Path, repeat: int, catalog: Path) -> Iterator[Row]:
    """Run it, and keep the catalog of the history."""
    spark = median(_seconds(history, catalog) for _ in range(repeat))
    plain = median(_seconds(history, catalog, "--plain") for _ in range(repeat))
    yield ("pipeline over the history", f"{spark:.1f} s, {spark / plain:.1f} times one process", "")


def _seconds(history: Path, catalog: Path, *options: str) -> float:
    """What the work takes in a process of its own, its start and what it reads left out."""
    command = [sys.executable, "-m", "bench.pipeline", str(history), str(catalog), *options]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(history: str, catalog: str, *options: str) -> None:
    """Build once, and print the seconds."""
    inputs = gather(sources_of(BuildRequest("kafka", history, "[0-9]*")))
    begun = time.perf_counter()
    with replaced(Path(catalog), CATALOG) as folder:
        if options:
            build(inputs, folder)
        else:
            with distribution(None, {}, SILENT) as distribute:
                build(inputs, folder, distribute)
    print(time.perf_counter() - begun)


if __name__ == "__main__":
    main(*sys.argv[1:])
