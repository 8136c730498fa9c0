"""Small protocols with a history, written for the tests: specs, git repositories, catalogs built of
them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]

from tests.docgen.site_requests import gathered
from tests.docgen.without_spark import catalog_of
from tests.repositories import git
from tests.shared import temporary
from wirebook.docgen.catalog import catalog as product
from wirebook.docgen.catalog.history import Context
from wirebook.docgen.catalog.order import SnapshotFile, order_releases
from wirebook.docgen.catalog.records import ApiDocument, Event, FieldRecord
from wirebook.docgen.catalog.spec_texts import SpecText
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import pages
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pipeline.inputs import Inputs
from wirebook.specs.levels import NO_LEVELS
from wirebook.specs.trees import blob_id

Spec = dict[str, Any]
FOLDER = "clients/src/main/resources/common/message"


class Catalog(product.Catalog):
    """A catalog whose documents are found by any name."""

    def api(self, name: str) -> ApiDocument:
        """The document of an API or message, by its name, a former name, or its API key in
        digits."""
        current = (each for each in self.documents if name in (each.api, str(each.api_key)))
        former = (each for each in self.documents if name in each.former_names)
        return next(chain(current, former))


def field(name: str, kind: str = "int32", versions: str = "0+", **more: object) -> Spec:
    """A field of a spec."""
    return {"name": name, "type": kind, "versions": versions, "about": f"The {name}.", **more}


def request(name: str, key: int, valid: str, *fields: Spec, **more: object) -> Spec:
    """The spec of a request."""
    return {
        "apiKey": key,
        "type": "request",
        "listeners": ["broker"],
        "name": f"{name}Request",
        "validVersions": valid,
        "flexibleVersions": more.pop("flexibleVersions", "none"),
        **more,
        "fields": list(fields),
    }


def response(name: str, key: int, valid: str, *fields: Spec, **more: object) -> Spec:
    """The spec of a response."""
    spec = request(name, key, valid, *fields, **more)
    del spec["listeners"]
    return spec | {"type": "response", "name": f"{name}Response"}


def text_of(spec: Spec | str) -> bytes:
    """The file of a spec; a text is taken as it is."""
    return (spec if isinstance(spec, str) else json.dumps(spec, indent=1)).encode()


def inputs(releases: Mapping[str, list[Spec]]) -> Inputs:
    """The pipeline's input for releases made up in memory."""
    snapshots = order_releases(list(releases))
    files, texts = [], {}
    for snapshot in snapshots:
        for spec in releases[snapshot.name]:
            text = text_of(spec)
            path = f"{FOLDER}/{spec['name']}.json"
            files.append(SnapshotFile(snapshot.ordinal, path, blob_id(text)))
            texts[blob_id(text)] = SpecText(path, text, blob_id(text))
    return Inputs(Context(tuple(snapshots), NO_LEVELS, "nothing"), files, texts)


@cache
def own_book() -> Book:
    """The book of the embedded specs; its catalog is made without Spark."""
    return Book.open(catalog_of(gathered()))


@cache
def own_pages() -> Mapping[str, Page]:
    """The pages of that book, by their paths."""
    return {page.path: page for page in pages(own_book())}


def repository(releases: Mapping[str, Mapping[str, Spec | str]]) -> Path:
    """A git repository with a tag for each release, all of one day; each holds exactly the given
    files."""
    top = temporary("repository")
    day = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2020-02-02T02:02:02+0000")
    git(top, "init", "-q", "-b", "main")
    for name, files in releases.items():
        for old in top.glob("*"):
            if old.name != ".git":
                shutil.rmtree(old)
        for path, spec in files.items():
            target = top / FOLDER / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text_of(spec))
        git(top, "add", "--all")
        git(top, "commit", "-q", "--allow-empty", "-m", f"Release {name}", environment=day)
        git(top, "tag", name)
    return top


@cache
def own_catalog() -> Catalog:
    """The catalog of the specs that come with wirebook."""
    return Catalog.open(catalog_of(gathered()))


def table(catalog: Catalog, name: str) -> Any:
    """A table of a catalog."""
    return pq.read_table(catalog.folder / "tables" / f"{name}.parquet")


def built_here(
    source: str | None = None, history: str | None = None, releases: str | None = None
) -> Catalog:
    """The catalog of a source and its releases."""
    return Catalog.open(catalog_of(gathered(source, history, releases)))


def events(events: Iterable[Event]) -> list[tuple[str, str]]:
    """(event, release) of each event of a document."""
    return [(event.event, event.since.release or "") for event in events]


def version_events(document: ApiDocument, version: int) -> list[tuple[str, str]]:
    """The events of one version of an API."""
    return next(events(item.events) for item in document.versions if item.version == version)


def field_of(document: ApiDocument, path: str, message: int = 0) -> FieldRecord:
    """One field of a message of a document."""
    return next(item for item in document.messages[message].fields if item.path == path)
