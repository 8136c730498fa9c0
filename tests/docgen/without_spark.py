"""`wirebook` with a pipeline in one Python process, for tests of pages: Spark makes the same catalog.

That it does is shown by tests/docgen/pipeline/test_pipeline.py, hostile texts included.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.plain import build
from tests.docgen.site_requests import site_request
from wirebook.cli.main import main
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline import run as module
from wirebook.docgen.pipeline.inputs import Inputs, gather


def run(inputs: Inputs, folder: Path, *_: object) -> module.Summary:
    """As `wirebook.docgen.pipeline.run.run`."""
    build(inputs, folder)
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
    sys.exit(main(sys.argv[1:]))
