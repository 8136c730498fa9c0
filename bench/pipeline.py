"""Runs of the pipeline of `wirebook build`, of this commit or of another one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.processes import ROOT, measured

Row = tuple[str, str, str]
WARM = 2


def times(
    repeat: int, *arguments: str, keep: Path | None = None, checkout: Path = ROOT
) -> list[dict[str, Any]]:
    """Runs of bench.one; where there are several, two more before fill caches and make Java's archive."""
    where = [] if keep is None else ["--keep", str(keep)]
    runs = [one(*arguments, *where, checkout=checkout) for _ in range(repeat + (WARM if repeat > 1 else 0))]
    return runs[-repeat:]


def one(*arguments: str, checkout: Path = ROOT) -> dict[str, Any]:
    """What a run of bench.one prints, and the `processor` time of all its processes."""
    with tempfile.TemporaryFile() as output:
        cost = measured([sys.executable, "-m", "bench.one", *arguments], folder=checkout, output=output)
        output.seek(0)
        return {**json.load(output), "processor": cost.processor}


def seconds(runs: list[dict[str, Any]]) -> str:
    """The medians of some runs."""
    wall, processor = (median(run[name] for run in runs) for name in ("seconds", "processor"))
    return f"{wall:.1f} s ({processor:.1f} s of processor)"


def rows(commit: str, repeat: int, history: str | None, releases: str, folder: Path) -> Iterator[Row]:
    """The pipeline of this commit and of another one, by turns: over the embedded specs, over a history."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder / "other", filter="tar")
    whole = [] if history is None else ["--history", history, "--releases", releases]
    for what, given in (("specs that come with wirebook", []), ("releases of the history", whole)):
        if what.startswith("releases") and not whole:
            continue
        here: list[dict[str, Any]] = []
        there: list[dict[str, Any]] = []
        for turn in range(repeat + WARM):
            for runs, checkout in ((here, ROOT), (there, folder / "other")):
                made = one(*given, checkout=checkout)
                if turn >= WARM:
                    runs.append(made)
        texts = here[0]["texts"], there[0]["texts"]
        words = f"{seconds(here)} for {texts[0]:,} texts; at {commit} {seconds(there)} for {texts[1]:,}"
        if texts[0] != texts[1]:
            # A commit has its own embedded specs.
            yield (f"pipeline over the {what}", words, "")
            continue
        share = [median(run[name] for run in here) / median(run[name] for run in there) for name in _TIMES]
        yield (f"pipeline over the {what}", f"{words}: {share[0]:.2f} and {share[1]:.2f} times", "at most 1")


_TIMES = ("seconds", "processor")
