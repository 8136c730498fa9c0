"""The rules on single files as a whole: nothing without a layout passes, and nothing said twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.engine import alone, check
from rules.finding import Category, Severity
from rules.pairs import walk_fields, walk_structs
from rules.validity.problems import unusable
from specs.layout import layout
from specs.model import Message, Protocol
from specs.problems import InputError
from specs.reader import read_message
from tests.rules.test_fixtures import PAIRS, protocol


def has_layout(message: Message) -> bool:
    try:
        return all(layout(message, version) for version in message.valid_versions)
    except InputError:
        return False


def sides(folder: Path) -> Iterator[Protocol]:
    for side in ("old", "new"):
        there = protocol(folder, side)
        if there is not None:
            yield there


@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_what_cannot_be_laid_out_is_an_error_of_the_spec(folder: Path) -> None:
    for side in sides(folder):
        for message in side:
            if has_layout(message) and not unusable(message):
                continue
            found = [item for item in alone(Protocol((message,))) if item.category is Category.SPEC]
            assert any(item.severity is Severity.ERROR for item in found)


SPEC = """{
  "apiKey": 900,
  "type": "request",
  "name": "FooRequest",
  "validVersions": "0-1",
  "flexibleVersions": "1+",
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+" }%s
  ]
}
"""


def read(fields: str = "", path: str = "FooRequest.json") -> Protocol:
    return Protocol((read_message(SPEC % fields, path, strict=False),))


def test_a_finding_is_known_by_what_it_says_not_by_line_or_file() -> None:
    wrong = ',\n    { "name": "Note", "type": "strnig", "versions": "0+", "versions": "0+" }'
    added = (
        ',\n    { "name": "New", "type": "int8", "versions": "1+",\n      "taggedVersions": "1+", "tag": 0 }'
    )
    assert {item.rule for item in alone(read(wrong))} == {"duplicate-key", "unknown-type"}
    assert check(read(wrong), read(added + wrong, "moved/FooRequest.json")) == []


def test_a_file_that_stays_as_it_was_is_told_on_demand() -> None:
    wrong = ',\n    { "name": "note_", "type": "string", "versions": "0+" }'
    assert check(read(wrong), read(wrong)) == []
    assert [item.rule for item in check(read(wrong), read(wrong), everything=True)] == ["bad-name"]


def test_what_cannot_be_read_is_one_finding() -> None:
    found = alone(read(',\n    { "name": "Note", "type": "string", "versions": "1 and up", "tag": 0 }'))
    assert [(item.rule, item.field) for item in found] == [("bad-version-range", "Note")]


def test_walks_know_what_is_around_a_field() -> None:
    message = read(
        ',\n    { "name": "Outer", "type": "[]Outer", "versions": "1+", "fields": ['
        '{ "name": "Inner", "type": "Inner", "versions": "0+", "fields": ['
        '{ "name": "Key", "type": "int8", "versions": "0+" }] }] }'
    ).messages[0]
    key = next(item for item in walk_fields(message) if item.field.name == "Key")
    assert (key.path, key.within, str(key.versions)) == ("Outer.Inner.Key", ("Outer", "Inner"), "1")
    assert [struct.path for struct in walk_structs(message)] == ["", "Outer", "Outer.Inner"]
