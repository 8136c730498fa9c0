"""`wirebook` with a pipeline in one Python process, for tests of pages: Spark makes the same catalog.

That it does is shown by tests/docgen/pipeline/test_pipeline.py, hostile texts included.
"""

from __future__ import annotations

import shutil
import sys
from hashlib import sha256
from pathlib import Path

from bench.plain import build
from tests.docgen.site_requests import site_request
from tests.shared import begin_run, built_once, end_run
from wirebook.cli.main import main
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline import run as module
from wirebook.docgen.pipeline.inputs import Inputs, gather


def catalog_of(inputs: Inputs) -> Path:
    """The folder with the catalog of some inputs, which all processes of a run share."""
    name = sha256(repr(inputs).encode(errors="surrogateescape")).hexdigest()
    return built_once(f"catalog-{name}", lambda folder: build(inputs, folder))


def run(inputs: Inputs, folder: Path, *_: object) -> module.Summary:
    """As `wirebook.docgen.pipeline.run.run`."""
    shutil.copytree(catalog_of(inputs), folder, dirs_exist_ok=True)
    made = Catalog.open(folder)
    return module.Summary(len(made.index), list(made.manifest.problems))


def catalog(
    folder: Path, *, source: str | None = None, history: str | None = None, releases: str | None = None
) -> Path:
    """The catalog of a source in a new folder, which is returned."""
    folder.mkdir()
    build(gather(site_request(source, history, releases)), folder)
    return folder


if __name__ == "__main__":
    vars(module)["run"] = run
    begin_run()
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        end_run()
