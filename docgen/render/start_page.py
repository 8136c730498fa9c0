"""The page above the sites of several protocols: which there are, and a link to each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.render.kit.environment import environment


def write_start_page(catalogs: Mapping[str, Path], site: Path) -> None:
    """Write index.html: the protocols by the names of their folders, with the catalog of each."""
    opened = {name: Catalog.open(catalog) for name, catalog in catalogs.items()}
    page = environment().get_template("start.html.jinja").render(protocols=opened)
    (site / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")
