"""Upgrade guides: every step between versions, with what it requires and which errors it brings."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, own_book, own_pages, request, response
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.guides.upgrades import UpgradeStep, has_upgrades, steps, upgrade_page
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.rules.formats.sentences import presence
from wirebook.specs.versions import VersionSet

pytestmark = pytest.mark.xdist_group("book")


def guide(api: str) -> dict[int, UpgradeStep]:
    document = own_book().catalog.api(api)
    return {step.newer: step for step in steps(document, own_book().errors)}


def names(step: UpgradeStep) -> set[str]:
    return {error.text.name for error in step.appearing}


def test_produce_from_9_to_13() -> None:
    found = guide("Produce")
    assert [(step.older, step.newer) for step in found.values()] == [(n, n + 1) for n in range(13)]
    assert found[10].changed == "response"
    assert found[11].changed == "unchanged"
    assert names(found[11]) == {"TRANSACTION_ABORTABLE"}
    assert "transaction.version" in found[12].info.requires
    assert "Metadata" in found[13].info.requires
    assert found[13].changed == "request and response"
    assert "UNKNOWN_TOPIC_ID" in names(found[13])
    request_part = found[13].parts[0]
    assert [(item.added, item.field.path) for item in request_part.changes if item.field] == [
        (False, "TopicData.Name"),
        (True, "TopicData.TopicId"),
    ]


def test_the_steps_of_each_api_leave_nothing_out() -> None:
    documents = [document for document in own_book().documents if has_upgrades(document)]
    assert len(documents) > 60
    for document in documents:
        nothing_is_left_out(document)


def nothing_is_left_out(document: ApiDocument) -> None:
    found = list(steps(document, own_book().errors))
    numbers = sorted(version.version for version in document.versions)
    assert [(step.older, step.newer) for step in found] == list(pairwise(numbers))
    for step in found:
        assert step.about
        changes = [words for part in step.parts for words in (item.words for item in part.changes)]
        shown = [message.versions[step.newer].changes for message in document.messages]
        assert changes == [words for part in shown for words in part]
        for part in step.parts:
            assert all((item.field is None) is (presence(item.words) is None) for item in part.changes)
    # Errors: what appears and what disappears, added up, are those of the newest version.
    held = codes(document, numbers[0])
    for step in found:
        held |= names(step)
        held -= {error.text.name for error in step.disappearing}
    assert held == codes(document, numbers[-1])


def codes(document: ApiDocument, version: int) -> set[str]:
    return {error.name for error in document.errors if version in VersionSet.parse(error.versions)}


def test_the_page_is_complete_without_scripts() -> None:
    document = own_book().catalog.api("OffsetFetch")
    mentions = Mentions({"Metadata": "metadata"})
    html = str(upgrade_page(document, mentions, own_book().errors, own_book().protocol).html)
    assert re.findall(r'<section class="wb-step" data-step="(\d+)"', html) == [str(n) for n in range(1, 11)]
    assert '<form class="wb-form wb-steps-form" hidden>' in html
    step = html.partition('<h2 id="v10">')[2]
    assert '<dt>Requires</dt><dd>Version 10 of <a href="../../../metadata/">' not in step
    assert '<dt>Requires</dt><dd>Version 10 of <a href="../../../api/metadata/">Metadata</a>' in step
    assert "<dt>Behavior</dt>" in step
    assert 'Add <a href="../#v10-groups-topics-topicid">' in step
    assert 'Remove <a href="../#v9-groups-topics-name">' in step
    assert "UNKNOWN_TOPIC_ID" in step
    # What the fields of a new struct are is said as well.
    assert "<code>" in html.partition('<h2 id="v8">')[2].partition("</section>")[0]


def test_known_problems_are_on_the_guides() -> None:
    for api, issue in (("Produce", "KAFKA-18659"), ("JoinGroup", "KAFKA-19444")):
        document = own_book().catalog.api(api)
        page = upgrade_page(document, Mentions(), (), own_book().protocol)
        assert '<h2 id="problems">' in page.html
        assert issue in page.html


def test_the_contents_have_each_heading_of_the_page() -> None:
    for api in ("Produce", "OffsetFetch"):
        page = upgrade_page(own_book().catalog.api(api), Mentions(), (), own_book().protocol)
        assert [each.id for each in page.headings] == re.findall(r'<h2 id="([^"]+)"', page.html)


def test_apis_with_versions_have_a_guide_that_their_pages_link_to() -> None:
    pages = {path: str(page.html) for path, page in own_pages().items()}
    for document in own_book().documents:
        path = f"api/{document.slug}/upgrade/"
        assert (path in pages) is (document.is_api and len(document.versions) > 1)
        assert ('href="upgrade/"' in pages[f"api/{document.slug}/"]) is (path in pages)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A protocol without texts: Foo 1 adds A, 2 renames nothing and may be null, 3 removes B."""
    fields = [field("A", versions="1+"), field("B", "string", "0-2", nullableVersions="2+")]
    foo = [request("Foo", 3, "0-3", *fields), response("Foo", 3, "0-3", field("C"))]
    build(inputs({"1.0.0": foo}), tmp_path)
    return Book.of(tmp_path)


def test_a_protocol_without_texts_has_guides_too(book: Book) -> None:
    document = book.catalog.api("Foo")
    found = {step.newer: [item.words for item in step.parts[0].changes] for step in steps(document)}
    assert found == {1: ["A (int32) is added"], 2: ["B may be null"], 3: ["B (string) is removed"]}
    html = str(upgrade_page(document, Mentions(), book.errors, book.protocol).html)
    assert "Known problems" not in html
    assert "<li>B may be null.</li>" in html


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
