"""headerVersions (KIP-1313): the header that a spec declares for its versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.specs.layout import layout
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message


def spec(headers: object, **more: Any) -> str:
    made = {
        "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-3",
        "flexibleVersions": "2+", "headerVersions": headers, "fields": [],
    } | more  # fmt: skip
    return json.dumps(made)


def headers(text: str) -> list[int | None]:
    message = read_message(text, "Foo.json")
    return [layout(message, version).header_version for version in message.valid_versions]


def test_a_layout_has_the_header_that_the_spec_declares() -> None:
    assert headers(spec({"0": "1", "1-2": "2", "3+": "3"})) == [1, 2, 2, 3]


def test_without_the_key_the_header_follows_from_the_flexible_versions() -> None:
    text = json.loads(spec({}))
    del text["headerVersions"]
    assert headers(json.dumps(text)) == [1, 1, 2, 2]
    assert read_message(json.dumps(text), "Foo.json").header_versions is None


def test_a_version_that_no_range_covers_has_the_header_that_follows() -> None:
    assert headers(spec({"0-1": "0"})) == [0, 0, 2, 2]


def test_a_message_without_a_header_gets_none_by_the_key() -> None:
    assert headers(spec({"0+": "1"}, type="data")) == [None] * 4
    assert read_message(spec({"0+": "1"}, type="header"), "Foo.json").header_of(0) is None


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"3 +": "1"}, "3 +"),
        ({"none": "1"}, '"none" contains no version'),
        ({"0+": "x"}, '"0+" must be a whole number in quotes, not a string'),
        ({"0+": "40000"}, '"0+" must be between 0 and 32767'),
        ([], '"headerVersions" must be an object, not an array'),
    ],
)
def test_a_value_of_another_form_is_one_clear_line(value: object, what: str) -> None:
    with pytest.raises(InputError, match=r"^Foo\.json:1:\d+: ") as caught:
        read_message(spec(value), "Foo.json")
    assert what in str(caught.value)
