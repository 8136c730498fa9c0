"""The pages of proposals: collected from the texts, linked from what they changed."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.docgen.histories import own_book, own_pages
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.proposals import all_kips, numbers_in
from wirebook.docgen.pages.search import entries

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Page]:
    return own_pages()


def test_each_proposal_has_a_row_and_a_page_if_there_is_more_to_say(
    pages: Mapping[str, Page],
) -> None:
    found = [path for path in pages if re.fullmatch(r"kips/kip-\d+/", path)]
    rows = re.findall(r'<tr id="(kip-\d+)"><th scope="row"><a href="([^"]+)">', pages["kips/"].html)
    assert [name for name, _ in rows] == [kip.name.lower() for kip in [*all_kips().values()][::-1]]
    listed = [href.removeprefix("../") for _, href in rows if href.startswith("../")]
    assert [href for href in listed if href not in ("kip-35/", "kip-482/")] == found[::-1]
    assert 20 < len(found) < 50
    for path in found:
        assert len(re.sub("<[^>]*>", " ", pages[path].html).split()) > 150, path


def test_versions_are_those_whose_texts_name_it() -> None:
    for number, mentions in own_book().kips.items():
        of_texts = {
            f"{document.api} {version.version}"
            for document in own_book().documents
            for version in document.versions
            if number in numbers_in(version.about)
        }
        assert {each.title for each in mentions if each.kind == "Versions"} == of_texts


def test_a_page_has_versions_fields_errors_and_levels(pages: Mapping[str, Page]) -> None:
    html = str(pages["kips/kip-516/"].html)
    assert "<h1>KIP-516: Topic identifiers</h1>" in html
    assert 'href="../../api/produce/v13/"' in html
    assert 'href="../../levels/#id-' in html
    assert 'href="../../errors/#unknown-topic-id"' in html
    assert "https://issues.apache.org/jira/browse/KAFKA-8872" in html
    # Its own name is no link to itself, but to the wiki, once.
    assert "kips/kip-516/" not in html
    assert html.count("/display/KAFKA/KIP-516%3A+Topic+Identifiers") == 1


def test_a_page_has_flows(pages: Mapping[str, Page]) -> None:
    assert 'href="../../flows/consumer-group/"' in pages["kips/kip-848/"].html
    for number, flow in ((98, "transactions"), (360, "idempotent-producer"), (43, "sasl")):
        assert f'href="../../flows/{flow}/"' in pages[f"kips/kip-{number}/"].html


def test_every_place_on_them_exists(pages: Mapping[str, Page]) -> None:
    ids = {path: set(re.findall(r' id="([^"]+)"', page.html)) for path, page in pages.items()}
    written = ("kip-35/", "kip-482/")
    for path, page in pages.items():
        if not path.startswith("kips/"):
            continue
        for href in re.findall(r'href="((?:\.\./)+[^"]*)"', page.html):
            target, _, place = href.replace("../", "").partition("#")
            # A key is on the page of its value, to which the site leads.
            if re.fullmatch("api/.*-key/", target) and target not in pages:
                target, place = target.replace("-key/", "-value/"), "key"
            assert target in pages or target in written, (path, href)
            assert not place or place in ids[target], (path, href)


def test_versions_fields_and_levels_link_to_them(pages: Mapping[str, Page]) -> None:
    assert 'href="../../kips/kip-516/">KIP-516</a>' in pages["api/fetch/"].html
    assert 'href="../../../kips/kip-516/">KIP-516</a>' in pages["api/fetch/v13/"].html
    assert 'href="../../kips/#kip-1166">KIP-1166</a>' in pages["releases/4.1/"].html
    for path, page in pages.items():
        elsewhere = re.findall(r"queryString=(KIP-\d+)", page.html)
        assert elsewhere == [] or path.startswith("kips/"), path


def test_the_search_has_an_entry_for_each() -> None:
    found = {
        (entry.page, entry.anchor): entry
        for entry in entries(own_book(), ())
        if entry.kind == "kip"
    }
    for number, place in own_book().kip_places.items():
        page, _, row = place.partition("#")
        assert found[page, row].title.startswith(f"KIP-{number}: ")
