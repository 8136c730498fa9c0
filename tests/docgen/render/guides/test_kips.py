"""The pages of proposals: collected from the texts, linked from what they changed."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.docgen.histories import own_book, own_pages
from wirebook.docgen.catalog.protocol import LinkRecord
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Page
from wirebook.rules.formats.sentences import presence
from wirebook.specs.kafka.kips import all_kips, numbers_in

pytestmark = pytest.mark.xdist_group("book")


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Page]:
    return own_pages()


def test_each_proposal_has_a_page_and_a_row(pages: Mapping[str, Page]) -> None:
    found = [path for path in pages if re.fullmatch(r"kips/kip-\d+/", path)]
    assert found == [kip.place for kip in all_kips().values()]
    rows = re.findall(r'<th scope="row"><a href="\.\./(kips/kip-\d+/)">', pages["kips/"].html)
    assert rows == found[::-1]
    assert 'data-table="wb-kips"' in pages["kips/"].html


def test_versions_are_those_whose_texts_name_it() -> None:
    for number, changes in own_book().kips.items():
        of_texts = {
            (document.api, version.version)
            for document in own_book().documents
            for version in document.versions
            if number in numbers_in(version.about)
        }
        listed = [change.version.title.rpartition(" ") for change in changes.versions]
        assert {(api, int(version)) for api, _, version in listed} == of_texts
        assert len(listed) == len(of_texts)


def test_what_a_proposal_removed_is_of_the_release_that_removed_it() -> None:
    changes = own_book().kips[896].versions
    removed = {change.version.title for change in changes}
    assert {"Produce 2", "Fetch 3", "ListOffsets 0", "OffsetCommit 1", "OffsetFetch 0"} <= removed
    returned = {change.version.title for change in changes if change.release == "4.0.0"}
    assert returned == {"JoinGroup 0", "JoinGroup 1"}
    others = [change for change in changes if change.version.title not in returned]
    assert {(change.since, change.release) for change in others} == {("removed in 4.0", "4.0")}
    assert not any(change.added or change.removed for change in changes)
    # Its own proposal added the same version.
    (added,) = (change for change in own_book().kips[140].versions if change.version.title == "CreateAcls 0")
    assert added.release == "0.11.0"


def test_the_errors_of_a_proposal_are_error_codes_and_those_that_its_texts_name() -> None:
    book = own_book()
    codes = {error.name for error in book.errors}
    expected: dict[tuple[int, str], set[str]] = {}
    for document in book.documents:
        for version in document.versions:
            for name in codes & set(re.findall(r"\w+", version.about)):
                for number in set(numbers_in(version.about)) & book.kips.keys():
                    expected.setdefault((number, name), set()).add(f"{document.api} {version.version}")
    assert len(expected) > 20
    listed = {
        (number, name): {place.title for place in places}
        for number, changes in book.kips.items()
        for name, places in changes.errors.items()
    }
    assert {name for _, name in listed} <= codes
    assert all(titles <= listed[key] for key, titles in expected.items())


def test_a_page_has_versions_fields_errors_and_levels(pages: Mapping[str, Page]) -> None:
    html = str(pages["kips/kip-516/"].html)
    assert "<h1>KIP-516: Topic identifiers</h1>" in html
    assert 'href="../../api/produce/#v13"' in html
    assert '<a href="../../api/produce/#v13-topicdata-topicid">' in html
    # A removed field leads to the last version that has it.
    assert '<del><a href="../../api/produce/#v12-topicdata-name">' in html
    assert 'href="../../errors/#unknown-topic-id"' in html
    assert "https://issues.apache.org/jira/browse/KAFKA-8872" in html
    # Its own name is no link to itself, but to the wiki, once.
    assert "kips/kip-516/" not in html
    assert html.count("/display/KAFKA/KIP-516%3A+Topic+Identifiers") == 1
    assert 'href="../../levels/#id-60"' in str(pages["kips/kip-1166/"].html)


def test_fields_and_other_texts_are_listed_with_their_place(pages: Mapping[str, Page]) -> None:
    tags = own_book().kips[1251]
    assert {item.api.title for item in tags.fields} >= {"OffsetCommit"}
    commit = next(item for item in tags.fields if item.api.title == "OffsetCommit")
    assert commit.place.href == "api/offset-commit/#v10-generationidormemberepoch"
    assert commit.versions == "9-10"
    others = own_book().kips[373].others
    assert any(item.place.href == "api/create-delegation-token/#use" for item in others)


def test_every_place_on_them_exists(pages: Mapping[str, Page]) -> None:
    ids = {path: set(re.findall(r' id="([^"]+)"', page.html)) for path, page in pages.items()}
    written = ("kip-35/", "kip-482/")
    for path, page in pages.items():
        if not path.startswith("kips/"):
            continue
        for href in re.findall(r'href="((?:\.\./)+[^"]*)"', page.html):
            target, _, place = href.replace("../", "").partition("#")
            assert target in pages or target in written, (path, href)
            assert not place or place in ids[target], (path, href)


def test_versions_fields_and_levels_link_to_them(pages: Mapping[str, Page]) -> None:
    assert 'href="../../kips/kip-516/">KIP-516</a>' in pages["api/fetch/"].html
    assert 'href="../../../kips/kip-516/">KIP-516</a>' in pages["api/fetch/v13/"].html
    assert 'href="../../kips/kip-1166/">KIP-1166</a>' in pages["releases/4.1/"].html
    for path, page in pages.items():
        elsewhere = re.findall(r"queryString=(KIP-\d+)", page.html)
        assert elsewhere == [] or path.startswith("kips/"), path


def test_the_search_has_an_entry_for_each() -> None:
    found = {entry["location"]: entry for entry in own_book().found(with_fields=True)}
    for kip in all_kips().values():
        assert found[kip.place]["title"].startswith(f"{kip.name}: ")
    assert "Fetch" in found["kips/kip-516/"]["text"]


KNOWN = Mentions(
    links=(LinkRecord("KIP-{number}", "https://example.org/{1}"),), pages={"KIP-516": "kips/kip-516/"}
)


def test_a_proposal_without_a_page_leads_elsewhere() -> None:
    made = KNOWN.linked("By KIP-516 and KIP-7.", "../")
    assert '<a href="../kips/kip-516/">KIP-516</a> and <a href="https://example.org/7">KIP-7</a>.' in made
    assert KNOWN.linked("By KIP-516.", "", "KIP-516") == "By KIP-516."


@pytest.mark.long
def test_pages_are_the_same_each_time(pages: Mapping[str, Page]) -> None:
    again = {page.path: page for page in own_book().pages()}
    for path in ("kips/", "kips/kip-98/", "releases/4.0/"):
        assert again[path] == pages[path]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A.B ([]S, tag 0) is added", ("A.B", True)),
        ("A (string) is removed", ("A", False)),
        ("A is now called B", None),
        ("becomes flexible: compact lengths, and a tagged section after every struct", None),
    ],
)
def test_sentences_that_add_or_remove_a_field(text: str, expected: object) -> None:
    assert presence(text) == expected
