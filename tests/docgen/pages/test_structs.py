"""The pages of the structs that several specs share, from a real build of a catalog."""

from __future__ import annotations

import pytest

from tests.docgen.without_spark import catalog
from tests.repositories import Repo
from tests.shared_structs import COMMON, ENDPOINT, join, ping, structs
from wirebook.docgen.pages import contents
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A protocol with two releases; the second one has another field in the shared struct."""
    folder = tmp_path_factory.mktemp("structs")
    repo = Repo(folder / "repo")
    repo.write(COMMON, structs(*ENDPOINT))
    for spec in (join("request"), join("response"), ping("request"), ping("response")):
        repo.spec(spec, "messages")
    repo.commit("one")
    repo.git("tag", "1.0.0")
    zone = {"name": "Zone", "type": "string", "versions": "1+", "about": "The <zone>."}
    repo.write(COMMON, structs(*ENDPOINT, {**zone, "versions": "2+"}))
    for kind in ("request", "response"):
        repo.spec(join(kind, validVersions="0-2"), "messages")
    repo.commit("two")
    repo.git("tag", "1.1.0")
    return Book.of(
        catalog(folder / "catalog", source=str(repo.folder), history=str(repo.folder), releases="*")
    )


@pytest.fixture(scope="module")
def pages(book: Book) -> dict[str, Page]:
    return {page.path: page for page in contents.pages(book)}


def test_a_struct_has_a_section_with_its_users(pages: dict[str, Page]) -> None:
    html = pages["structs/"].html
    assert '<h2 id="endpoint">Endpoint</h2>' in html
    assert '<a href="../api/join/">Join<wbr>Request</a> 0-2 (Self)' in html
    assert "Join<wbr>Response" in html
    assert "The &lt;zone&gt;." in html
    assert "Ping" not in html


def test_the_page_of_an_api_names_its_structs(pages: dict[str, Page]) -> None:
    assert '<a href="../../structs/#endpoint">Endpoint</a>' in pages["api/join/"].html
    assert "structs/" not in pages["api/ping/"].html


def test_releases_have_what_they_imported(book: Book) -> None:
    """The same text of a spec is another message where it imports something else."""
    document = next(each for each in book.documents if each.api == "Join")
    request = next(message for message in document.messages if message.type == "request")
    names = {
        version: [field.name for field in of.layout.walk()]
        for version, of in request.versions.items()
    }
    assert names[1] == ["Self", "Host", "Port", "Rack"]
    assert names[2] == ["Self", "Host", "Port", "Rack", "Zone"]
    assert [snapshot.name for snapshot in book.snapshots] == ["1.0.0", "1.1.0"]
