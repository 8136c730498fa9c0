"""`wirebook serve`: the site on this machine, rebuilt when a spec or a page changes."""

import argparse
import tempfile
import time
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.site_options import PIPELINE, QUIET, build_request, say
from wirebook.docgen.request import sources_of
from wirebook.docgen.site.mkdocs_config import find_config
from wirebook.docgen.site.watch import Watched
from wirebook.docgen.site_files import site_paths
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.output import CATALOG, replaced

ARGUMENTS: Arguments = {
    **PIPELINE,
    **QUIET,
    "--port N": {"default": 8000, "help": "default: 8000"},
}


def run(options: argparse.Namespace) -> int:
    """Build and serve until stopped; returns the exit code. Raises InputError."""
    request, sources = build_request(options)
    from wirebook.docgen.pipeline.inputs import gather
    from wirebook.docgen.pipeline.run import build
    from wirebook.docgen.site.build import check_port, serve_site

    with tempfile.TemporaryDirectory(prefix="wirebook-serve-") as folder:
        catalog = Path(folder) / "catalog"

        def rebuild() -> None:
            started = time.monotonic()
            # The last good catalog stays if this one cannot be finished.
            with replaced(catalog, CATALOG) as target:
                made = build(gather(sources_of(request)), target)
            say(made, time.monotonic() - started, quiet=options.quiet)

        check_port(options.port)
        config = find_config(Path())
        rebuild()
        specs = sources.specs
        # With the texts of the embedded specs.
        watched = Watched(FOLDER if specs.is_embedded else specs.top, site_paths(specs), rebuild)
        serve_site(catalog, config, options.port, watched)
    return exits.CLEAN
