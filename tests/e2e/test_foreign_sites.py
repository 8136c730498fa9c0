"""The plugin in sites of others: `mkdocs build --strict` with other themes, navigations and
addresses."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.docgen import without_spark
from tests.docgen.histories import FOLDER, field, repository, request, response
from tests.docgen.sites import broken_links, read_pages, target
from tests.e2e.browsers import CHROMIUM, browser, opened, served
from tests.e2e.environments import ENVIRONMENT
from tests.e2e.waiting import expect
from tests.shared import temporary

__all__ = ["browser"]

pytestmark = [pytest.mark.xdist_group("foreign"), pytest.mark.long]

INDEX = """\
# Orders

Its messages: [all APIs](PROTOCOLapi/index.md), [PlaceOrder](PROTOCOLapi/place-order/index.md#v1).

<!-- wirebook: home -->
"""


@dataclass(frozen=True)
class Site:
    """A site of somebody else: its theme, its options of the plugin, and what else its mkdocs.yml
    says."""

    theme: str
    options: str = ""
    nav: str = ""
    settings: str = ""

    @property
    def folder(self) -> str:
        """Where its generated pages are."""
        found = yaml.safe_load(self.options or "{}").get("folder", "")
        return f"{found}/" if found else ""

    def write(self, folder: Path) -> None:
        """Its mkdocs.yml and its pages."""
        plugin = {"catalog": "../catalog", **yaml.safe_load(self.options or "{}")}
        config: dict[str, Any] = {
            "site_name": "Orders",
            "repo_url": "https://example.org/orders",
            "edit_uri": "edit/main/docs/",
            "theme": {"name": self.theme},
            "plugins": ["search", {"wirebook": plugin}],
        }
        config |= yaml.safe_load(self.settings or "{}")
        if self.nav:
            config["nav"] = yaml.safe_load(self.nav)
        (folder / "docs").mkdir(parents=True)
        (folder / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
        (folder / "docs" / "index.md").write_text(
            INDEX.replace("PROTOCOL", self.folder), encoding="utf-8"
        )
        (folder / "docs" / "about.md").write_text("# About\n\nWho we are.\n", encoding="utf-8")


# Without the fonts and the highlighter that themes load from other hosts.
SITES = {
    "readthedocs": Site(
        "readthedocs",
        nav="[{Home: index.md}, {About: about.md}]",
        settings="theme: {name: readthedocs, highlightjs: false}",
    ),
    "material": Site(
        "material",
        nav="[{Home: index.md}, {About: about.md}]",
        settings="theme: {name: material, font: false}",
    ),
    "folder": Site(
        "material",
        options="{folder: wire/protocol}",
        settings="site_url: https://example.org/docs/",
    ),
    "files": Site(
        "readthedocs",
        settings="{use_directory_urls: false, site_url: 'https://example.org'}",
        options="{folder: wire}",
    ),
    "own-nav": Site(
        "material",
        options="{nav: false}",
        nav="[{Home: index.md}, {All messages: api/index.md}, releases/index.md, {About: about.md}]",
    ),
    "mkdocs": Site("mkdocs", settings="plugins: [{wirebook: {catalog: ../catalog}}]"),
}


@cache
def orders() -> Path:
    """The catalog of a small protocol with two releases."""
    place = request(
        "PlaceOrder", 7, "0-1", field("Customer", "string"), field("Note", "string", "1+")
    )
    taken = response("PlaceOrder", 7, "0-1", field("OrderId", "int64"))
    cancel = request("CancelOrder", 8, "0", field("OrderId", "int64"), flexibleVersions="0+")
    gone = response("CancelOrder", 8, "0", field("ErrorCode", "int16"), flexibleVersions="0+")
    first = {
        f"{spec['name']}.json": spec
        for spec in (place | {"validVersions": "0"}, taken | {"validVersions": "0"})
    }
    first["PlaceOrderRequest.json"] = request("PlaceOrder", 7, "0", field("Customer", "string"))
    second = {f"{spec['name']}.json": spec for spec in (place, taken, cancel, gone)}
    history = repository({"1.0.0": first, "1.1.0": second})
    return catalog(source=str(history / FOLDER), history=str(history), releases="*")


def catalog(**arguments: str) -> Path:
    return without_spark.catalog(temporary("catalog") / "catalog", **arguments)


def mkdocs(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`mkdocs build --strict` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


@cache
def built(name: str) -> Path:
    """The folder of a built site."""
    folder = temporary("foreign")
    (folder / "catalog").symlink_to(orders())
    SITES[name].write(folder / "project")
    done = mkdocs(folder / "project")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder / "project" / "site"


@pytest.fixture(params=SITES, name="name")
def each_site(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def address(name: str, page: str) -> str:
    """The address of a generated page of a site, as `read_pages` names it: "api/" is also
    api/index.html."""
    return SITES[name].folder + page


def text(name: str, page: str) -> str:
    return " ".join("".join(read_pages(built(name))[address(name, page)].words).split())


def test_every_link_and_anchor_leads_somewhere(name: str) -> None:
    assert broken_links(built(name)) == []
    pages = read_pages(built(name))
    links = [target(page, link) for page, read in pages.items() for link in read.links]
    assert (address(name, "api/place-order/"), "v1") in {
        (found[0].removesuffix("index.html"), found[1]) for found in links if found
    }


def test_styles_and_scripts_are_loaded_and_are_there(name: str) -> None:
    site, folder = built(name), SITES[name].folder
    material = SITES[name].theme == "material"

    def loaded(page: str) -> list[str]:
        return [found[0] for load in pages[page].loads if (found := target(page, load))]

    pages = read_pages(site)
    for page in pages:
        if page.startswith(f"{folder}api/"):
            assert f"{folder}assets/wirebook.css" in loaded(page)
            assert f"{folder}assets/wirebook.js" in loaded(page)
            assert (f"{folder}assets/material.css" in loaded(page)) == material
            assert [path for path in loaded(page) if not (site / path).is_file()] == []
    assert f"{folder}assets/bytes.js" in loaded(address(name, "api/place-order/v1/"))


def navigation(name: str) -> list[str]:
    """The addresses that the front page links to, in order, without anchors."""
    found = []
    for link in read_pages(built(name))[""].links:
        where = target("", link)
        if where is not None and not where[1] and where[0].removesuffix("index.html") not in found:
            found.append(where[0].removesuffix("index.html"))
    return found


GENERATED = ["api/", "releases/", "matrix/", "types/", "tags/", "deprecations/", "data/", "rules/"]


def test_the_navigation_is_as_configured() -> None:
    def order(name: str) -> list[str]:
        wanted = {"about/", "about.html", *(address(name, page) for page in GENERATED)}
        return [page for page in navigation(name) if page in wanted]

    assert order("readthedocs") == ["about/", *GENERATED]
    assert order("material") == ["about/", *GENERATED]
    assert order("folder") == ["about/", *(f"wire/protocol/{page}" for page in GENERATED)]
    assert order("files") == ["about.html", *(f"wire/{page}" for page in GENERATED)]
    assert order("own-nav")[:3] == ["api/", "releases/", "about/"]
    assert not {"matrix/", "tags/", "rules/"} & {*navigation("own-nav")}
    for name in SITES:
        about = read_pages(built(name))["about.html" if name == "files" else "about/"]
        words = {word.strip() for word in about.words}
        assert ("Protocol" in words) == (name != "own-nav"), name


def test_the_sidebar_names_nothing_twice() -> None:
    page = (built("readthedocs") / "api" / "index.html").read_text(encoding="utf-8")
    names = re.findall(r'<li class="toctree[^>]*><a class="reference internal[^>]*>([^<]*)', page)
    assert {"All APIs", "Requests and responses", "Rules"} <= {*names}
    assert len(names) == len({*names})


def test_a_page_of_ones_own_gets_the_links(tmp_path: Path) -> None:
    (tmp_path / "catalog").symlink_to(orders())
    SITES["material"].write(tmp_path / "project")
    text = "# Bytes\n\nHow to read them.\n"
    (tmp_path / "project" / "docs" / "bytes.md").write_text(text, encoding="utf-8")
    done = mkdocs(tmp_path / "project")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    site = tmp_path / "project" / "site"
    assert "../../../bytes/" in read_pages(site)["api/place-order/v1/"].links
    assert broken_links(site) == []


def test_without_a_catalog_the_build_says_how_to_make_one(tmp_path: Path) -> None:
    SITES["material"].write(tmp_path / "project")
    done = mkdocs(tmp_path / "project")
    assert done.returncode == 1
    assert "there is no catalog here; run wirebook build" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
def test_the_typed_search_works_in_every_theme(browser: Any, name: str) -> None:
    """With a folder, and without directory URLs: by a button and by keys."""
    folder = "wire/protocol/" if name == "folder" else "wire/" if name == "files" else ""
    end = "index.html" if name == "files" else ""
    with served(built(name)) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}{folder}api/{end}", wait_until="load")
        page.locator(".wb-find-open").click()
        expect(page.locator(".wb-find input")).to_be_focused()
        page.keyboard.type("customer")
        page.wait_for_selector(".wb-find [role=option]")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{base}{folder}api/place-order/{end}#v1-customer")
        page.keyboard.press("/")
        page.keyboard.type("PlaceOrder 1")
        page.wait_for_selector(".wb-find[data-ready] [role=option]")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{base}{folder}api/place-order/v1/{end}")
        # Themes load fonts from other hosts.
        assert [text for text in wrong if base in text] == []
