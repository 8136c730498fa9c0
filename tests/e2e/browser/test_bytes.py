"""Pages of bytes in a real browser: what belongs together lights up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.pages.byte_pages import KAFKA_PROTOCOL, document, embedded, version_pages_of
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect, expect_value
from tests.support import ROOT

pytestmark = IN_BROWSER

HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>x</title>'
    '<link rel="stylesheet" href="{root}assets/wirebook.css"><body class="md-typeset">'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages alone, without the theme around them."""
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "assets").mkdir()
    for name in ("bytes.js", "wirebook.css"):
        text = (ROOT / "docgen" / "site" / "theme" / "assets" / name).read_text(encoding="utf-8")
        (folder / "assets" / name).write_text(text, encoding="utf-8")
    made = {
        page.path: HEAD.format(root="../../../") + str(page.html)
        for page in version_pages_of(
            document(embedded("FetchRequest", "FetchResponse")), KAFKA_PROTOCOL
        )
        if page.path.endswith(("/v12/", "/v3/"))
    }
    for path, html in made.items():
        (folder / path).mkdir(parents=True)
        (folder / path / "index.html").write_text(html, encoding="utf-8")
    return folder


@pytest.fixture(name="page")
def each_page(browser: Any, site: Path) -> Iterator[Any]:
    """The page of Fetch 12."""
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}api/fetch/v12/", wait_until="load")
        yield page
        assert wrong == []


def lit(page: Any, name: str) -> list[str]:
    """The texts of what is lit."""
    texts: list[str] = page.locator(f".{name}").evaluate_all(
        "nodes => nodes.map(node => { const cells = node.cells;"
        " return (cells ? cells[cells.length > 3 ? 2 : 0] : node).textContent.trim(); })"
    )
    return texts


def expect_lit(page: Any, *texts: str) -> None:
    """Wait until this is lit as what is pointed at."""
    expect_value(page, lambda: lit(page, "wb-on"), list(texts))


def bytes_of(page: Any, example: str, field: str, what: str) -> Any:
    """The link of a range in the block of an example, found by what its row says."""
    rows = page.locator(f"tr[id^={example}-]").evaluate_all(
        "rows => rows.map(row => [row.id, row.cells[2].textContent, row.cells[3].textContent])"
    )
    found = next(row for row, *cells in rows if cells == [field, what])
    return page.locator(f".wb-run a[href='#{found}']")


def test_pointing_at_bytes_lights_row_field_and_grammar(page: Any) -> None:
    there = bytes_of(page, "request", "MaxWaitMs", "INT32")
    assert there.inner_text() == "00 00 01 f4"
    there.hover()
    expect_lit(page, "00 00 01 f4", "MaxWaitMs")
    both = lit(page, "wb-in")
    # In the row, and in the grammar by name where it is used, where it is defined, and by its type.
    assert both.count("MaxWaitMs") == 3
    assert both.count("INT32") == 1
    page.locator("h1").hover()
    expect_lit(page)
    assert lit(page, "wb-in") == []


@pytest.mark.long
def test_without_scripts_everything_is_there(browser: Any, site: Path) -> None:
    with served(site) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}api/fetch/v12/")
        row = page.locator("tr#request-8")
        assert row.locator("td").all_inner_texts() == [
            "28",
            "00 00 01 f4",
            "MaxWaitMs",
            "INT32",
            "500",
        ]
        page.locator("a[href='#request-8']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("tr:target")).to_have_attribute("id", "request-8")
        expect(page.locator("tr:target")).to_be_visible()
        context.close()
