"""The words and numbers that all formats of a review share."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.docgen.render.review.wording import (
    SENTENCES,
    Table,
    implied_of,
    layout_title,
    message_row,
    nature_of,
    others_of,
    sentences_of,
    size_of,
    table_of,
    versions_of,
)
from wirebook.rules.review.consequences import Cause, Consequence
from wirebook.rules.review.layouts import LayoutDiff
from wirebook.rules.review.overview import ApiOverview, MessageOverview
from wirebook.specs.versions import Versions, VersionSet
from wirebook.specs.wire.layout import layout


def test_a_few_consequences_are_sentences_and_more_are_a_table_without_empty_columns() -> None:
    row = Consequence(Cause.ADDED, "Foo", "Foo gets version 3", ("3", "", "all"))
    assert table_of(Cause.ADDED, [row] * SENTENCES) is None
    heads, rows = table_of(Cause.ADDED, [row] * (SENTENCES + 1)) or Table((), [])
    assert (heads, rows) == (("API", "new", "clients not affected"), [("Foo", "3", "all")] * (SENTENCES + 1))
    # A column is shown if any row has something in it, and the API always.
    more = replace(row, api="", cells=("", "2", ""))
    heads, rows = table_of(Cause.ADDED, [*[row] * SENTENCES, more]) or Table((), [])
    assert heads == ("API", "new", "known", "clients not affected")
    assert rows[-1] == ("", "", "2", "")
    # Other causes have no columns.
    assert table_of(Cause.BROKEN, [row] * 9) is None


def test_a_sentence_is_written_once_with_all_its_apis() -> None:
    given = [("Foo", "one"), ("Bar", "two"), ("Bar", "one"), ("Foo", "one")]
    items = [Consequence(Cause.CODE, api, words) for api, words in given]
    assert sentences_of(items) == [("one", ("Foo", "Bar")), ("two", ("Bar",))]


def test_apis_that_change_like_others_may_also_change_in_text() -> None:
    for number, words in (
        (1, "1 of these APIs has no other changes, except of text."),
        (12, "12 of these APIs have no other changes, except of text."),
    ):
        review: Any = SimpleNamespace(other_apis=number, text_changes=0, changes=())
        assert others_of(review) == [words]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (Versions(0, 17), Versions(4, 17), "0-17 → 4-17"),
        (None, Versions(0, 1), "new: 0-1"),
        (Versions(0, 3), None, "removed: 0-3"),
        (Versions(0, 17), Versions(0, 17), "0-17"),
    ],
)
def test_versions_on_both_sides(old: Versions | None, new: Versions | None, words: str) -> None:
    assert versions_of(old, new) == words


FOO = read_kafka(
    json.dumps(
        {
            "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-3",
            "flexibleVersions": "2+", "listeners": ["broker"], "fields": [],
        }
    ).encode(),
    "FooRequest.json",
)  # fmt: skip


def diff(versions: str, old: int | None, new: int, *, added: bool = False, sizes: tuple = ()) -> LayoutDiff:  # type: ignore[type-arg]
    """A comparison of two versions of Foo."""
    before = None if old is None else layout(FOO, old)
    return LayoutDiff(VersionSet.parse(versions), before, layout(FOO, new), (), sizes, added)


def test_sizes_of_versions_before_and_after() -> None:
    sizes = (
        (VersionSet.parse("0-1"), 12, 14),
        (VersionSet.parse("2"), 9, 9),
        (VersionSet.parse("3"), None, 5),
    )
    assert size_of(diff("0-3", 3, 3, sizes=sizes)) == "0-1: 12 → 14; 2: 9; 3: 5"
    last = ((VersionSet.parse("3"), 32, 33),)
    assert size_of(diff("3", 2, 3, added=True, sizes=last)) == "3: 33 (2: 32)"
    assert size_of(diff("0", None, 0, added=True, sizes=((VersionSet.parse("0"), None, 4),))) == "0: 4"
    item = MessageOverview(
        FOO,
        Versions(0, 2),
        Versions(0, 3),
        (diff("3", 2, 3, added=True, sizes=last),) * 2,
        (("", 4), ("A.B", 0)),
    )
    assert message_row(item) == (
        "FooRequest", "0-2 → 0-3", "3: 33 (2: 32); 3: 33 (2: 32)", "top level: 4; A.B: 0",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (("0", None, 0), "FooRequest version 0, new"),
        (("1", 0, 1, True), "FooRequest version 1, new, against version 0"),
        (("2", 2, 2), "FooRequest version 2, before and after"),
        (("1-2", 2, 2), "FooRequest versions 1-2, before and after (2 shown)"),
    ],
)
def test_the_title_of_a_comparison(given: tuple[str, int | None, int], title: str) -> None:
    assert layout_title(diff(*given[:3], added=len(given) > 3)) == title


def test_the_nature_of_a_version() -> None:
    assert nature_of(diff("1", 1, 1)) == "Not flexible, request header version 1."
    assert nature_of(diff("2", 2, 2)) == "Flexible, request header version 2."


def test_fields_that_go_with_their_versions_are_counted() -> None:
    words = [implied_of(ApiOverview("Foo", (), (), count)) for count in (0, 1, 2)]
    assert words == [
        "",
        "1 field that only the removed versions had is removed too.",
        "2 fields that only the removed versions had are removed too.",
    ]
