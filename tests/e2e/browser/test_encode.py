"""The page that encodes, in a real browser: its form and its JSON, which field is wrong, and why."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.docgen.render.byte_pages import embedded
from tests.docgen.sites import own_site
from tests.e2e.browsers import IN_BROWSER, opened, served
from tests.e2e.waiting import expect, expect_value
from wirebook.specs.wire.codec import exported_codec
from wirebook.specs.wire.layout import layout

pytestmark = IN_BROWSER
TOPIC = "Topics[0]"
OFFSET = "Topics[0].Partitions[0].FetchOffset"


def bare(page: Any, base: str, **choice: str) -> None:
    """Open the page for a message without its length and header, and wait for its bytes."""
    page.goto(f"{base}encode/#{urlencode({'api': 'fetch', 'message': 'request', **choice})}")
    page.wait_for_selector("#wb-encode-result pre")
    page.locator("[name=frame]").uncheck()
    page.locator("[name=header]").uncheck()


def field(page: Any, path: str, name: str = "") -> Any:
    named = f'[name="{name}"]' if name else ":not([type])"
    return page.locator(f'#wb-encode-fields input[data-at="{path}"]{named}')


def shown_hex(page: Any) -> str:
    return "".join(page.locator("#wb-encode-result pre[aria-label=Hex]").inner_text().split())


def by_codec(value: dict[str, Any], version: int) -> str:
    message = next(each for each in embedded() if each.name == "FetchRequest")
    return exported_codec(layout(message, version).exported()).encode(value).hex()


def test_the_form_and_the_json_are_one_value(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 1280, "light") as (page, wrong):
        bare(page, base, version="12")
        field(page, "MaxWaitMs").fill("500")
        field(page, OFFSET).fill("9007199254740993")
        page.get_by_role("button", name="Add an element to Topics", exact=True).click()
        assert page.evaluate("document.activeElement.dataset.at").startswith("Topics[1]")
        field(page, "Topics[1].Topic").fill("ä")
        page.get_by_role("button", name="Remove Topics[1].Partitions[0]", exact=True).click()
        page.get_by_label("ClusterId: send").check()
        field(page, "ClusterId").fill("here")
        partition = {"FetchOffset": 9007199254740993}
        value = {
            "MaxWaitMs": 500,
            "ClusterId": "here",
            "Topics": [{"Topic": "", "Partitions": [partition]}, {"Topic": "ä"}],
            "ForgottenTopicsData": [{}],
        }
        expect_value(page, lambda: shown_hex(page), by_codec(value, 12))
        page.get_by_label("ClusterId: null").check()
        expect_value(page, lambda: shown_hex(page), by_codec({**value, "ClusterId": None}, 12))
        page.get_by_label("JSON", exact=True).check()
        text = page.locator("[name=value]")
        expect(text).to_be_visible()
        assert json.loads(text.input_value())["Topics"][1] == {"Topic": "ä", "Partitions": []}
        text.fill('{"MaxBytes": 7}')
        page.get_by_label("form", exact=True).check()
        expect(field(page, "MaxBytes")).to_have_value("7")
        page.get_by_role("button", name="Start over").click()
        expect(field(page, "MaxBytes")).to_have_value("2147483647")
        assert wrong == []


@pytest.mark.long
def test_an_error_names_the_field_and_the_reason(browser: Any) -> None:
    with served(own_site()) as base, opened(browser, base, 390, "light") as (page, wrong):
        bare(page, base, version="17")
        status = page.locator("#wb-encode-status")
        for path, text, why in (
            ("MaxWaitMs", "soon", 'a whole number is expected, not "soon"'),
            ("MaxWaitMs", "", 'a whole number is expected, not ""'),
            ("IsolationLevel", "128", "128 does not fit INT8 (-128 to 127)"),
            (OFFSET, "9" * 41, f'a whole number is expected, not "{"9" * 41}"'),
            (f"{TOPIC}.TopicId", "<b>", 'a uuid as 8-4-4-4-12 hex digits is expected, not "<b>"'),
            ("RackId", "r" * 32768, "a string of 32768 bytes; the limit is 32767"),
        ):
            before = field(page, path).input_value()
            field(page, path).fill(text)
            expect(status).to_have_text(f"{path}: {why}")
            expect(field(page, path)).to_have_attribute("aria-invalid", "true")
            assert page.locator("#wb-encode-result pre").count() == 0
            field(page, path).fill(before)
            expect(page.locator("#wb-encode-result pre").first).to_be_visible()
            assert page.locator("#wb-encode-fields [aria-invalid]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.get_by_label("JSON", exact=True).check()
        page.locator("[name=value]").fill('{"Topics": {}}')
        expect(status).to_have_text("Topics: a list is expected, not an object")
        # What has no form stays JSON, with the reason.
        page.get_by_label("form", exact=True).click()
        expect(status).to_have_text(
            "Correct the JSON to edit it as a form. Topics: a list is expected, not an object"
        )
        expect(page.locator("[name=value]")).to_be_visible()
        assert wrong == []
