"""One measured run of the pipeline in a process of its own: prints a line of JSON."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench.processes import Watch
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile, order_releases
from wirebook.docgen.pipeline.inputs import Inputs, gather
from wirebook.docgen.pipeline.older_releases import DistinctText
from wirebook.docgen.request import BuildRequest
from wirebook.specs.output import replaced
from wirebook.specs.sources.source import digest_of

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
        for ordinal, path, digest in inputs.files:
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
    return replace(inputs, snapshots=snapshots, files=at, texts=texts, described={})


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
        found[digest] = (digest_of(text), (path, text))
    return found


def main() -> None:
    """Build once and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--history")
    parser.add_argument("--releases", default="[0-9]*")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--edited", type=float, default=0.1)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--conf", action="append", default=[], help="KEY=VALUE: a setting of Spark")
    options = parser.parse_args()
    begun = time.monotonic()
    inputs = gather(BuildRequest(history=options.history, releases=(options.releases,)))
    if options.times > 1:
        inputs = multiplied(inputs, options.times, options.edited)
    target = options.keep or Path(tempfile.mkdtemp(prefix="wirebook-bench-")) / "catalog"
    memory = Watch()
    memory.start()
    if options.times > 1:
        begun = time.monotonic()
    with replaced(target) as folder:
        if options.plain:
            from bench.plain import build

            build(inputs, folder)
        else:
            from wirebook.docgen.pipeline.run import run

            conf = dict(pair.split("=", 1) for pair in options.conf)
            run(inputs, folder, BuildRequest(conf=conf))
    took = time.monotonic() - begun
    memory.stopped.set()
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    if options.keep is None:
        shutil.rmtree(target.parent)
    print(
        json.dumps({
            "seconds": took,
            "python_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "java_mb": memory.java / 1024,
            "snapshots": len(inputs.snapshots),
            "files": len(inputs.files),
            "texts": len(inputs.texts),
            "catalog_mb": size / 2**20,
            "cores": os.cpu_count(),
        })
    )  # fmt: skip


if __name__ == "__main__":
    main()
