"""Edits of a spec's text: one value changes, and everything else stays as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.reading.editing import TextEdit, append, apply, set_key
from wirebook.specs.syntax.jsontext import JsonArray, JsonObject, parse_json

SPEC = """{
  "apiKey": 900, // the next free one
  "validVersions": "0-2", // until further notice
  /* flexible from the start */
  "flexibleVersions": "0+",
  "history": [
    { "version": 0, "added": "1.0",
      "about": "The first." },
    { "version": 1, "added": "1.1",
      "about": "Adds Name." } // the newest
  ],
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+", "tag": 0, // reserved
      "about": "The id." }
  ]
}
"""


def root(text: str) -> JsonObject:
    value = parse_json(text, "x.json").value
    assert isinstance(value, JsonObject)
    return value


def element(text: str, key: str, number: int) -> JsonObject:
    array = root(text)[key]
    assert isinstance(array, JsonArray)
    value = array[number]
    assert isinstance(value, JsonObject)
    return value


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_value_is_replaced_where_it_stands(newline: str) -> None:
    text = SPEC.replace("\n", newline)
    changed = apply(text, set_key(text, root(text), "validVersions", "0-3", "apiKey"))
    assert changed == text.replace('"0-2"', '"0-3"')


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_key_among_others_on_a_line_is_written_behind_them(newline: str) -> None:
    text = SPEC.replace("\n", newline)
    field = element(text, "fields", 0)
    changed = apply(text, set_key(text, field, "nullableVersions", "0+", "versions"))
    assert changed == text.replace(
        '"versions": "0+", "tag"', '"versions": "0+", "nullableVersions": "0+", "tag"'
    )
    changed = apply(text, set_key(text, field, "mapKey", True, "about"))
    assert changed == text.replace('"The id." }', '"The id.", "mapKey": true }')


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_key_on_a_line_of_its_own_gets_the_next_line(newline: str) -> None:
    text = SPEC.replace("\n", newline)
    changed = apply(text, set_key(text, root(text), "deprecatedVersions", "0", "validVersions"))
    line = '  "validVersions": "0-2", // until further notice'
    assert changed == text.replace(line, f'{line}{newline}  "deprecatedVersions": "0",')


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_element_is_added_behind_the_last_and_its_comment(newline: str) -> None:
    text = SPEC.replace("\n", newline)
    history = root(text)["history"]
    assert isinstance(history, JsonArray)
    changed = apply(
        text, append(text, history, [{"version": 2, "added": "1.2", "about": ""}, {"version": 3}])
    )
    old = '"Adds Name." } // the newest'
    entries = [
        '"Adds Name." }, // the newest',
        '{ "version": 2, "added": "1.2", "about": "" },',
        '{ "version": 3 }',
    ]
    new = f"{newline}    ".join(entries)
    assert changed == text.replace(old, new)


def test_elements_on_one_line_stay_on_one_line() -> None:
    text = '{ "listeners": ["broker"], "fields": [] }'
    listeners, fields = root(text)["listeners"], root(text)["fields"]
    assert isinstance(listeners, JsonArray)
    assert isinstance(fields, JsonArray)
    edits = [
        *append(text, listeners, ["controller"]),
        *append(text, fields, [{"name": "Id", "versions": ["0"]}]),
    ]
    assert apply(text, edits) == (
        '{ "listeners": ["broker", "controller"], "fields": [{ "name": "Id", "versions": ["0"] }] }'
    )


def test_edits_that_contradict_each_other_are_refused() -> None:
    assert apply("abcd", [TextEdit(1, 2, "x"), TextEdit(1, 2, "x"), TextEdit(3, 4, "")]) == "axc"
    with pytest.raises(ValueError, match="characters 1 to 3"):
        apply("abcd", [TextEdit(0, 3, "x"), TextEdit(1, 2, "y")])


@given(
    st.recursive(
        st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
        ),
        max_leaves=8,
    ).map(lambda value: {"first": value, "list": [value], "last": value}),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(["first", "list", "last"]),
    st.sampled_from(["first", "added"]),
)
def test_the_edited_text_has_the_new_value_and_all_others(
    document: dict[str, object], indent: int | None, after: str, key: str
) -> None:
    text = json.dumps(document, indent=indent)
    value = {"version": 7, "about": 'a "quoted" one'}
    expected = {**document, key: value, "list": [*document["list"], value]}  # type: ignore[misc]
    top = root(text)
    array = top["list"]
    assert isinstance(array, JsonArray)
    changed = apply(text, set_key(text, top, key, value, after))
    assert json.loads(changed) == {**document, key: value}
    array = root(changed)["list"]
    assert isinstance(array, JsonArray)
    assert json.loads(apply(changed, append(changed, array, [value]))) == expected
