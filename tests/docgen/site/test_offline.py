"""The site as a zip file: every link of a page names a file, and the search works from a disk."""

from __future__ import annotations

import io
import posixpath
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.docgen.sites import own_site
from tests.e2e.waiting import expect
from wirebook.docgen.offline import check_zip, offline_page, zipped
from wirebook.specs.problems import InputError

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LINK = re.compile(r'\s(?:href|src)="([^"#?]+)')


@pytest.fixture(scope="module", name="unpacked")
def unpacked_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zip")
    with zipfile.ZipFile(io.BytesIO(zipped(own_site(), "wire"))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "wire"


@pytest.mark.long
def test_every_link_of_every_page_names_a_file(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    pages = [path for path in files if path.endswith(".html")]
    assert len(pages) == len(list(own_site().rglob("index.html")))
    lost = set()
    for page in pages:
        for link in set(LINK.findall((unpacked / page).read_text(encoding="utf-8"))):
            there = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(link)))
            if not re.match(r"[a-z]+:", link) and there not in files:
                lost.add((page, link))
    assert lost == set()
    assert not (unpacked / "404.html").exists()
    assert not list(unpacked.rglob(".wirebook-files"))


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ("../x/", "../x/index.html"),
        ("../x/#a", "../x/index.html#a"),
        ("../x/?b=1#a", "../x/index.html?b=1#a"),
        ("..", "../index.html"),
        ("../", "../index.html"),
        (".", "index.html"),
        ("../x/file.json", "../x/file.json"),
        ("../none/", "../none/"),
        ("#a", "#a"),
        ("https://e.org/", "https://e.org/"),
        ("../%C3%A4/", "../%C3%A4/index.html"),
    ],
)
def test_a_link_to_a_folder_names_its_page(link: str, wanted: str) -> None:
    files = {"index.html", "p/index.html", "x/index.html", "x/file.json", "ä/index.html"}
    search = '<div class="md-search" data-md-component="search" role="dialog">'
    assert offline_page(search, "index.html", {}) == '<div class="md-search" role="dialog">'
    made = offline_page(f'<a class="b" href="{link}">x</a><img src="../x/">', "p/index.html", files)
    assert made == f'<a class="b" href="{wanted}">x</a><img src="../x/">'


def test_the_same_site_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    for name in ("one", "two"):
        (tmp_path / name / "site").mkdir(parents=True)
        (tmp_path / name / "site" / "index.html").write_text("<p>x</p>")
    assert zipped(tmp_path / "one" / "site", "a") == zipped(tmp_path / "two" / "site", "a")


def test_json_that_pages_load_is_a_script_too(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("data/a.json", "api/x/vectors.json", "other.json", "assets/published.js"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text('{"a": "</script>"}\n')
    with zipfile.ZipFile(io.BytesIO(zipped(site, "a"))) as archive:
        scripts = [name for name in archive.namelist() if name.endswith(".json.js")]
        assert scripts == ["a/api/x/vectors.json.js", "a/data/a.json.js"]
        assert archive.read("a/data/a.json.js") == b'window.wirebookFile = {"a": "</script>"};\n'


def test_a_zip_has_its_place_outside_of_the_site(tmp_path: Path) -> None:
    for target in (tmp_path / "site" / "a.zip", tmp_path / "none" / "a.zip", tmp_path):
        (tmp_path / "site").mkdir(exist_ok=True)
        with pytest.raises(InputError):
            check_zip(target, tmp_path / "site")
    check_zip(tmp_path / "a.zip", tmp_path / "site")


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
def test_a_browser_reads_and_searches_the_files(unpacked: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)

        def failed(request: Any) -> None:
            # What the next page cuts off is no fault of this one.
            if request.failure != "net::ERR_ABORTED":
                wrong.append(request.url)

        page.on("requestfailed", failed)
        page.goto((unpacked / "index.html").as_uri(), wait_until="load")
        page.locator(".wb-nav a[href='errors/index.html']").first.evaluate("link => link.click()")
        page.wait_for_url("**/errors/index.html")
        page.locator(".wb-search").click()
        page.keyboard.type("Fetch 12")
        page.wait_for_selector(".wb-find [role=option]")
        expect(page.locator(".wb-find[data-ready] [aria-selected=true]")).to_contain_text("Fetch version 12")
        page.keyboard.press("Enter")
        page.wait_for_url("**/api/fetch/index.html#v12")
        expect(page.locator("#v12")).to_be_visible()
        page.goto((unpacked / "negotiate/index.html").as_uri(), wait_until="load")
        expect(page.locator("select option").nth(10)).to_be_attached()
        browser.close()
    assert wrong == []
