"""JSON with comments: the same values as the standard reader, the right places, clear refusals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.jsontext import (
    JsonDocument,
    JsonObject,
    JsonPlaces,
    paragraphs,
    parse_json,
)
from wirebook.specs.limits import MAX_NESTING
from wirebook.specs.problems import InputError, Position

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


def read(text: str | bytes) -> object:
    return parse_json(text, "x.json").value


def outermost(document: JsonDocument) -> JsonPlaces:
    assert isinstance(document.value, JsonObject)
    return document.lines.object(document.value.number)


@given(values, st.sampled_from([None, 1, 4]), st.booleans())
def test_reads_what_the_standard_reader_reads(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read(text) == json.loads(text)


@given(values)
def test_comments_between_tokens_change_nothing(value: object) -> None:
    lines = json.dumps(value, indent=1, ensure_ascii=True).split("\n")
    commented = "// first\n" + '\n // between "{\n'.join(lines) + "\n/* last\n */"
    assert read(commented) == value


@given(values)
def test_every_cut_is_refused_with_a_place_inside_the_text(value: object) -> None:
    text = json.dumps({"a": value}, indent=1)
    for end in range(0, len(text), max(1, len(text) // 20)):
        with pytest.raises(InputError) as caught:
            read(text[:end])
        assert caught.value.position is not None
        assert caught.value.position.line <= text[:end].count("\n") + 1


def test_knows_the_place_of_every_key_and_value() -> None:
    document = parse_json('{\n  "a": [1,\n    {"é": 2}]\n}', "x.json")
    outer, place = outermost(document), document.lines.position
    assert place(outer.offset) == Position(1, 1)
    assert place(outer.keys_at["a"]) == Position(2, 3)
    array = outer.inner["a"]
    assert [place(offset) for offset in array.values_at.values()] == [
        Position(2, 9),
        Position(3, 5),
    ]
    assert place(array.inner[1].values_at["é"]) == Position(3, 11)


def test_comments_belong_to_what_follows_unless_they_share_its_line() -> None:
    text = """// licence
{
  // about a
  "a": 1, // still a
  // about b
  //
  // more of b

  // and again
  "b": [ // before one
    1, // after one
    // before two
    2
  ]
  // at the end
}"""
    document = parse_json(text, "x.json")
    outer = outermost(document)
    about = ("about a\nstill a", "about b", "more of b", "and again", "at the end")
    assert paragraphs(outer.comments) == about


def test_the_last_of_a_repeated_key_counts_and_its_place_is_kept() -> None:
    document = parse_json('{"a": 1, "b": 2, "a": 3}', "x.json")
    assert document.value == {"a": 3, "b": 2}
    assert outermost(document).duplicates == [("a", 17)]


def test_text_after_the_value_is_found_not_fatal() -> None:
    assert parse_json("{} \n }", "x.json").rest == 5
    assert parse_json("{} // only a comment\n", "x.json").rest is None


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "expecting value"),
        ('{"a" 1}', 1, 6, "expecting ':'"),
        ('{"a": 1 "b": 2}', 1, 9, "expecting ','"),
        ("[NaN]", 1, 2, "unexpected NaN"),
        ("{'a': 1}", 1, 2, "in double quotes"),
        ('["a\nb"]', 1, 4, "control character"),
        (r'["\ud800"]', 1, 3, "surrogate"),
        ("/* open", 1, 1, "expecting value"),
        ("[" + "9" * 5000 + "]", 1, 1, "too long"),
    ],
)
def test_says_where_and_why(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert (caught.value.position, words in caught.value.message) == (Position(line, column), True)


def test_ten_thousand_levels_are_refused_and_a_hundred_are_read() -> None:
    with pytest.raises(InputError, match=f"more than {MAX_NESTING} levels") as caught:
        read("[" * 10_000 + "]" * 10_000)
    assert caught.value.position == Position(1, MAX_NESTING + 1)
    assert read("[" * MAX_NESTING + "]" * MAX_NESTING)


def test_bytes_that_are_not_utf8_are_placed() -> None:
    with pytest.raises(InputError) as caught:
        read('{"é": "'.encode() + b'\n\xff"}')
    assert str(caught.value) == "x.json:2:1: byte 0xff is not UTF-8"


def test_a_byte_order_mark_is_refused() -> None:
    with pytest.raises(InputError, match=r"^x.json:1:1: the text begins with a byte-order mark"):
        parse_json(b"\xef\xbb\xbf{}", "x.json")


def test_windows_line_ends() -> None:
    document = parse_json('{\r\n  // note\r\n  "a": 1\r\n}\r\n', "x.json")
    outer = outermost(document)
    assert paragraphs(outer.comments) == ("note",)
    assert document.lines.position(outer.keys_at["a"]) == Position(3, 3)
