"""The page that decodes pasted hex, in a real browser: choices, links, errors, keys, and what is too long."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, overflow, served
from tests.e2e.waiting import expect

pytestmark = IN_BROWSER


def vector(slug: str, name: str) -> tuple[str, str]:
    """The header and the body of a published vector."""
    text = (own_site() / "api" / slug / "vectors.json").read_text(encoding="utf-8")
    found = next(item for item in json.loads(text)["vectors"] if item["id"] == name)
    return found["header"], found["body"]


def frame(*parts: str) -> str:
    whole = "".join(parts)
    return f"{len(whole) // 2:08x}{whole}"


def expect_status(page: Any, told: str | re.Pattern[str]) -> None:
    """Wait until the page says this."""
    expect(page.locator("#wb-decode-status")).to_have_text(told)


def begins(told: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{re.escape(told)}")


def ends(told: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(told)}\s*$")


def loaded(page: Any) -> None:
    """Wait until the page offers the versions of the chosen message."""
    page.wait_for_selector("select[name=version] option", state="attached")


def paste(page: Any, text: str, told: str | re.Pattern[str]) -> None:
    """Put a text into the field, and wait until the page says this of it."""
    page.evaluate("document.getElementById('wb-decode-status').textContent = ''")
    page.locator("textarea[name=hex]").fill(text)
    expect_status(page, told)


def chosen(page: Any) -> tuple[str, str, str]:
    values = [page.locator(f"select[name={name}]").input_value() for name in ("api", "version", "message")]
    return values[0], values[1], values[2]


def test_a_link_decodes_and_bytes_light_up_with_their_fields(browser: Any) -> None:
    whole = frame(*vector("fetch", "FetchRequest/12/tagged"))
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/#{urlencode({'api': 'produce', 'hex': whole})}")
        size = len(whole) // 2
        told = "FetchRequest version 12 with its length and header v2, as the header says."
        expect_status(page, f"{size} bytes, all read: {told}")
        assert chosen(page) == ("fetch", "12", "request")
        expect(page).to_have_url(re.compile("api=fetch&version=12"))
        row = page.locator(".wb-ranges tr", has=page.locator("td", has_text="MaxWaitMs"))
        expect(row.locator("td")).to_have_text(["28", "00 00 01 f4", "MaxWaitMs", "INT32", "500"])
        row.hover()
        expect(page.locator(".wb-run .wb-on")).to_have_text("00 00 01 f4")
        expect(page.locator(".wb-meanings .wb-in th")).to_have_text("MaxWaitMs")
        bar = page.locator(".wb-told")
        expect(bar).to_have_text(begins("at 28 · 00 00 01 f4 · MaxWaitMs · INT32 · 500 · "))
        page.mouse.move(0, 0)  # whatever scrolls below the mouse lights up
        page.locator(".wb-run a").first.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".wb-run .wb-on")).to_have_text("00 01")
        link = row.locator("a")
        assert link.get_attribute("href").endswith("/api/fetch/#v12-maxwaitms")
        link.click()
        page.wait_for_selector("#v12-maxwaitms")
        assert wrong == []


def test_what_does_not_fit_is_explained_up_to_the_error(browser: Any) -> None:
    header, body = vector("fetch", "FetchRequest/12/tagged")
    whole = frame(header, body)
    with served(own_site()) as base, opened(browser, base, 390, "dark") as (page, wrong):
        page.goto(f"{base}decode/#api=fetch&version=12")
        loaded(page)
        left = len(whole) // 2 - 4
        told = (
            f"byte 0: the frame length is {left}, but 36 bytes follow it; "
            "byte 40: body.IsolationLevel: 1 byte should be here, but none are left."
        )
        paste(page, whole[:80], told)
        expect(page.locator(".wb-ranges td", has_text="MaxBytes")).to_have_count(1)
        told = f"byte {left + 4}: body: the message ends here, but 2 bytes are left over."
        paste(page, frame(header, body, "cafe"), told)
        expect(page.locator(".wb-run .wb-p-rest")).to_have_text("ca fe")
        paste(page, whole[:-1], begins("line 1, column "))
        expect(page.locator("textarea[name=hex]")).to_have_attribute("aria-invalid", "true")
        paste(page, "00 0g", 'line 1, column 5: "g" is not a hex digit')
        paste(page, "<img src=x onerror=alert(1)>", 'line 1, column 1: "<" is not a hex digit')
        told = "byte 6: header.RequestApiVersion: ApiVersions has no version -1 here; it has 0–"
        paste(page, frame("0012ffff", "00000001", "ffff"), begins(told))
        paste(page, frame("00127fff", "00000001", "ffff"), ends("Nearest is 4."))
        page.get_by_role("button", name="Read it as version 4").click()
        page.wait_for_selector(".wb-ranges")
        expect_status(page, re.compile("header"))
        told = "byte 4: header.RequestApiKey: no API here has the key 32767."
        paste(page, frame("7fff0000", "00000001", "ffff"), told)
        assert overflow(page) <= 0
        assert wrong == []


@pytest.mark.long
def test_a_header_that_contradicts_the_choice_is_reported(browser: Any) -> None:
    whole = frame(*vector("fetch", "FetchRequest/12/tagged"))
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/#{urlencode({'api': 'metadata', 'version': 9, 'hex': whole})}")
        expect_status(
            page, ends("FetchRequest version 12 with its length and header v2, as the header says.")
        )
        words = "The header names Fetch version 12; the form had Metadata version 9."
        expect(page.locator("#wb-decode-result")).to_contain_text(words)
        # What is read before a header that names nothing stays.
        paste(
            page,
            f"{whole[:8]}7fff{whole[12:]}",
            "byte 4: header.RequestApiKey: no API here has the key 32767.",
        )
        shown = page.locator("#wb-decode-result table.wb-bytes")
        expect(shown).to_contain_text("RequestApiKey")
        expect(shown).to_contain_text("32767")
        expect(shown).to_contain_text("Not read")
        assert wrong == []


@pytest.mark.long
def test_without_scripts_it_leads_to_what_works(browser: Any) -> None:
    with served(own_site()) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}decode/")
        expect(page.locator("#wb-content noscript")).to_contain_text("needs JavaScript", use_inner_text=True)
        expect(page.locator("#wb-decode")).not_to_be_visible()
        page.locator("summary", has_text="The pages of all messages").click()
        page.get_by_role("link", name="TopicRecord", exact=True).click()
        page.wait_for_url(f"{base}api/topic-record/")
        context.close()
