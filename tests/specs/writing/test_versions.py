"""The next version of a message: which one it is, and what changes in the text of its spec."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.writing.versions import next_version, with_version

TEXT = """\
// Ours.
{
  "type": "data",
  "name": "Foo",
  "validVersions": "1-2", // all
  "flexibleVersions": "none",
  "history": [
    { "version": 2, "added": "1.0-IV0",
      "about": "Adds A." } // first
  ],
  "fields": []
}
"""


def message(**more: Any) -> Message:
    spec = {"type": "data", "name": "Foo", "validVersions": "1-2", "flexibleVersions": "none", "fields": []}
    return read_kafka(json.dumps(spec | more, indent=1).encode(), "Foo.json")


@pytest.mark.parametrize(("valid", "number"), [("0", 1), ("1-2", 3), ("32766", 32767)])
def test_the_next_version_is_above_the_highest(valid: str, number: int) -> None:
    assert next_version(message(validVersions=valid)) == number


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"validVersions": "none"}, "Foo.json: Foo has no valid versions: it was removed"),
        (
            {"latestVersionUnstable": True},
            "Foo.json:7:27: version 2 of Foo is unstable, so it is still open: change that one, or remove "
            '"latestVersionUnstable"',
        ),
        (
            {"validVersions": "0+"},
            "Foo.json:4:19: Foo has version 32767 already, the highest that an INT16 can hold",
        ),
    ],
)
def test_there_is_no_next_version(more: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        next_version(message(**more))
    assert str(caught.value) == words


def test_only_the_versions_and_the_history_change() -> None:
    found = read_kafka(TEXT.encode(), "Foo.json")
    changed = with_version(found, 3, "2.0-IV0")
    assert changed == TEXT.replace("1-2", "1-3").replace(
        '"Adds A." } // first',
        '"Adds A." }, // first\n    { "version": 3, "added": "2.0-IV0",\n      "about": "" }',
    )
    assert with_version(found, 3, None) == TEXT.replace("1-2", "1-3")
    # Without entries, nobody keeps a history.
    for history in ('"history": [],', "", '"history": {},'):
        start, end = TEXT.index('"history"'), TEXT.index('  "fields"')
        text = TEXT[:start] + history + "\n" + TEXT[end:]
        without = read_kafka(text.encode(), "Foo.json", strict=False)
        assert with_version(without, 3, "2.0-IV0") == text.replace("1-2", "1-3")


def test_a_text_in_another_layout_keeps_it() -> None:
    text = '{"type": "data", "name":"Foo", "validVersions": "0", "history":[{"version":0}], "fields": []}'
    found = read_kafka(text.encode(), "Foo.json")
    assert with_version(found, 1, "1.0") == text.replace('"0"', '"0-1"').replace(
        '{"version":0}', '{"version":0}, { "version": 1, "added": "1.0", "about": "" }'
    )
