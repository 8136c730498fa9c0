"""The sites of forks of Kafka and of libraries in its format: their own name, releases and parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.docgen.sites import WITHOUT_SPARK, broken_links, run
from tests.repositories import FOLDER, Repo, api_versions, request, response
from tests.specs.kafka.forks import fork
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.pipeline.run import build as build_plainly
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.request import BuildRequest

EXTENDS = 'extends = "kafka"\n'
RESOURCES = "library/protocol/resources"
# Folders of pages that only the site of Kafka has.
KAFKAS = (
    "kips",
    "kip-35",
    "negotiate",
    "features",
    "records",
    "tutorial",
    "appendix",
)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """The book of a fork of Kafka 2.2: an API, a version and a field of its own, and tags of every form."""
    folder = tmp_path_factory.mktemp("fork")
    repository = fork(folder / "clone", "otter-connect-1.0.0", "v1.0.0", "v1.1.0-rc1", release="2.2.0")
    repository.git("remote", "add", "origin", "https://example.org/team/otter.git")
    repository.write("profile.toml", EXTENDS)
    own = request(apiKey=901, name="DiveRequest", validVersions="0", flexibleVersions="none")
    own["fields"] = own["fields"][:2]
    repository.write(f"{FOLDER}/DiveRequest.json", json.dumps(own))
    repository.write(
        f"{FOLDER}/DiveResponse.json",
        json.dumps(response(apiKey=901, name="DiveResponse", validVersions="0", flexibleVersions="none")),
    )
    path = repository.folder / FOLDER / "SaslHandshakeRequest.json"
    text = path.read_text().replace('"validVersions": "0-1"', '"validVersions": "0-2"')
    depth = '{ "name": "Depth", "type": "int32", "versions": "2+", "about": "The depth." },'
    path.write_text(text.replace('"fields": [', f'"fields": [ {depth}'))
    response_path = path.with_name("SaslHandshakeResponse.json")
    response_path.write_text(response_path.read_text().replace('"0-1"', '"0-2"'))
    repository.commit("Own")
    repository.git("tag", "v1.1.0")
    made = gather(BuildRequest.of(None, str(repository.folder), here=folder))
    assert [snapshot.name for snapshot in made.snapshots] == ["v1.0.0", "v1.1.0"]
    catalog = folder / "catalog"
    catalog.mkdir()
    build_plainly(made, catalog)
    return Book.of(catalog)


@pytest.fixture(scope="module")
def pages(book: Book) -> Mapping[str, Page]:
    """The pages of that book, by their paths."""
    return {page.path: page for page in book.pages()}


def test_a_fork_has_its_name_and_its_origin(book: Book) -> None:
    protocol = book.protocol
    assert (protocol.heading, protocol.product, protocol.name) == ("Otter protocol", "Otter", "otter")
    assert (protocol.family, protocol.extends) == ("", "kafka")
    front = book.inserts()["front"]
    assert "over <strong>2</strong> releases, v1.0.0 to" in front


def test_the_history_of_a_fork_is_its_own(book: Book) -> None:
    documents = {document.api: document for document in book.documents}
    events = {
        (document.api, version.version): [(event.event, event.since.release) for event in version.events]
        for document in documents.values()
        for version in document.versions
    }
    assert events["SaslHandshake", 2] == [("added", "v1.1.0")]
    assert events["SaslHandshake", 1] == [("added", "v1.0.0")]
    assert events["Dive", 0] == [("added", "v1.1.0")]
    assert {release for each in events.values() for _, release in each} == {"v1.0.0", "v1.1.0"}
    assert all(version.events[0].since.at_or_before for version in documents["Fetch"].versions)
    assert not book.catalog.levels
    assert not [snapshot.errors for snapshot in book.snapshots if snapshot.errors]


def test_pages_state_whose_descriptions_they_have(pages: Mapping[str, Page]) -> None:
    note = "Descriptions that are not in the specs of Otter are those of Apache Kafka"
    assert note in pages["api/fetch/"].html
    assert note not in pages["api/dive/"].html


def test_pages_of_the_kafka_reference_are_not_part_of_a_fork(pages: Mapping[str, Page]) -> None:
    assert not [path for path in pages if path.split("/")[0] in KAFKAS]
    errors = pages["errors/"].html
    assert "They are the codes of Apache Kafka." in errors
    assert "Since</th>" not in errors, "these are releases of Kafka"


def library(folder: Path, profile: str = EXTENDS, specs: str = RESOURCES) -> Repo:
    """A client library with a few specs in Kafka's format, in a folder of its own, and releases."""
    repository = Repo(folder)
    texts = [api_versions("request"), api_versions("response"), request(), response()]
    for text in texts:
        repository.write(f"{specs}/{text['name']}.json", json.dumps(text))
    repository.write("profile.toml", profile)
    repository.commit("Specs")
    for tag in ("2.2.0", "3.0.11"):
        repository.git("tag", tag)
    return repository


def built(repository: Repo, folder: Path, *arguments: str) -> Path:
    """The site of a repository."""
    site = folder / "site"
    places = ("--site-dir", str(site), "--catalog", str(folder / "catalog"), "--quiet")
    done = run("build", *arguments, *places, program=WITHOUT_SPARK)
    assert (done.returncode, done.stderr) == (0, "")
    assert not [name for name in KAFKAS if (site / name).exists()]
    assert broken_links(site) == []
    vectors = json.loads((site / "api" / "api-versions" / "vectors.json").read_text())
    headers = {each["header_version"] for each in vectors["vectors"] if each["type"] == "response"}
    assert headers == {0}, "a client reads the response before it knows the versions"
    return site


def test_the_site_of_a_library_is_built(tmp_path: Path) -> None:
    repository = library(tmp_path / "otter-client")
    site = built(repository, tmp_path, "--history", str(repository.folder))
    home = (site / "index.html").read_text()
    assert "<h1>Otter-client protocol</h1>" in home
    assert "Apache Kafka's wire protocol" not in home
    assert "releases, 2.2.0 to" in home
