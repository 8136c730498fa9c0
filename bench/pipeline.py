"""The pipeline over a history, once and with ten times the data, beside the same work in one
process."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.inputs import Inputs, gather
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.progress import SILENT
from wirebook.docgen.request import BuildRequest, sources_of
from wirebook.specs.discovery import SpecText
from wirebook.specs.output import CATALOG, replaced
from wirebook.specs.trees import blob_id

Row = tuple[str, str, str]
_NAME = re.compile(rb'("name"\s*:\s*")')
_KEY = re.compile(rb'("apiKey"\s*:\s*)(\d+)')


def multiplied(inputs: Inputs, times: int) -> Inputs:
    """The APIs of each release `times` times over, under other names and keys."""
    files, texts = [*inputs.files], dict(inputs.texts)
    for copy in range(1, times):
        digests: dict[str, str] = {}
        for path, text, digest in inputs.texts.values():
            text = _NAME.sub(rb"\g<1>C%d" % copy, text, count=1)
            text = _KEY.sub(rb"\g<1>%d0\2" % copy, text)
            digests[digest] = blob_id(text)
            texts[digests[digest]] = SpecText(f"{copy}/{path}", text, digests[digest])
        files += [
            file._replace(path=f"{copy}/{file.path}", digest=digests[file.digest])
            for file in inputs.files
        ]
    return replace(inputs, files=files, texts=texts)


def rows(history: Path, repeat: int, catalog: Path) -> Iterator[Row]:
    """Run it, and keep the catalog of the history."""
    spark = median(_seconds(history, catalog) for _ in range(repeat))
    plain = median(_seconds(history, catalog, "--plain") for _ in range(repeat))
    yield ("pipeline over the history", f"{spark:.1f} s, {spark / plain:.1f} times one process", "")
    more = catalog.with_name("catalog-10")
    longer = _seconds(history, more, "--times", "10")
    plainly = _seconds(history, more, "--times", "10", "--plain")
    yield ("  with 10 times the data", f"{longer / spark:.1f} times as long", "at most 10 times")
    yield ("  beside one process", f"{longer / plainly:.2f} times as long", "")


def _seconds(history: Path, catalog: Path, *options: str) -> float:
    """What the work takes in a process of its own, its start and what it reads left out."""
    command = [sys.executable, "-m", "bench.pipeline", str(history), str(catalog), *options]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Build once, and print the seconds."""
    parser = argparse.ArgumentParser(prog="python -m bench.pipeline")
    parser.add_argument("history")
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    inputs = multiplied(
        gather(sources_of(BuildRequest("kafka", options.history, "[0-9]*"))), options.times
    )
    begun = time.perf_counter()
    with replaced(options.catalog, CATALOG) as folder:
        if options.plain:
            build(inputs, folder)
        else:
            with distribution(None, {}, SILENT) as distribute:
                build(inputs, folder, distribute)
    print(time.perf_counter() - begun)


if __name__ == "__main__":
    main()
