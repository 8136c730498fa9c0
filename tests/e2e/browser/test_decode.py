"""The page that decodes pasted hex, in a real browser: choices, links, errors, keys, and what is
too long."""

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
# A Produce request, version 9, whose record lacks the header that it announces; its CRC is right.
LACKING = (
    "00000069 0000 0009 00000001 0001 63 00 00 0001 000003e8 02 07 6f7264657273 02 00000000 46"
    f"{'00' * 8} 00000039 ffffffff 02 bc83f2a9 0000 00000000 {'ff' * 30} 00000001"
    "0e 00 00 00 01 02 ff 02 00 00 00"
)


def vector(slug: str, name: str) -> tuple[str, str]:
    """The header and the body of a published vector."""
    text = (own_site() / "api" / slug / "vectors.json").read_text(encoding="utf-8")
    found = next(item for item in json.loads(text)["vectors"] if item["id"] == name)
    return found["header"], found["body"]


def frame(*parts: str) -> str:
    whole = "".join(parts)
    return f"{len(whole) // 2:08x}{whole}"


def expect_status(page: Any, status: str | re.Pattern[str]) -> None:
    """Wait until the page says this."""
    expect(page.locator("#wb-decode-status")).to_have_text(status)


def begins(status: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{re.escape(status)}")


def ends(status: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(status)}\s*$")


def paste(page: Any, text: str, status: str | re.Pattern[str]) -> None:
    """Put a text into the field, and wait until the page says this of it."""
    page.evaluate("document.getElementById('wb-decode-status').textContent = ''")
    page.locator("textarea[name=hex]").fill(text)
    expect_status(page, status)


def test_a_link_decodes_and_bytes_light_up_with_their_fields(browser: Any) -> None:
    whole = frame(*vector("fetch", "FetchRequest/12/tagged"))
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/#{urlencode({'hex': whole})}")
        size = len(whole) // 2
        expect_status(
            page,
            f"Read as hex: Fetch request version 12 \u00b7 correlation ID 1 \u00b7 {size} bytes, all read.",
        )
        expect(page).to_have_url(re.compile("#hex=0000"))
        row = page.locator(".wb-rows tr", has=page.locator("td", has_text="MaxWaitMs"))
        expect(row.locator("td").first).to_have_text("28 00 00 01 f4")
        row.hover()
        expect(page.locator(".wb-run .wb-on")).to_have_text("00 00 01 f4")
        page.mouse.move(0, 0)  # whatever scrolls below the mouse lights up
        page.locator(".wb-run a").first.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".wb-run .wb-on")).to_have_text("00 01")
        link = row.locator("a")
        assert link.get_attribute("href").endswith("/api/fetch/v12/#v12-maxwaitms")
        link.click()
        page.wait_for_selector("#v12-maxwaitms")
        assert wrong == []


def test_frames_of_all_kinds_are_read(browser: Any) -> None:
    header, body = vector("fetch", "FetchRequest/12/tagged")
    answer = frame(*vector("fetch", "FetchResponse/12/filled"))
    with served(own_site()) as base, opened(browser, base, 390, "dark") as (page, wrong):
        page.goto(f"{base}decode/")
        left = len(header + body) // 2 - 36
        paste(page, frame(header, body)[:80], ends(f"40 of {left + 40} bytes."))
        expect(page.locator("#wb-decode-result")).to_contain_text(f"{left} bytes of it are missing")
        guess = begins("Read as hex: A guess: Fetch request version 12")
        paste(page, frame(header, body, "cafe"), guess)
        expect(page.locator(".wb-run .wb-p-rest")).to_have_text("ca fe")
        broken = frame("7fff0000", "00000001", "ffff" * 20)
        paste(page, frame(header, body) + broken + answer, "Read as hex: 3 frames, 2 of them read.")
        summaries = page.locator(".wb-frame-read > summary")
        expect(summaries).to_have_text(
            [
                begins("1. Fetch request version 12"),
                begins("2. Unknown"),
                begins("3. Fetch response version 12"),
            ]
        )
        expect(page.locator("#wb-decode-result")).to_contain_text(
            "answers the request with its correlation ID"
        )
        expect(page.locator(".wb-rows td", has_text="Crc")).not_to_have_count(0)
        paste(
            page,
            "0000000a 00000007 00000000 001b",
            begins("Read as hex: Heartbeat response version"),
        )
        expect(page.locator(".wb-rows")).to_contain_text("REBALANCE_IN_PROGRESS")
        page.get_by_role("button", name="LeaveGroup response").first.click()
        expect(page.locator(".wb-fits")).to_contain_text("Heartbeat response")
        paste(page, LACKING, ends("109 bytes, but not all of its content can be read."))
        expect(page.locator(".wb-files")).to_contain_text("Headers[0].KeyLength is no varint")
        paste(page, "00 0g", 'line 1, column 5: "g" is not a hex digit')
        expect(page.locator("textarea[name=hex]")).to_have_attribute("aria-invalid", "true")
        paste(page, "<img src=x onerror=alert(1)>", 'line 1, column 1: "<" is not a hex digit')
        paste(page, "16 03 01 00 05 01", begins("These bytes are TLS"))
        page.set_input_files(
            "input[name=file]",
            {
                "name": "one.bin",
                "mimeType": "application/octet-stream",
                "buffer": bytes.fromhex(answer),
            },
        )
        expect_status(page, begins("Read as a file: Fetch response version"))
        assert overflow(page) <= 0
        assert wrong == []


def test_a_value_is_encoded_and_its_bytes_are_decoded(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 768, "light") as (page, wrong):
        page.goto(f"{base}decode/")
        page.get_by_role("tab", name="Encode").click()
        page.locator("#wb-encode select[name=api]").select_option("api-versions")
        status = page.locator("#wb-encode-status")
        expect(status).to_contain_text("with length and header")
        page.fill("#wb-encode textarea", '{"header": {"RequestApiKey": "x"}, "body": {}}')
        expect(status).to_have_text('RequestApiKey: "x" is no whole number')
        header = (
            '{"RequestApiKey": 18, "RequestApiVersion": 5, "CorrelationId": 7, "ClientId": "me"}'
        )
        page.fill(
            "#wb-encode textarea", f'{{"header": {header}, "body": {{"ClientSoftwareName": "me"}}}}'
        )
        page.get_by_role("button", name="Decode the bytes").click()
        expect_status(page, begins("Read as hex: ApiVersions request version 5"))
        assert overflow(page) <= 0
        assert wrong == []


@pytest.mark.long
def test_without_scripts_it_leads_to_what_works(browser: Any) -> None:
    with served(own_site()) as base:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{base}decode/")
        expect(page.locator("#wb-content noscript")).to_contain_text(
            "needs JavaScript", use_inner_text=True
        )
        expect(page.locator("#wb-decode")).not_to_be_visible()
        page.locator("summary", has_text="The pages of all messages").click()
        page.get_by_role("link", name="TopicRecord", exact=True).click()
        page.wait_for_url(f"{base}api/topic-record/")
        context.close()
