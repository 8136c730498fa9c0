"""Pages of bytes in a real browser: what belongs together lights up, and the calculator is right."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.render.byte_pages import KAFKA_PROTOCOL, document, embedded
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect, expect_value
from tests.support import ROOT
from wirebook.docgen.render.bytes import primer
from wirebook.docgen.render.bytes.pages import version_pages
from wirebook.specs.wire.records.varints import varint
from wirebook.specs.wire.scalars import WireError, write_unsigned

pytestmark = IN_BROWSER

HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>x</title>'
    '<link rel="stylesheet" href="{root}assets/wirebook.css"><body class="md-typeset">'
)
BAD = {
    "unsigned": ["", "zz", "a", "80", "ffffffffff", "8080808080 01", "00 00", "ff ff ff ff 1f"],
    "zigzag": ["", "80 80 80 80 10", "00 00"],
    "zigzag64": ["ff ff ff ff ff ff ff ff ff 03", "80"],
    "string": ["", "03 68", "03 68 69 00", "02 ff", "81 80 02 61", "ff ff ff ff 0f"],
}


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
        for page in version_pages(document(embedded("FetchRequest", "FetchResponse")), KAFKA_PROTOCOL)
        if page.path.endswith(("/v12/", "/v3/"))
    }
    parts = primer.inserts()
    made["bytes/"] = HEAD.format(root="../") + parts["bytes-foo-tagged"] + parts["bytes-calculator"]
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


def expect_joined(page: Any, text: str) -> list[str]:
    """Wait until this is among what is lit because it belongs together; all of that."""
    expect_value(page, lambda: text in lit(page, "wb-in"), True)
    return lit(page, "wb-in")


def bytes_of(page: Any, example: str, field: str, what: str) -> Any:
    """The link of a range in the block of an example, found by what its row says."""
    rows = page.locator(f"tr[id^={example}-]").evaluate_all(
        "rows => rows.map(row => [row.id, row.cells[2].textContent, row.cells[3].textContent])"
    )
    found = next(row for row, *told in rows if told == [field, what])
    return page.locator(f".wb-run a[href='#{found}']")


def test_pointing_at_bytes_lights_row_field_and_grammar(page: Any) -> None:
    there = bytes_of(page, "request-filled", "MaxWaitMs", "INT32")
    assert there.inner_text() == "00 00 01 f4"
    there.hover()
    expect_lit(page, "00 00 01 f4", "MaxWaitMs")
    both = lit(page, "wb-in")
    # In the grammar by name where it is used, where it is defined, and by its type; in all three examples.
    assert both.count("max_wait_ms") == 2
    assert both.count("INT32") == 1
    assert both.count("MaxWaitMs") == 4
    assert len(both) == 2 + 1 + 4 + 3
    bar = page.locator("section:has(#request) .wb-told")
    expect(bar).to_have_text(re.compile(r"^\s*at 28 · 00 00 01 f4 · MaxWaitMs · INT32 · 500 · "))
    page.locator("h1").hover()
    expect_lit(page)
    assert lit(page, "wb-in") == []
    expect(bar).not_to_be_visible()


@pytest.mark.long
def test_the_other_ways_round(page: Any) -> None:
    page.locator("section:has(#request) pre span", has_text="max_wait_ms").first.hover()
    expect_joined(page, "00 00 01 f4")
    assert lit(page, "wb-on") == []
    page.locator("section:has(#response) .wb-meanings tr", has_text="ThrottleTimeMs").hover()
    assert "max_wait_ms" not in expect_joined(page, "throttle_time_ms")
    page.locator("tr[id^=response-filled-]", has_text="ThrottleTimeMs").hover()
    expect_lit(page, "00 00 00 00", "ThrottleTimeMs")
    page.locator("section:has(#request) .wb-run a.wb-p-header").first.hover()
    expect_joined(page, "request_api_key")


def test_by_keyboard(page: Any) -> None:
    block = page.locator("section:has(#request) .wb-run").first
    block.locator("a").first.focus()
    expect_lit(page, "00 00 00 28", "length")
    page.keyboard.press("ArrowRight")
    expect_lit(page, "00 01", "RequestApiKey")
    page.keyboard.press("ArrowDown")
    expect_value(page, lambda: lit(page, "wb-on") != ["00 01", "RequestApiKey"], True)
    assert page.evaluate("document.activeElement.closest('.wb-run') !== null")
    page.keyboard.press("End")
    expect_lit(page, "00", "tagged fields")
    page.keyboard.press("ArrowRight")
    expect_lit(page, "00", "tagged fields")
    page.keyboard.press("Home")
    expect_lit(page, "00 00 00 28", "length")
    stops = block.locator("a").evaluate_all("links => links.filter(link => link.tabIndex === 0).length")
    assert stops == 1
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.wb-run')")
    page.locator("section:has(#request) pre [data-f]").first.focus()
    page.keyboard.press("ArrowRight")
    expect_joined(page, "request_api_version")
    page.keyboard.press("Escape")
    expect_value(page, lambda: len(lit(page, "wb-in")), 0)


def test_a_click_leads_to_the_row(page: Any) -> None:
    bytes_of(page, "request-tagged", "ClusterId", "tag").click()
    expect(page).to_have_url(re.compile("#request-tagged-"))
    expect(page.locator("tr:target td").nth(2)).to_have_text("ClusterId")


@pytest.mark.long
def test_without_scripts_everything_is_there(browser: Any, site: Path) -> None:
    with served(site) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}api/fetch/v12/")
        row = page.locator("tr#request-filled-8")
        assert row.locator("td").all_inner_texts() == ["28", "00 00 01 f4", "MaxWaitMs", "INT32", "500"]
        page.locator("a[href='#request-filled-8']").focus()
        page.keyboard.press("Enter")
        expect(page.locator("tr:target")).to_have_attribute("id", "request-filled-8")
        expect(page.locator("tr:target")).to_be_visible()
        context.close()


@pytest.mark.parametrize("width", [pytest.param(390, marks=pytest.mark.long), 1440])
def test_the_places_stand_beside_their_lines(browser: Any, site: Path, width: int) -> None:
    heights = "nodes => nodes.map(node => Math.round(node.getBoundingClientRect().height))"
    with served(site) as base, opened(browser, base, width, "light") as (page, wrong):
        for path in ("api/fetch/v12/", "api/fetch/v3/", "bytes/"):
            page.goto(base + path, wait_until="load")
            # A line has 16 bytes, or 8 on a phone: the column of places is then as high as the block.
            places = page.locator(f".wb-by{16 if width > 700 else 8}")
            runs = page.locator(".wb-hex .wb-run").evaluate_all(heights)
            assert runs == places.evaluate_all(heights), path
            assert max(runs) > 2 * min(runs) or path == "bytes/"
        assert wrong == []


# The calculator.


def codec_says(kind: str, text: str) -> str | None:
    """The value that Python reads, as text; raises WireError as the codec does."""
    data = bytes.fromhex(text)
    if kind == "string":
        value = primer.tiny(primer.field("F", "COMPACT_NULLABLE_STRING")).decode(data)["F"]
        assert value is None or isinstance(value, str)
        return value
    return None


def test_the_calculator_writes_what_the_codec_writes(browser: Any, site: Path) -> None:
    chance = random.Random(7)
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}bytes/", wait_until="load")
        numbers = [
            0,
            1,
            127,
            128,
            300,
            2**31 - 1,
            2**32 - 1,
            *(chance.getrandbits(chance.randint(1, 32)) for _ in range(60)),
        ]
        for number in numbers:
            out = bytearray()
            write_unsigned(out, number)
            assert page.evaluate("n => wirebookBytes.write('unsigned', n)", str(number)) == out.hex(" ")
            assert page.evaluate("t => wirebookBytes.read('unsigned', t)", out.hex()) == str(number)
            signed = number - 2**31
            long = signed * 2**32 + number
            for kind, value in (("zigzag", signed), ("zigzag64", long)):
                text = varint(value).hex(" ")
                assert page.evaluate("a => wirebookBytes.write(...a)", [kind, str(value)]) == text
                assert page.evaluate("a => wirebookBytes.read(...a)", [kind, text]) == str(value)
        string = primer.tiny(primer.field("F", "COMPACT_NULLABLE_STRING"))
        for given in ("", "hello", "é€😀", "x" * 200, "\ufeffbom", "x" * 32767, None):
            text = string.encode({"F": given}).hex(" ")
            assert page.evaluate("s => wirebookBytes.write('string', s)", given) == text
            assert page.evaluate("t => wirebookBytes.read('string', t)", text) == given
            assert codec_says("string", text) == given
        assert wrong == []


@pytest.mark.long
def test_the_calculator_refuses_what_the_codec_refuses(browser: Any, site: Path) -> None:
    with served(site) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}bytes/", wait_until="load")
        for kind, texts in BAD.items():
            for text in texts:
                if kind == "string" and text:
                    with pytest.raises(WireError):
                        codec_says(kind, text)
                refused = (
                    "a => { try { wirebookBytes.read(...a); return ''; } catch (e) { return e.message; } }"
                )
                assert page.evaluate(refused, [kind, text]), (kind, text)
        assert page.evaluate("wirebookBytes.read('unsigned', '81 00')") == "1", (
            "longer than need be is accepted"
        )
        assert wrong == []


def test_the_calculator_by_keyboard(browser: Any, site: Path) -> None:
    with served(site) as base, opened(browser, base, 390, "dark") as (page, wrong):
        page.goto(f"{base}bytes/", wait_until="load")
        value, hexes = page.locator("[name=value]"), page.locator("[name=hex]")
        said = page.locator("form [role=status]")
        expect(hexes).to_have_value("ac 02")
        value.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("4294967296")
        expect(said).to_have_text("4294967296 does not fit: an unsigned varint holds 0 to 4294967295.")
        expect(value).to_have_attribute("aria-invalid", "true")
        expect(hexes).to_have_value("")
        page.keyboard.press("Tab")
        page.keyboard.type("80 0")
        expect(said).to_have_text("The last byte has only one digit: every byte has two.")
        page.keyboard.type("1")
        expect(value).to_have_value("128")
        expect(hexes).to_have_attribute("aria-invalid", "false")
        expect(said).to_contain_text("1·0000000 0·0000001")
        page.locator("[name=kind]").focus()
        page.keyboard.type("compact")
        expect(hexes).to_have_value("06 68 65 6c 6c 6f")
        page.locator("[name=none]").focus()
        page.keyboard.press("Space")
        expect(hexes).to_have_value("00")
        expect(said).to_contain_text("null is length 0", ignore_case=True)
        hexes.fill("03 68")
        expect(said).to_have_text("The length is 2 bytes, but 1 follows.")
        hexes.fill("02 <")
        expect(said).to_have_text('"<" is not a hex digit: 0 to 9 and a to f, two for each byte.')
        assert wrong == []
