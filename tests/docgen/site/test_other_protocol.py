"""The site of a small protocol that is not Kafka's, built in its own repository without
arguments."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.site.other_protocol import (
    WORDS,
    build,
    otter,
    specs,
    text_field,
    words_of_kafka,
)
from tests.docgen.sites import PageReader, broken_links, read_pages
from tests.repositories import Repo


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wirebook-otter-") as folder:
        repository = otter(Path(folder) / "otter")
        done = build(repository.folder, WIREBOOK_SITE_URL="https://otter.example.org/wire")
        assert done.returncode == 0, done.stderr
        yield repository.folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> Mapping[str, PageReader]:
    return read_pages(site)


def test_only_their_protocol_is_on_it(site: Path, pages: dict[str, PageReader]) -> None:
    assert {"", "api/hello/v1/", "guide/pairing/", "releases/v1.1/", "rules/"} <= {*pages}
    assert "bad-name" in pages["rules/"].ids
    # Rules on what only Kafka has are left out.
    assert "coordinator-key-versions" not in pages["rules/"].ids
    for path in pages:
        text = (
            site / path / "index.html" if not path.endswith(".html") else site / path
        ).read_text()
        assert WORDS.findall(text) == [], path
    texts = ("data/**/*", "api/**/*.json")
    for file in [file for pattern in texts for file in site.glob(pattern)]:
        if file.is_file():
            assert WORDS.findall(file.read_text(errors="replace")) == [], file
    # Nothing of opened.js is read without a field of records.
    for file in {*site.glob("assets/*.js")} - {site / "assets" / "opened.js"}:
        assert words_of_kafka(file.read_text(encoding="utf-8")) == [], file.name
    assert not (site / "assets/negotiate.js").exists()
    assert not (site / "data/negotiation.json").exists()


def test_all_links_lead_somewhere(site: Path) -> None:
    assert broken_links(site) == []


def test_title_logo_and_colours_are_theirs_and_escaped(
    site: Path, pages: dict[str, PageReader]
) -> None:
    home = (site / "index.html").read_text()
    assert "<reference>" not in home
    assert "Otter \u2039reference\u203a" in home
    assert '<meta name="description" content="How agents and gateways talk">' in home
    assert "assets/logo.svg" in pages[""].loads
    assert "assets/favicon.svg" in pages[""].loads
    assert "#0a5c36" in (site / "assets" / "protocol.css").read_text()


def test_releases_are_the_snapshots(site: Path) -> None:
    matrix = (site / "matrix" / "index.html").read_text()
    assert "a gateway serves" in matrix
    assert '<td class="new">0-1</td><td>0</td>' in matrix
    hello = (site / "api" / "hello" / "index.html").read_text()
    assert "Versions by release" in hello
    assert "deprecated since v1.1" in hello


def test_numbers_become_links_that_are_escaped(site: Path) -> None:
    hello = (site / "api" / "hello" / "index.html").read_text()
    address = "https://otter.example.org/issues/7?found=OTTER-7&amp;x=&#34;1&#34;"
    assert f'see <a href="{address}">OTTER-7</a> and &lt;b&gt;.' in hello


def test_without_specs_of_headers_nothing_is_said_of_them(pages: Mapping[str, PageReader]) -> None:
    for address in ("api/hello/", "api/hello/v0/", "api/hello/v1/"):
        text = " ".join(pages[address].words)
        assert "header" not in text.lower(), address
        assert "INT32 length" not in text, address


@pytest.fixture(scope="module")
def later() -> Iterator[Mapping[str, PageReader]]:
    """The pages after a commit that no release has: it adds and ends versions, fields and
    messages."""
    with tempfile.TemporaryDirectory(prefix="wirebook-otter-") as folder:
        repository = otter(Path(folder) / "otter")
        hello, answer = specs(1)["HelloRequest"], specs(1)["HelloResponse"]
        hello["fields"][1]["versions"] = "0-1"
        hello["fields"].append(text_field("Age", "How old.", versions="2+"))
        del hello["deprecatedVersions"]
        repository.write("protocol/HelloRequest.json", json.dumps(hello | {"validVersions": "1-2"}))
        repository.write(
            "protocol/HelloResponse.json", json.dumps(answer | {"validVersions": "1-2"})
        )
        repository.write("protocol/Lair.json", json.dumps(specs(0)["Den"] | {"name": "Lair"}))
        (repository.folder / "protocol" / "Den.json").unlink()
        repository.commit("Change what is not released")
        done = build(repository.folder)
        assert done.returncode == 0, done.stderr
        yield dict(read_pages(repository.folder / "site"))


def words(page: PageReader) -> str:
    return " ".join(" ".join(page.words).split())


def test_what_no_release_has_is_not_shown_as_a_release(later: Mapping[str, PageReader]) -> None:
    unreleased, newest = words(later["releases/unreleased/"]), words(later["releases/v1.1/"])
    assert "Unreleased after v1.1, not released" in unreleased
    assert " newest " not in unreleased
    assert " newest " in newest
    assert "The newest is v1.1" in words(later["releases/"])
    assert not [address for address in later if "-g" in address]
    hello = words(later["api/hello/"])
    assert "versions 0-1 2 unreleased" in hello
    assert "Version 2 unreleased" in hello
    assert "added, not released" in hello
    assert "Version 1 current" not in hello
    assert "No release serves it." in words(later["api/hello/v2/"])
    assert "removed, not released" in words(later["deprecations/"])


def test_a_release_lists_what_ends_with_it(later: Mapping[str, PageReader]) -> None:
    page = words(later["releases/unreleased/"])
    assert "Removed version 0" in page
    assert "request: Host ends: not in version 2 and later" in page
    assert "Age is added" in page
    assert "Den Removed the whole message" in page


@pytest.mark.long
def test_data_on_headers_and_structs_of_its_own_has_the_published_form(
    tmp_path: Path,
) -> None:
    repo = Repo(tmp_path / "tram")
    repo.write("wirebook.toml", 'name = "tram"\n')
    place = {
        "name": "Place",
        "versions": "0+",
        "fields": [{"name": "Line", "type": "int16", "versions": "0+"}],
    }
    repo.write("m/Place.json", {"type": "structs", "commonStructs": [place]})
    at = {"imports": ["Place.json"], "fields": [{"name": "At", "type": "Place", "versions": "0+"}]}
    empty = {"apiKey": 0, "validVersions": "0", "flexibleVersions": "0+", "fields": []}
    for name, kind, more in (
        ("GetRequest", "request", at),
        ("GetResponse", "response", {}),
    ):
        repo.spec({"type": kind, "name": name, **empty, **more}, "m")
    fields = [{"name": "Kind", "type": "int16", "versions": "1+"}]
    spec = {
        "type": "header",
        "name": "RequestHeader",
        "validVersions": "1-2",
        "flexibleVersions": "none",
        "fields": fields,
    }
    repo.spec(spec, "m")
    repo.commit("first")
    repo.git("tag", "v1.0.0")
    done = build(repo.folder)
    assert done.returncode == 0, done.stderr
    site = repo.folder / "site"
    documents = [(path, json.loads(path.read_text("utf-8"))) for path in site.rglob("*.json")]
    published = [
        (path, each) for path, each in documents if isinstance(each, dict) and "schema" in each
    ]
    forms = [(path, each, str(each["schema"]).split("/")) for path, each in published]
    wrong = [
        f"{path.relative_to(site)}: {error.message}"
        for path, each, (_, name, edition) in forms
        for error in validator(site / "schema" / name / f"{edition}.json").iter_errors(each)
    ]
    assert len(forms) > 7
    assert wrong == []


@cache
def validator(path: Path) -> Draft202012Validator:
    return Draft202012Validator(json.loads(path.read_text("utf-8")))
