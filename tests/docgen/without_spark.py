"""`wirebook` with a pipeline in this process, for tests of pages: Spark makes the same catalog.

That it does is shown by tests/docgen/pipeline/test_pipeline.py, hostile texts included.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.docgen.site_requests import gathered
from tests.shared import begin_run, built_once, end_run
from wirebook.cli.main import main
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline import distribute, run
from wirebook.docgen.pipeline.inputs import Inputs
from wirebook.docgen.pipeline.run import Built, build


def catalog_of(inputs: Inputs) -> Path:
    """The folder with the catalog of some inputs, which all processes of a run share."""
    name = sha256(repr(inputs).encode(errors="surrogateescape")).hexdigest()

    def fill(folder: Path) -> None:
        build(inputs, folder)

    return built_once(f"catalog-{name}", fill)


def shared(inputs: Inputs, folder: Path, *_: object) -> Built:
    """As `build`."""
    shutil.copytree(catalog_of(inputs), folder, dirs_exist_ok=True)
    made = Catalog.open(folder)
    summary = f"catalog of {len(made.index)} APIs and messages, {len(made.snapshots)} snapshots"
    return Built(summary, made.manifest.problems)


def catalog(
    folder: Path,
    *,
    source: str | None = None,
    history: str | None = None,
    releases: str | None = None,
) -> Path:
    """The catalog of a source in a new folder, which is returned."""
    folder.mkdir()
    build(gathered(source, history, releases), folder)
    return folder


if __name__ == "__main__":
    program: Any = run
    program.build = shared
    program = distribute
    program.distribution = lambda *_: nullcontext(distribute.in_process)
    begin_run()
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        end_run()
