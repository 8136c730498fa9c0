"""The entries of the full-text search: their place, their words, and which come first."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, request, response
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL
from wirebook.docgen.catalog.records import ApiDocument
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.search.fulltext import IndexEntry, entries, rule_entries
from wirebook.rules.rule import catalogue


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> ApiDocument:
    folder: Path = tmp_path_factory.mktemp("catalog")
    inner = [field("Deep", "string", about="d" * 300)]
    asked = request("FindOtter", 7, "0-1", field("A"), field("Late", versions="1+"), flexibleVersions="1+")
    answer = field("Outer", "[]In", "1+", fields=inner), field("T", tag=0, taggedVersions="1+", versions="1+")
    answered = response("FindOtter", 7, "0-1", *answer, flexibleVersions="1+", latestVersionUnstable=True)
    build(inputs({"1.0.0": [asked | {"latestVersionUnstable": True}, answered]}), folder)
    return Catalog.open(folder).api("7")


def found(document: ApiDocument, *, with_fields: bool) -> list[IndexEntry]:
    return list(entries([document], [], [], NEUTRAL_PROTOCOL, with_fields=with_fields))


def test_an_api_its_versions_and_its_fields_have_entries(document: ApiDocument) -> None:
    made = found(document, with_fields=True)
    # Fields are those of the newest stable version.
    assert [(entry["location"], entry["title"], entry.get("boost", 1)) for entry in made] == [
        ("api/find-otter/", "FindOtter", 3.0),
        ("api/find-otter/#v1", "FindOtter 1", 2.0),
        ("api/find-otter/#v0", "FindOtter 0", 2.0),
        ("api/find-otter/#v0-a", "A", 1),
    ]
    assert made[0]["text"] == "API key 7. FindOtterRequest, FindOtterResponse"
    assert made[-1]["text"] == "request field, int32. The A."
    assert found(document, with_fields=False) == made[:3]


def test_without_a_stable_version_the_fields_are_those_of_the_newest(document: ApiDocument) -> None:
    made = found(replace(document, newest_stable=None), with_fields=True)[3:]
    assert [(entry["location"], entry["text"][:60]) for entry in made] == [
        ("api/find-otter/#v1-a", "request field, int32. The A."),
        ("api/find-otter/#v1-late", "request field, int32. The Late."),
        ("api/find-otter/#v1-response-outer", "response field, []In. The Outer."),
        ("api/find-otter/#v1-response-outer-deep", f"response field, string. {'d' * 36}"),
        ("api/find-otter/#v1-response-t", "response field, int32, tag 0. The T."),
    ]
    assert len(made[3]["text"]) == 240


def test_what_is_no_api_and_what_is_gone_come_later(document: ApiDocument) -> None:
    other = replace(document, kind="data", gone=True, purpose="Kept.")
    made = found(other, with_fields=False)
    assert made[0]["text"].endswith("Kept. FindOtterRequest, FindOtterResponse")
    assert "API key" not in made[0]["text"]
    assert [entry.get("boost", 1) for entry in made] == [1.5, 0.5, 0.5]


def test_the_entry_of_a_rule_has_its_words_without_its_example() -> None:
    made = list(rule_entries(catalogue()))
    assert [entry["title"] for entry in made] == [rule.name for rule in catalogue()]
    assert {entry["boost"] for entry in made} == {0.4}
    for entry, rule in zip(made, catalogue(), strict=True):
        assert entry["location"] == f"rules/{rule.name}/"
        words = " ".join(str(unescape(entry["text"])).split())
        texts = [text for title, text in rule.documentation.items() if title != "Example"]
        # All of it, except for marks.
        assert len(words) <= len(" ".join(f"{rule.summary}. {' '.join(texts)}".split()))
        last = re.sub("[`*]", "", texts[-1]).split()[-1]
        assert words.endswith(last), rule.name
        assert "@@" not in words
        assert "`" not in entry["text"]
