"""How many statements have which kind of source."""

from __future__ import annotations

from dataclasses import replace

from tests.docgen.histories import own_book
from wirebook.docgen.catalog.records import ReturnedError, TextSource
from wirebook.docgen.render.pages.evidence import CODE, GENERAL, INFERRED, NONE, PROPOSAL, evidence


def test_statements_are_counted_by_the_best_source_that_they_have() -> None:
    base = next(document for document in own_book().documents if document.api == "Heartbeat")
    row = ReturnedError("TOO_WET", "0+", "ErrorCode", "", "", "Otter", False, code=("https://a.example",))
    document = replace(
        base, purpose="See KIP-35.", pitfalls=("Cited.", "Fails with TOO_WET.", "Plain."), versions=(),
        messages=(), use=type(base.use)(), code=("https://b.example",), cited=(TextSource("Cited.", "Den"),),
        errors=(row, replace(row, inferred=True), replace(row, code=(), source="Said so")),
    )  # fmt: skip
    found = {each.title: each.counts for each in evidence([document])}
    assert found["Purpose and use"] == {PROPOSAL: 1}
    assert found["Pitfalls"] == {CODE: 2, GENERAL: 1}
    assert found["Errors"] == {CODE: 1, INFERRED: 1, GENERAL: 1}
    assert found["All"].total() == 7
    bare = replace(document, code=())
    assert {each.title: each.counts for each in evidence([bare])}["Pitfalls"] == {CODE: 2, NONE: 1}
    assert evidence([replace(document, verified="")]) == []


def test_every_api_of_kafka_names_code() -> None:
    lacking = {each.api for each in own_book().documents if not each.code}
    # No release has code that writes or reads it.
    assert lacking == {"AccessControlRecord"}
