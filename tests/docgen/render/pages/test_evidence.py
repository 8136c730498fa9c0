"""How many statements have which kind of source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.docgen.histories import own_book
from wirebook.docgen.catalog.records import ReturnedError, TextSource
from wirebook.docgen.render.pages.evidence import CODE, FIELD, GENERAL, INFERRED, NONE, PROPOSAL, evidence

pytestmark = pytest.mark.xdist_group("book")


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


def test_the_code_of_a_field_and_inferred_texts_are_counted_apart() -> None:
    base = next(document for document in own_book().documents if document.api == "Heartbeat")
    row = ReturnedError("TOO_WET", "0+", "ErrorCode", "", "", "Den", False, code=("https://a.example",))
    bare = replace(
        base, purpose="", pitfalls=("Read.", "Guessed.", "Fails with TOO_WET."), versions=(), messages=(),
        use=type(base.use)(), code=(), errors=(row,),
        cited=(
            TextSource("Read.", "read in Den", of_field=True),
            TextSource("Guessed.", "Den", inferred=True, reason="It is dark."),
            TextSource("Fails with TOO_WET.", "read in Den", of_field=True),
        ),
    )  # fmt: skip
    found = {each.title: each.counts for each in evidence([bare])}
    assert found["Pitfalls"] == {FIELD: 1, INFERRED: 1, CODE: 1}


def test_every_statement_about_kafka_has_a_source_or_says_that_it_is_inferred() -> None:
    *_, total = evidence(own_book().documents)
    assert total.counts[NONE] == 0
    assert total.counts[GENERAL] < 1000


def test_every_api_of_kafka_names_code_or_infers_all() -> None:
    for document in own_book().documents:
        if not document.code:
            *_, total = evidence([document])
            assert total.counts.keys() == {INFERRED}, document.api
