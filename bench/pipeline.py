"""The pipeline over a history, once and with ten times the data, beside the same work in one process."""

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

from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile, order_releases
from wirebook.docgen.pipeline.distribute import distribution
from wirebook.docgen.pipeline.inputs import DistinctText, Inputs, gather
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.progress import SILENT
from wirebook.docgen.request import BuildRequest, sources_of
from wirebook.specs.output import replaced
from wirebook.specs.trees import blob_id

Row = tuple[str, str, str]
_NUMBER = re.compile(r"\d+")
_FIELDS = re.compile(rb'"fields"\s*:\s*\[')
_VALID = re.compile(rb'"validVersions"\s*:\s*"(?:\d+-)?(\d+)"')


def multiplied(inputs: Inputs, times: int, edited: float) -> Inputs:
    """The releases `times` times over, under new names (4.3.1 as 14.3.1, 24.3.1, …).

    In each copy `edited` of the texts get a new field at the front, in their newest version.
    """
    names: list[str] = []
    files: list[tuple[str, str, str]] = []
    texts = dict(inputs.texts)
    for copy in range(times):
        renamed = {snapshot.ordinal: _raised(snapshot.name, 10 * copy) for snapshot in inputs.snapshots}
        changed = _edited(inputs, copy, edited) if copy else {}
        for digest, (path, text) in changed.values():
            texts[digest] = DistinctText(path, text)
        names += renamed.values()
        for ordinal, path, digest, _ in inputs.files:
            found = changed.get(digest)
            files.append((renamed[ordinal], path, found[0] if found else digest))
    ordered = order_releases(names)
    places = {release.name: place for place, release in enumerate(ordered)}
    snapshots = tuple(
        CatalogSnapshot(
            ordinal=place,
            name=release.name,
            kind="release",
            predecessor=None if release.predecessor is None else places[release.predecessor],
            trunk=release.trunk,
        )
        for place, release in enumerate(ordered)
    )
    at = [SnapshotFile(places[name], path, digest) for name, path, digest in files]
    context = replace(inputs.context, snapshots=snapshots)
    return replace(inputs, context=context, files=at, texts=texts, described={})


def _raised(name: str, by: int) -> str:
    return _NUMBER.sub(lambda match: str(int(match[0]) + by), name, count=1)


def _edited(inputs: Inputs, copy: int, share: float) -> dict[str, tuple[str, tuple[str, bytes]]]:
    """By digest: the digest, path and text that take its place in this copy."""
    found = {}
    for digest, (path, text) in inputs.texts.items():
        newest = _VALID.search(text)
        # The digests are evenly spread, and another share of them falls to each copy.
        if (int(digest[:8], 16) + copy * 2654435761) % 2**32 >= share * 2**32 or newest is None:
            continue
        field = b'{ "name": "Added%d", "type": "int32", "versions": "%s+", "about": "One of a kind." },' % (
            copy,
            newest[1],
        )
        place = _FIELDS.search(text)
        if place is None:
            continue
        text = text[: place.end()] + field + text[place.end() :]
        found[digest] = (blob_id(text), (path, text))
    return found


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
    inputs = gather(sources_of(BuildRequest("kafka", options.history, "[0-9]*")))
    if options.times > 1:
        inputs = multiplied(inputs, options.times, edited=0.1)
    begun = time.perf_counter()
    with replaced(options.catalog) as folder:
        if options.plain:
            build(inputs, folder)
        else:
            with distribution(None, {}, SILENT) as distribute:
                build(inputs, folder, distribute)
    print(time.perf_counter() - begun)


if __name__ == "__main__":
    main()
