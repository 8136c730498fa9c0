"""The plugin in sites of others: `mkdocs build --strict` with other themes, navigations and addresses."""

from __future__ import annotations

import json
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
from tests.docgen.sites import WITHOUT_SPARK, broken_links, read_pages, target
from tests.e2e.browsers import CHROMIUM, browser, opened, overflow, served
from tests.e2e.environments import ENVIRONMENT
from tests.e2e.waiting import expect
from tests.shared import temporary
from tests.support import ROOT
from wirebook.docgen.site.plugin import WirebookConfig

__all__ = ["browser"]

pytestmark = [pytest.mark.xdist_group("foreign"), pytest.mark.long]

INDEX = """\
# Orders

Its messages: [all APIs](PROTOCOLapi/index.md), [PlaceOrder](PROTOCOLapi/place-order/index.md#v1).

<!-- wirebook: home -->
"""


@dataclass(frozen=True)
class Site:
    """A site of somebody else: its theme, its options of the plugin, and what else its mkdocs.yml says."""

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
        (folder / "docs" / "index.md").write_text(INDEX.replace("PROTOCOL", self.folder), encoding="utf-8")
        (folder / "docs" / "about.md").write_text("# About\n\nWho we are.\n", encoding="utf-8")


# Without the fonts and the highlighter that themes load from other hosts.
SITES = {
    "readthedocs": Site(
        "readthedocs",
        "nav: Wire",
        "[{Home: index.md}, {Wire: []}, {About: about.md}]",
        "theme: {name: readthedocs, highlightjs: false}",
    ),
    "material": Site(
        "material",
        nav="[{Home: index.md}, {About: about.md}]",
        settings="theme: {name: material, font: false}",
    ),
    "folder": Site(
        "material",
        options="{folder: wire/protocol, nav: Wire}",
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
        nav="[{Home: index.md}, {All messages: api/index.md}, snapshots/index.md, {About: about.md}]",
    ),
    "mkdocs": Site("mkdocs", settings="plugins: [{wirebook: {catalog: ../catalog}}]"),
}


@cache
def orders() -> Path:
    """The catalog of a small protocol with two releases."""
    place = request("PlaceOrder", 7, "0-1", field("Customer", "string"), field("Note", "string", "1+"))
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


@cache
def parcels() -> Path:
    """The catalog of another protocol, of which nothing is in the first one."""
    source = temporary("parcels")
    for spec in (
        request("Track", 1, "0", field("Parcel", "uuid")),
        response("Track", 1, "0", field("At", "string")),
    ):
        (source / f"{spec['name']}.json").write_text(json.dumps(spec), encoding="utf-8")
    return catalog(source=str(source))


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
    """The address of a generated page of a site, as `read_pages` names it: "api/" is also api/index.html."""
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


def test_generated_pages_are_whole(name: str) -> None:
    pages = read_pages(built(name))
    for page in (
        "api/",
        "api/place-order/",
        "api/place-order/v1/",
        "releases/",
        "releases/1.1.0/",
        "matrix/",
    ):
        assert pages[address(name, page)].tags.count("h1") == 1, page
    assert "Note (string) is added" in text(name, "api/place-order/")
    # What this site has no page for is named, not linked.
    assert "request header v1" in text(name, "api/place-order/")
    assert "/headers" not in " ".join(pages[address(name, "api/place-order/")].links)


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

    assert order("readthedocs") == [*GENERATED, "about/"]
    assert order("material") == ["about/", *GENERATED]
    assert order("folder") == ["about/", *(f"wire/protocol/{page}" for page in GENERATED)]
    assert order("files") == ["about.html", *(f"wire/{page}" for page in GENERATED)]
    assert order("own-nav")[:3] == ["api/", "releases/", "about/"]
    assert not {"matrix/", "tags/", "rules/"} & {*navigation("own-nav")}
    titles = {"readthedocs": "Wire", "folder": "Wire", "own-nav": None}
    for name in SITES:
        about = read_pages(built(name))["about.html" if name == "files" else "about/"]
        words = {word.strip() for word in about.words}
        assert words & {"Wire", "Protocol"} == ({titles.get(name, "Protocol")} - {None}), name


def test_the_search_finds_versions_and_fields_where_there_is_one(name: str) -> None:
    path = built(name) / "search" / "search_index.json"
    if name == "mkdocs":
        assert not path.exists()
        return
    index = json.loads(path.read_text(encoding="utf-8"))["docs"]
    pages = read_pages(built(name))
    titles = [entry["title"] for entry in index]
    assert titles.count("PlaceOrder 1") == 1
    # The typed search finds fields; the one of Material leaves them to it.
    assert titles.count("Customer") == (0 if SITES[name].theme == "material" else 1)
    assert len({entry["location"] for entry in index}) == len(index)
    for entry in index:
        page, _, anchor = entry["location"].partition("#")
        page = page.removesuffix("index.html")
        assert page in pages, entry["location"]
        # Themes of MkDocs give a page without a heading at its top no anchor; ours all have theirs.
        assert not anchor or anchor in pages[page].ids, entry["location"]


def test_a_page_of_ones_own_gets_the_links(tmp_path: Path) -> None:
    (tmp_path / "catalog").symlink_to(orders())
    SITES["material"].write(tmp_path / "project")
    headers = "# Headers\n\n" + "".join(
        f'<h2 id="{kind}-header-v{number}">{kind} {number}</h2>\n\n'
        for kind in ("request", "response") for number in range(3)
    )  # fmt: skip
    (tmp_path / "project" / "docs" / "headers.md").write_text(headers, encoding="utf-8")
    done = mkdocs(tmp_path / "project")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    site = tmp_path / "project" / "site"
    assert "../../headers/#request-header-v1" in read_pages(site)["api/place-order/"].links
    assert broken_links(site) == []


def test_a_page_with_the_address_of_a_generated_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "catalog").symlink_to(orders())
    SITES["material"].write(tmp_path / "project")
    (tmp_path / "project" / "docs" / "matrix.md").write_text("# Our matrix\n", encoding="utf-8")
    done = mkdocs(tmp_path / "project")
    assert done.returncode == 1
    assert '"matrix.md" and a generated file have one address, "matrix/"' in done.stderr
    assert 'the option "folder"' in done.stderr


@pytest.mark.parametrize("folder", ["/etc", "../up", "a\\b"])
def test_a_folder_outside_the_site_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "catalog").symlink_to(orders())
    Site("material", options=json.dumps({"folder": folder})).write(tmp_path / "project")
    done = mkdocs(tmp_path / "project")
    assert done.returncode == 1
    assert 'the option "folder" is a folder of the site' in done.stderr


def test_without_a_catalog_the_build_says_how_to_make_one(tmp_path: Path) -> None:
    SITES["material"].write(tmp_path / "project")
    done = mkdocs(tmp_path / "project")
    assert done.returncode == 1
    assert "there is no catalog here; run wirebook build" in done.stderr
    assert "Traceback" not in done.stderr


TWICE = """\
import sys
from mkdocs.commands.build import build
from mkdocs.config import load_config

first, second, third = sys.argv[1:]
config = load_config("mkdocs.yml", strict=True)
for place in (first, second):
    config.site_dir = place
    build(config)
config.plugins["wirebook"].config.catalog = third
config.site_dir = third + "-site"
build(config)
"""


def contents(site: Path) -> dict[str, bytes]:
    """Every file of a site; the archive of the sitemap holds the time of its making."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file() and path.name != "sitemap.xml.gz"
    }


@pytest.mark.parametrize("name", ["readthedocs", "material", "own-nav"])
def test_builds_in_one_process_leave_nothing_to_each_other(name: str, tmp_path: Path) -> None:
    (tmp_path / "catalog").symlink_to(orders())
    (tmp_path / "other").symlink_to(parcels())
    project = tmp_path / "project"
    SITES[name].write(project)
    front = (project / "docs" / "index.md").read_text(encoding="utf-8")
    front = front.replace("[PlaceOrder](api/place-order/index.md#v1)", "PlaceOrder")
    (project / "docs" / "index.md").write_text(front, encoding="utf-8")
    places = [str(tmp_path / "first"), str(tmp_path / "second"), str(tmp_path / "other")]
    done = subprocess.run(
        [sys.executable, "-c", TWICE, *places],
        cwd=project,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second, third = (contents(Path(place)) for place in (places[0], places[1], places[2] + "-site"))
    assert first == second
    assert "api/place-order/index.html" in first
    assert "api/track/index.html" in third
    assert [path for path in third if re.search("(place|cancel)-order/|1[.]1[.]0", path)] == []
    assert [path for path, data in third.items() if b"PlaceOrder v" in data or b"1.1.0/" in data] == []
    SITES[name].write(tmp_path / "fresh" / "project")
    (tmp_path / "fresh" / "catalog").symlink_to(parcels())
    (tmp_path / "fresh" / "project" / "docs" / "index.md").write_text(front, encoding="utf-8")
    alone = mkdocs(tmp_path / "fresh" / "project", "-d", str(tmp_path / "alone"))
    assert alone.returncode == 0, alone.stderr
    assert third == contents(tmp_path / "alone")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("name", ["readthedocs", "material"])
def test_pages_fit_and_nothing_fails_on_them(browser: Any, name: str, width: int) -> None:
    pages = ["", "api/", "api/place-order/", "api/place-order/v1/", "releases/1.1.0/", "matrix/", "rules/"]
    with served(built(name)) as base, opened(browser, base, width, "light") as (page, wrong):
        for path in pages:
            page.goto(base + path, wait_until="load")
            assert overflow(page) <= 0, path
            # No theme puts its own look over the tables, nor hides what the scripts add.
            tables = "tables => tables.map(table => table.classList.contains('docutils'))"
            assert not any(page.locator(".wb-page table").evaluate_all(tables)), path
        page.goto(f"{base}api/place-order/?compare=0-1", wait_until="load")
        expect(page.locator(".wb-compare")).to_contain_text("Note (STRING) is added")
        assert wrong == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
def test_the_search_of_readthedocs_leads_to_a_field(browser: Any) -> None:
    with served(built("readthedocs")) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}search.html?q=Customer", wait_until="load")
        first = page.locator("#mkdocs-search-results a").first
        expect(first).to_have_text("Customer")
        first.click()
        page.wait_for_url(f"{base}api/place-order/#v1-customer")
        expect(page.locator("#v1-customer")).to_be_visible()
        assert wrong == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
def test_the_typed_search_works_in_every_theme(browser: Any, name: str) -> None:
    """With a folder, without directory URLs, and where the theme has no search: by a button and by keys."""
    site = SITES[name]
    folder = "wire/protocol/" if name == "folder" else "wire/" if name == "files" else ""
    end = "index.html" if name == "files" else ""
    with served(built(name)) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}{folder}api/{end}", wait_until="load")
        if site.theme == "material":
            # Focus by itself opens neither our search nor the theme's; Esc returns it.
            field = page.locator("button.md-search__input")
            field.focus()
            expect(page.locator("#__search")).not_to_be_checked()
            assert page.locator("dialog[open]").count() == 0
            page.keyboard.press("Enter")
            expect(page.locator(".wb-find input")).to_be_focused()
            page.keyboard.press("Escape")
            expect(field).to_be_focused()
            page.keyboard.press("Enter")
        else:
            page.locator(".wb-find-open").click()
        page.keyboard.type("customer")
        page.wait_for_selector(".wb-find [role=option]")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{base}{folder}api/place-order/{end}#v1-customer")
        page.keyboard.press("/")
        page.keyboard.type("PlaceOrder 1")
        page.wait_for_selector(".wb-find[data-ready] [role=option]")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{base}{folder}api/place-order/v1/{end}")
        # Themes load fonts from other hosts.
        assert [text for text in wrong if base in text] == []


PAGE = (ROOT / "site_src" / "own-site.md").read_text(encoding="utf-8")


def test_wirebook_builds_the_example_of_the_page(tmp_path: Path) -> None:
    source = tmp_path / "specs"
    source.mkdir()
    for spec in (request("Track", 1, "0", field("Parcel", "uuid")), response("Track", 1, "0")):
        (source / f"{spec['name']}.json").write_text(json.dumps(spec), encoding="utf-8")
    project = tmp_path / "project"
    Site("readthedocs").write(project)
    (project / "docs" / "index.md").write_text(
        "# Ours\n\n[Track](wire/api/track/index.md)\n", encoding="utf-8"
    )
    example = re.findall(r'```yaml title="mkdocs.yml"\n(.*?)```', PAGE, re.DOTALL)
    assert len(example) == 1
    (project / "mkdocs.yml").write_text(example[0], encoding="utf-8")
    command = [sys.executable, "-m", WITHOUT_SPARK, "build", "../specs"]
    done = subprocess.run(command, cwd=project, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = read_pages(project / "site")
    assert "wire/api/track/" in pages
    assert "bytes/" not in pages, "the pages of our own guide are not part of it"
    assert "Wire protocol" in {word.strip() for word in pages["about/"].words}
    assert (project / "build" / "catalog" / "manifest.json").is_file()
    again = mkdocs(project, "-d", "again")
    assert again.returncode == 0, again.stderr
    assert broken_links(project / "again") == []


def test_the_page_lists_every_option_and_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", PAGE, re.MULTILINE))
    inner = ("watched", "progress")
    options = {name: option.default for name, option in WirebookConfig()._schema if name not in inner}
    assert rows == {
        name: "none" if default in ("", {}) else f"`{str(default).lower() if default is True else default}`"
        for name, default in options.items()
    }


def test_the_page_lists_the_variables_of_the_styles() -> None:
    styles = (ROOT / "docgen/site/theme/assets/wirebook.css").read_text(encoding="utf-8")
    named = set(re.findall(r"`(--wb-\w+)`", PAGE))
    assert named == set(re.findall(r"(--wb-\w+):", styles[: styles.index("--wb-bar-served")]))
    for name, default in re.findall(r"^\| `(--wb-\w+)` \| `(\S+)` \|", PAGE, re.MULTILINE):
        assert f"{name}: {default};" in styles
