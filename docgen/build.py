"""Builds a site from specs: the request, its requirements, and the pipeline that builds the catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.docgen.choice import Specs
from wirebook.docgen.progress import SILENT, Progress
from wirebook.specs.problems import InputError

if TYPE_CHECKING:
    from wirebook.docgen.pipeline.run import Filled

# What the extras `site` and `spark` install, by the name that is imported.
PACKAGES = ("mkdocs", "material", "mkdocstrings", "jinja2", "pyspark", "pyarrow")


@dataclass(frozen=True)
class BuildRequest:
    """What a site is built from.

    `source` is a SOURCE, specs that `docgen.choice` found, or None for those that come with wirebook. With
    `history`, a git repository, the tags that match one of `releases` are shown. `catalog` is the folder of
    the tables and documents that the site is built from. `master` and `conf` are for a new Spark session and
    take precedence over the user's own Spark configuration. `protocol` names one of several protocols of the
    specs. `tables` is a URI to which executors write the tables as well.
    """

    source: Specs = None
    history: str | None = None
    releases: str | Sequence[str] | None = None
    master: str | None = None
    catalog: Path = Path("build") / "catalog"
    conf: Mapping[str, str] = field(default_factory=dict)
    protocol: str | None = None
    tables: str | None = None


def check_ready(request: BuildRequest) -> None:
    """Raise InputError if the request contradicts itself, or if a package or Java is missing.

    It runs before Spark starts. The message names the command that installs what is missing.
    """
    if (request.history is None) != (not request.releases):
        raise InputError(
            "--history and --releases must be given together: the repository, and the tags that are releases"
        )
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(f"building a site needs {', '.join(missing)}: pip install 'wirebook[site,spark]'")
    # spark-submit has started Java already.
    if "PYSPARK_GATEWAY_PORT" not in os.environ and (request.master or "local").startswith("local"):
        from wirebook.docgen.pipeline.java import find_java

        find_java()


def protocols_to_build(request: BuildRequest) -> list[str]:
    """The names of the protocols to build sites for; "" for the only one.

    Specs that no [[protocol]] claims have no name and no site. Raises InputError if there is no such
    protocol.
    """
    from wirebook.docgen.choice import protocols_of
    from wirebook.specs.protocols import chosen

    names = protocols_of(request.source)
    if request.protocol is not None:
        return [chosen([(name, name) for name in names], request.protocol, "the SOURCE")]
    return [name for name in names if name] if len(names) > 1 else names


def fill_catalog(request: BuildRequest, folder: Path, progress: Progress = SILENT) -> Filled:
    """Run the pipeline into an empty folder, regardless of the catalog of the request; returns what to print.

    Raises InputError.
    """
    from wirebook.docgen.pipeline.run import fill_catalog

    return fill_catalog(
        folder,
        request.source,
        request.history,
        request.releases,
        request.master,
        request.conf,
        protocol=request.protocol,
        tables=request.tables,
        progress=progress,
    )


def build_catalog(request: BuildRequest, progress: Progress = SILENT) -> None:
    """Run the pipeline, which fills the catalog folder. Raises InputError."""
    from wirebook.docgen.pipeline.run import build_catalog

    build_catalog(
        request.catalog,
        request.source,
        request.history,
        request.releases,
        request.master,
        conf=request.conf,
        protocol=request.protocol,
        tables=request.tables,
        progress=progress,
    )


def own_pages(request: BuildRequest) -> list[Path]:
    """The files and folders of the pages that the profile of the specs names. Raises InputError."""
    from wirebook.docgen.pipeline.inputs import opened_part
    from wirebook.docgen.site_files import site_paths

    opened, part = opened_part(request.source, request.protocol)
    return site_paths(opened, part.profile)


def renew_pages(request: BuildRequest) -> None:
    """Read those pages again into the catalog, without the pipeline. Raises InputError."""
    from wirebook.docgen.pipeline.inputs import opened_part, write_site

    opened, part = opened_part(request.source, request.protocol)
    write_site(opened, part.profile, request.catalog)
