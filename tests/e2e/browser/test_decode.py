"""The page that decodes pasted hex, in a real browser: choices, links, errors, keys, and what is too long."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, overflow, served
from tests.e2e.waiting import expect, expect_value

pytestmark = IN_BROWSER
PASTE = """([before, digits, count]) => {
  const text = before + digits.repeat(count), given = new DataTransfer();
  const field = document.querySelector("textarea[name=hex]");
  given.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData: given, bubbles: true, cancelable: true });
  return !field.dispatchEvent(event);
}"""


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


@pytest.mark.long
def test_every_link_to_a_field_leads_to_its_row(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for slug, name, side in (("metadata", "MetadataResponse/12/filled", "response"),
                                 ("topic-record", "TopicRecord/0/filled", "TopicRecord")):  # fmt: skip
            choice = {"api": slug, "version": name.split("/")[1], "message": side, "with": ""}
            page.goto("about:blank")
            page.goto(f"{base}decode/#{urlencode(choice | {'hex': vector(slug, name)[1]})}")
            expect_status(page, ends(f"all read: {name.split('/')[0]} version {name.split('/')[1]}."))
            links = page.locator(".wb-decoded a[href*='#v']").evaluate_all(
                "all => all.map(link => link.hash.slice(1))"
            )
            page.goto(f"{base}api/{slug}/")
            assert links
            lost = page.evaluate("ids => ids.filter(id => !document.getElementById(id))", links)
            assert lost == []
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
def test_bytes_of_another_message_find_their_choice(browser: Any) -> None:
    header, body = vector("fetch", "FetchRequest/12/tagged")
    answer = frame(*vector("fetch", "FetchResponse/11/filled"))
    offers = {
        body: "FetchRequest version 12, without length, without header",
        answer: "FetchResponse version 11, with length, with header",
    }
    # The last byte is missing, so that no choice fits.
    cut = {
        (header + body)[:-2]: "FetchRequest version 12, without length, with header",
    }
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for text, offer in offers.items():
            page.goto("about:blank")
            page.goto(f"{base}decode/#api=fetch&version=12")
            loaded(page)
            paste(page, text, re.compile("."))
            page.wait_for_selector(".wb-fits button")
            page.get_by_role("button", name=offer).press("Enter")
            expect_status(page, re.compile(f"all read: {offer.split(',')[0]}"))
            assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('hex')") == text
        for text, offer in cut.items():
            page.goto("about:blank")
            chosen = {"api": "fetch", "version": 12, "with": "length header", "hex": text}
            page.goto(f"{base}decode/#{urlencode(chosen)}")
            loaded(page)
            expect(page.locator(".wb-fits")).to_contain_text(
                "The first bytes are not the length of the rest:"
            )
            page.get_by_role("button", name=offer).press("Enter")
            expect(page.locator(".wb-frame")).to_contain_text("as FetchRequest version 12 with its header v2")
        assert wrong == []


@pytest.mark.long
def test_a_pasted_request_without_a_length_is_read_without_one(browser: Any) -> None:
    header, body = vector("fetch", "FetchRequest/12/tagged")
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/")
        loaded(page)
        paste(page, header + body, re.compile("all read: FetchRequest version 12 with its header"))
        expect(page.locator("input[name=frame]")).not_to_be_checked()
        note = "The first 4 bytes are not the length of the rest, so the bytes are read without a length."
        expect(page.locator("#wb-decode-result")).to_contain_text(note)
        page.locator("input[name=frame]").check()
        expect_status(page, begins("byte 0: the frame length is "))
        assert wrong == []


@pytest.mark.long
def test_typed_bytes_are_not_complete(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/")
        loaded(page)
        page.locator("textarea[name=hex]").press_sequentially("0000000a00120000")
        expect_status(page, begins("byte 0: the frame length is 10"))
        expect(page.locator("input[name=frame]")).to_be_checked()
        assert wrong == []


@pytest.mark.long
def test_lengths_that_all_lack_1_are_found(browser: Any) -> None:
    name, version = "61" * 126, "312e302e30"
    text = f"0012000300000007000161007e{name}05{version}00"
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/")
        loaded(page)
        page.locator("textarea[name=hex]").fill(text)
        expect(page.locator(".wb-fits")).to_contain_text("is 7f, not 7e")
        expect(page.locator(".wb-fits")).to_contain_text("is 06, not 05")
        assert wrong == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "001200030000000700066d796170703100056d796c696204312e3000",
            "All bytes fit if byte 17 (ClientSoftwareName) is 06, not 05: ",
        ),
        (
            "001200030000000700066d796170703100056d796c696203312e3000",
            "All bytes fit if byte 17 (ClientSoftwareName) is 06, not 05, "
            "and byte 23 (ClientSoftwareVersion) is 04, not 03: ",
        ),
    ],
)
def test_compact_lengths_that_lack_1_are_named(browser: Any, text: str, words: str) -> None:
    """As in a flexible version by a client that writes the lengths themselves."""
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/")
        loaded(page)
        paste(page, text, begins("byte "))
        expect(page.locator(".wb-fits")).to_contain_text(words)
        expect(page.locator(".wb-ranges")).to_contain_text("myapp1")
        page.get_by_role("button", name="Read the corrected bytes").click()
        expect_status(page, re.compile("28 bytes, all read: ApiVersionsRequest version 3"))
        assert wrong == []


NEAREST = {
    "api=fetsh": ("There is no API or message “fetsh” here. Nearest is Fetch.", "Choose Fetch"),
    "api=1&version=99": ("Fetch has no version 99 here; it has 0–18. Nearest is 18.", "Use version 18"),
    "api=Fetch&version=x": ("Fetch has no version x here; it has 0–18. Nearest is 18.", "Use version 18"),
}


@pytest.mark.long
def test_a_link_to_what_is_not_there_offers_the_nearest(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        for link, (told, offer) in NEAREST.items():
            page.goto("about:blank")
            page.goto(f"{base}decode/#{link}")
            expect_status(page, told)
            page.get_by_role("button", name=offer).click()
            expect_status(page, "")
            expect_value(page, lambda: chosen(page)[:2], ("fetch", "18"))
        assert wrong == []


@pytest.mark.long
def test_by_keyboard_with_an_example(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}api/metadata/v12/")
        page.get_by_role("link", name="Decode your own bytes").press("Enter")
        page.wait_for_function("() => document.querySelector('select[name=version]')?.value === '12'")
        assert chosen(page) == ("metadata", "12", "request")
        page.locator("select[name=message]").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator("select[name=message]")).to_have_value("response")
        page.get_by_role("button", name="Insert an example").press("Enter")
        page.wait_for_selector(".wb-decoded")
        expect_status(page, re.compile(": MetadataResponse version 12 with its length and header v1\\."))
        page.locator(".wb-decoded summary").press("Enter")
        expect(page.locator(".wb-decoded details code")).to_be_visible()
        value = json.loads(page.locator(".wb-decoded details code").inner_text())
        assert value["body"]["Brokers"][0]["NodeId"] == 1
        page.locator("#wb-decode button[type=reset]").press("Enter")
        page.wait_for_function("() => !document.querySelector('.wb-decoded')")
        assert wrong == []


@pytest.mark.long
def test_ten_megabytes_do_not_hang_the_page(browser: Any) -> None:
    """What is pasted is not put into the field, and a range of five megabytes is shown by its beginning."""
    with served(own_site()) as base, opened(browser, base, 1440, "light") as (page, wrong):
        page.goto(f"{base}decode/#api=produce&version=3&message=request&with=")
        loaded(page)
        assert page.evaluate(PASTE, ["", "00", 5_000_000]) is True
        assert page.locator("textarea[name=hex]").input_value() == ""
        expect_status(page, begins("byte "))
        assert "10,000,000 characters" in page.locator("textarea[name=hex]").get_attribute("placeholder")
        records = f"ffff0001000003e800000001000474657374{1:08x}{0:08x}{4_900_000:08x}"
        page.evaluate("document.getElementById('wb-decode-status').textContent = ''")
        start = page.evaluate("performance.now()")
        assert page.evaluate(PASTE, [records, "ab", 4_900_000]) is True
        expect_status(page, "4900030 bytes, all read: ProduceRequest version 3.")
        assert page.evaluate("performance.now()") - start < 15_000
        assert page.locator(".wb-ranges tr").last.inner_text().split("\t")[-1] == "4900000 bytes"
        assert "hex=" not in page.url
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


@pytest.mark.long
def test_as_a_file_it_says_what_it_needs(browser: Any) -> None:
    page = browser.new_page()
    page.goto(f"{(own_site() / 'decode' / 'index.html').as_uri()}#api=fetch")
    expect_status(page, begins("Browsers do not let a page that is opened as a file load the data"))
    page.close()
