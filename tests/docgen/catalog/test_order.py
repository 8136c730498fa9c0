"""A source beside its releases: its name begins with that of the last one, but it is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.docgen.histories import FOLDER, Spec, field, inputs, request, text_of
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.errors import ErrorCode
from wirebook.docgen.catalog.order import CatalogSnapshot, SnapshotFile
from wirebook.docgen.catalog.protocol import level_records
from wirebook.docgen.pipeline.older_releases import DistinctText
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.data.releases import release_documents
from wirebook.docgen.render.kit.wording import field_release
from wirebook.docgen.render.pictures.history import columns
from wirebook.docgen.render.pictures.lifeline import lifeline
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.reading.tables.errors import DescribedError
from wirebook.specs.sources.source import digest_of

# What `git describe` calls the third commit after 1.1.0.
NAME = "1.1.0-3-g0123456"
CODES = (ErrorCode(1, "OLD", "1.0.0"), ErrorCode(2, "NEW", "1.2.0"))


def unreleased(folder: Path, releases: dict[str, list[Spec]], source: list[Spec]) -> Catalog:
    """The catalog of releases and of the source that is about to be released."""
    of_releases = inputs(releases)
    last = len(of_releases.snapshots)
    snapshot = CatalogSnapshot(last, NAME, "source", last - 1, True)
    paths = {text_of(spec): f"{FOLDER}/{spec['name']}.json" for spec in source}
    texts = {digest_of(text): DistinctText(path, text) for text, path in paths.items()}
    given = replace(
        of_releases,
        snapshots=(*of_releases.snapshots, snapshot),
        files=[
            *of_releases.files,
            *(SnapshotFile(last, text.path, digest) for digest, text in texts.items()),
        ],
        texts={**of_releases.texts, **texts},
        errors=CODES,
    )
    build(given, folder)
    return Catalog.open(folder)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Releases 1.0.0 and 1.1.0, and a source that adds a tagged field to a released version."""
    old = [request("Foo", 3, "0", field("A"), flexibleVersions="0+")]
    late = field("Late", versions="0+", tag=0, taggedVersions="0+")
    new = [request("Foo", 3, "0-1", field("A"), late, flexibleVersions="0+")]
    return unreleased(tmp_path, {"1.0.0": old, "1.1.0": old}, new)


def test_a_field_that_only_the_source_has_is_as_old_as_the_source(catalog: Catalog) -> None:
    document = catalog.api("Foo")
    (late,) = (each for each in document.messages[0].fields if each.path == "Late")
    snapshots = [presence.snapshot for presence in document.presence]
    assert field_release(late, document.versions[::-1], snapshots) == NAME
    (page,) = (page for page in Book.of(catalog.folder).pages() if page.path == "fields/")
    assert NAME in str(page.html)


def test_the_source_is_none_of_the_line_of_the_last_release(catalog: Catalog) -> None:
    assert [column.name for column in columns(catalog.index, catalog.snapshots)] == ["1.0", "1.1", NAME]
    assert f">{NAME}</text>" in str(lifeline("Foo", catalog.api("Foo").presence))
    assert [presence.unreleased for presence in catalog.api("Foo").presence] == [False, False, True]


def test_the_source_has_the_newest_error_codes_and_no_level(catalog: Catalog) -> None:
    errors = [DescribedError(code.code, code.name, False, code.first_release, "") for code in CODES]
    documents = release_documents(catalog.index, catalog.snapshots, (), errors, catalog.protocol)
    assert [len(document.errors) for document in documents] == [1, 1, 2]
    assert [error.name for error in catalog.snapshots[-1].errors] == ["NEW"]
    registry = Registry((ApiVersion(0, "1.1-IV0", "1.1"), ApiVersion(1, "next-IV0", "next")))
    snapshots = [
        CatalogSnapshot(0, "1.0.0", "release", None, True),
        CatalogSnapshot(1, NAME, "source", 0, True),
    ]
    assert [level.snapshot for level in level_records(registry, snapshots).levels] == [None, None]


def test_the_page_of_the_source_does_not_call_it_a_release(catalog: Catalog) -> None:
    pages = {page.path: page for page in Book.of(catalog.folder).pages()}
    page = pages[f"releases/{NAME}/"]
    assert page.title == f"The protocol of {NAME}"
    assert f"the API versions that a server of {NAME} serves." in page.html
    assert pages["releases/1.1.0/"].title == "Release 1.1.0"
    assert "the API versions that a server of this release serves." in pages["releases/1.1.0/"].html
