"""The whole book: every generated page, what hand-written pages show of the data, and the downloads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from docgen.render import pages
from docgen.render.environment import render
from docgen.render.pages import Doc, Page
from docgen.render.types import types_page
from specs.problems import InputError
from specs.registry import FOLDER


@dataclass(frozen=True)
class Book:
    """A catalog, ready to be rendered."""

    folder: Path
    index: tuple[Doc, ...]
    snapshots: tuple[Doc, ...]

    @classmethod
    def of(cls, folder: Path) -> Book:
        """The book of a catalog folder; raises InputError where there is none."""
        return cls(
            folder,
            tuple(_read(folder, "index.json")["apis"]),
            tuple(_read(folder, "snapshots.json")["snapshots"]),
        )

    @cached_property
    def documents(self) -> tuple[Doc, ...]:
        """The document of every API, in the order of the index."""
        return tuple(_read(self.folder, f"api/{item['slug']}.json") for item in self.index)

    @property
    def levels(self) -> tuple[str, str]:
        """What the snapshots are called, and the folder of their pages."""
        folder = pages.snapshot_folder(self.snapshots)
        return ("ApiVersions" if folder == "api-versions/" else "Releases", folder)

    def pages(self) -> Iterator[Page]:
        """Every generated page."""
        yield pages.api_index(self.index, self.snapshots)
        for document in self.documents:
            yield pages.api_page(document)
        yield from pages.snapshot_pages(self.index, self.snapshots)
        yield pages.matrix_page(self.index, self.snapshots)
        yield pages.deprecations_page(self.documents)
        yield pages.tags_page(self.documents)
        yield pages.errors_page(errors(), self.index)
        yield types_page()

    def inserts(self) -> dict[str, str]:
        """HTML for the marks in hand-written pages, by name."""
        return {
            "home": str(pages.home_extract(self.index, self.snapshots)),
            "example-request": str(example("FooRequest.json")),
            "example-response": str(example("FooResponse.json")),
        }

    def downloads(self) -> Iterator[tuple[str, str]]:
        """(place, text) of every file beside the pages."""
        for item in self.index:
            name = f"api/{item['slug']}.json"
            yield f"data/{name}", (self.folder / name).read_text(encoding="utf-8")
        for name in ("index.json", "snapshots.json"):
            yield f"data/{name}", (self.folder / name).read_text(encoding="utf-8")
        yield "data/matrix.csv", self.matrix()
        path = FOLDER / "errors.json"
        if path.is_file():
            yield "data/errors.json", path.read_text(encoding="utf-8")

    def matrix(self) -> str:
        """API by snapshot as CSV: key, name, then the versions in each snapshot."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["api_key", "api", *(snapshot["name"] for snapshot in self.snapshots)])
        for item in self.index:
            if item["kind"] == "api":
                cells = [
                    snapshot["apis"].get(item["slug"], {}).get("versions", "") for snapshot in self.snapshots
                ]
                writer.writerow([item["api_key"], item["api"], *cells])
        return text.getvalue()


def errors() -> list[Doc]:
    """The error codes of the registry file; [] where there is none."""
    path = FOLDER / "errors.json"
    if not path.is_file():
        return []
    found: list[Doc] = json.loads(path.read_text(encoding="utf-8"))["errors"]
    return found


def example(name: str) -> str:
    """An example spec, as the documentation of the format shows it."""
    path = FOLDER / "examples" / name
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return str(render("example.html.jinja", text=text))


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no catalog here; wirebook build makes one", str(folder)) from None
    except (OSError, ValueError) as error:
        raise InputError(f"the catalog is damaged ({error})", str(folder / name)) from None
    return found
