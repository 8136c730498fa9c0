"""`make bench`: the check beside buf, the codec beside kio and kafka-python, and the site."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import checks, wire
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.request import BuildRequest, sources_of
from wirebook.docgen.site.build import render_site
from wirebook.specs.output import CATALOG, replaced

Row = tuple[str, str, str]
ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT.parent / "shared" / "data" / "kafka-history.bundle"


def main() -> None:
    """Measure and print; only the codec is measured where no history is at hand."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument(
        "--history", type=Path, default=BUNDLE, help="a repository with Kafka's releases"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is shown")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wirebook-bench-") as folder:
        for what, measured, goal in rows(options.history, options.repeat, Path(folder)):
            print(f"{what:58} {measured:34} {goal}", flush=True)


def rows(history: Path, repeat: int, folder: Path) -> Iterator[Row]:
    """What was measured, the result, and what it should be."""
    yield from wire.rows(repeat)
    if not history.exists():
        yield ("no history", f"{history} is not there: --history", "")
        return
    # A clone, so that nothing is unpacked while the clock runs.
    clone = folder / "history"
    subprocess.run(["git", "clone", "-q", str(history), str(clone)], check=True)
    yield from checks.rows(clone, repeat, folder)
    inputs = gather(sources_of(BuildRequest("kafka", str(clone), "[0-9]*")))
    with replaced(folder / "catalog", CATALOG) as catalog:
        build(inputs, catalog)
    begun = time.perf_counter()
    render_site(folder / "catalog", folder / "site")
    took = time.perf_counter() - begun
    pages = [path.stat().st_size for path in (folder / "site").rglob("*.html")]
    yield (f"site of the history, {len(pages)} pages", f"{took:.1f} s", "at most 45 s")
    yield ("  its largest page", f"{max(pages) / 1024:.0f} KB", "at most 300 KB")


if __name__ == "__main__":
    main()
