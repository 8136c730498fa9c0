"""The end of every page: what the site was built from, and where to report a mistake or correct a text."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page as SitePage

from tests.docgen.histories import field, inputs, own_book, own_pages, request
from tests.docgen.sites import own_site
from tests.shared import temporary
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.site.footer import Footer
from wirebook.docgen.site.mkdocs_config import HOME

pytestmark = pytest.mark.xdist_group("book")

REPOSITORY = "https://github.com/otters/reference"


def config(file: Path, **settings: str) -> MkDocsConfig:
    made = MkDocsConfig(str(file))
    made.load_dict({"site_name": "Otters", "docs_dir": str(HOME / "site_src"), **settings})
    made.validate()
    return made


def site_page(source: str, made: MkDocsConfig) -> SitePage:
    file = File(source, None, made.site_dir, use_directory_urls=True)
    return SitePage("A title", file, made)


def footer(
    book: Book, generated: Page | None, source: str = "api/fetch/index.md", issues: str = "", **settings: str
) -> str:
    made = config(HOME / "mkdocs.yml", **settings)
    return Footer(book, made, issues).html(site_page(source, made), generated)


def link(html: str, kind: str) -> str:
    found = re.search(rf'<a class="wb-{kind}" href="([^"]*)">', html)
    return unescape(found[1]) if found is not None else ""


def test_every_page_names_the_build_and_the_trademarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    html = footer(own_book(), own_pages()["api/fetch/"])
    assert "Built on 2020-09-13 by wirebook " in html
    assert "its own specs of the releases 0.8" in html
    assert "compared with release 4.3.1 (commit 26b251a451ce)." in html
    assert "trademarks of The Apache Software Foundation" in html
    assert (link(html, "report"), link(html, "edit")) == ("", "")


def test_a_site_with_the_commits_of_releases_names_the_release_of_its_descriptions_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = own_book()
    last = replace(book.snapshots[-1], name="4.3.1", commit="d" * 40)
    snapshots = (*book.snapshots[:-1], last)
    monkeypatch.setattr(Book, "snapshots", property(lambda _: snapshots))
    html = footer(book, own_pages()["errors/"], "errors/index.md")
    assert (
        "to 4.3.1 (commit dddddddddddd). The descriptions were compared with release 4.3.1 (commit 26b"
        in html
    )


@pytest.mark.xdist_group("site")
def test_every_page_of_the_site_ends_with_it_once() -> None:
    for page in ("index.html", "api/fetch/index.html", "api/fetch/v12/index.html", "check/index.html"):
        text = (own_site() / page).read_text(encoding="utf-8")
        assert text.count('<footer class="wb-foot">') == 1, page
        assert "Built on 2020-09-13" in text, page


@pytest.mark.parametrize(
    ("repository", "begin", "body"),
    [
        (REPOSITORY, f"{REPOSITORY}/issues/new", "body"),
        ("https://gitlab.example/otters", "https://gitlab.example/otters/-/issues/new", "issue[description]"),
    ],
)
def test_a_report_names_the_page_its_api_and_its_version(repository: str, begin: str, body: str) -> None:
    html = footer(own_book(), own_pages()["api/fetch/v12/"], "api/fetch/v12/index.md", repo_url=repository)
    address = urlsplit(link(html, "report"))
    assert f"{address.scheme}://{address.netloc}{address.path}" == begin
    lines = parse_qs(address.query)[body][0].split("\n")
    assert lines[:4] == ["Page: api/fetch/v12/", "API: Fetch", "Version: 12", "Field: "]
    html = footer(own_book(), None, "check.md", repo_url=repository, site_url="https://otters.example/")
    lines = parse_qs(urlsplit(link(html, "report")).query)[body][0].split("\n")
    assert lines[:2] == ["Page: https://otters.example/check/", ""]


def test_reports_may_go_elsewhere_and_never_to_apache_kafka() -> None:
    pages = own_pages()
    html = footer(own_book(), pages["api/fetch/"], issues="https://a.example/new?labels=text")
    assert link(html, "report").startswith("https://a.example/new?labels=text&title=")
    html = footer(own_book(), pages["api/fetch/"], repo_url="https://github.com/apache/kafka")
    assert (link(html, "report"), link(html, "edit")) == ("", "")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("api/fetch/", r"specs/kafka/texts/Fetch\.json#L\d+"),
        ("api/fetch/v12/", r"specs/kafka/texts/Fetch\.json#L\d+"),
        ("kips/kip-516/", r"specs/kafka/kips\.json"),
        ("errors/", r"specs/kafka/errors\.json"),
        ("flows/sasl/", r"specs/kafka/flows/sasl\.json"),
        ("matrix/", ""),
    ],
)
def test_a_text_of_kafkas_protocol_is_in_its_file(path: str, place: str) -> None:
    address = link(footer(own_book(), own_pages()[path], f"{path}index.md", repo_url=REPOSITORY), "edit")
    assert re.fullmatch(f"{REPOSITORY}/blob/HEAD/{place}" if place else "", address)


def test_a_page_written_by_hand_is_in_its_folder() -> None:
    html = footer(own_book(), None, "check.md", repo_url=REPOSITORY)
    assert link(html, "edit") == f"{REPOSITORY}/blob/HEAD/site_src/check.md"


def test_another_protocol_leads_to_its_spec_and_has_no_trademark() -> None:
    from wirebook.docgen.pipeline.run import build

    folder = temporary("footer") / "catalog"
    folder.mkdir()
    made = inputs({"1.0.0": [request("Foo", 3, "0-1", field("A"))]})
    made = replace(made, snapshots=tuple(replace(each, commit="c" * 40) for each in made.snapshots))
    build(made, folder)
    book = Book.of(folder, REPOSITORY)
    page = next(each for each in book.pages() if each.path == "api/foo/")
    html = footer(book, page, "api/foo/index.md", repo_url=REPOSITORY)
    assert "from the release 1.0.0 (commit cccccccccccc)." in html
    assert "Apache" not in html
    assert re.fullmatch(rf"{REPOSITORY}/blob/HEAD/.+FooRequest\.json#L\d+", link(html, "edit"))
