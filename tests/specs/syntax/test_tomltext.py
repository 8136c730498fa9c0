"""TOML with places: every key is found where it stands, and what is no TOML is told with its line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wirebook.specs.limits import MAX_KEY_PARTS
from wirebook.specs.problems import InputError
from wirebook.specs.syntax.tomltext import KeyPath, hint, read_toml

TEXT = '''# a comment with [brackets] and key = 1
plain = "a # b [c]"  # [x]
"quoted key" . 'other' = """
[not] = a head
\\"""" # after
[a.b]
list = [
  1, # one
  { x = 1, y.z = [2, '"'] },
]
[[a.c]]
first = 1979-05-27 07:32:00
[[a.c]]
second = '''
TEXT += "'''\nstring '' '''''\n[a.c.d]\ndeep = true\r\n"


def keys(value: Any, above: KeyPath = ()) -> Iterator[KeyPath]:
    """The keys of every table below a value, those of arrays by index."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*above, key)
        yield from keys(inner, (*above, key))


def test_every_key_is_placed() -> None:
    document = read_toml(TEXT, "x.toml")
    assert document.data == tomllib.loads(TEXT)
    lines = {key: position.line for key, position in document.places.items()}
    assert lines[("plain",)] == 2
    assert lines[("quoted key", "other")] == 3
    assert lines[("a", "b")] == 6
    assert lines[("a", "b", "list", 0)] == 8
    assert lines[("a", "b", "list", 1, "y", "z")] == 9
    assert [lines[("a", "c", number)] for number in (0, 1)] == [11, 13]
    assert lines[("a", "c", 1, "second")] == 14
    assert lines[("a", "c", 1, "d", "deep")] == 17
    assert document.at("a", "c", 1, "second", "nothing") == document.at("a", "c", 1, "second")
    assert document.at("nowhere") is None


NAMES = st.sampled_from(["a", "b-c", "d_1", '"q.q"', "'l l'", '"\\u0041"', '""'])
SCALARS = ["1", "-1.5e3", "true", "1979-05-27 07:32:00Z"]
STRINGS = ['"t]}#,"', "'\"'", '"\\\\"', '"""x"\n""""', "'''y'\n'''"]
VALUES = st.recursive(
    st.sampled_from(SCALARS + STRINGS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[ " + " ,# c ]\n ".join(items) + "\n]"),
        st.dictionaries(st.sampled_from(["x", "y.z", '"w,"']), inner, max_size=3).map(
            lambda items: "{" + " , ".join(f"{key} = {value}" for key, value in items.items()) + "}"
        ),
    ),
    max_leaves=5,
)
PAIRS = st.tuples(NAMES, VALUES).map(" = ".join)
HEADS = st.one_of(NAMES.map("[{}]".format), NAMES.map("[[ {} ]]".format), NAMES.map("[[ x . {}]]".format))


@given(st.lists(st.one_of(PAIRS, HEADS, st.just("# c = [")), max_size=8).map("\n".join))
@example("a = [ [ ] , { } ]")
def test_whatever_is_toml_is_placed(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(InputError):
            read_toml(text, "x")
        return
    document = read_toml(text, "x")
    assert document.data == data
    assert set(keys(data)) == set(document.places)


@given(st.one_of(st.text(), st.binary()))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        document = read_toml(text, "x")
    except InputError as error:
        told = str(error)
        assert told.startswith("x:")
        assert told.isprintable()
    else:
        assert set(keys(document.data)) == set(document.places)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\nb = = 2\n", "x:2:5: this is not TOML: invalid value"),
        ("a = 1\na = 2", "x:2:"),
        ("a = [", "x:1:6: this is not TOML"),
        (b"a = 1\nb = '\xff'", "x: line 2 is not UTF-8"),
        ("a = " + "[" * 100_000, "x: this is nested too deeply"),
        ("a = " + "9" * 10_000, "x: this is not TOML"),
        ("a = '\x1b[2J'", "x:1:"),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(text: str | bytes, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read_toml(text, "x")
    assert str(caught.value).startswith(told)
    assert str(caught.value).isprintable()


def test_a_byte_order_mark_and_windows_lines_are_read() -> None:
    document = read_toml(b"\xef\xbb\xbfa = 1\r\n[b]\r\nc = 2\r\n", "x")
    assert document.data == {"a": 1, "b": {"c": 2}}
    at = document.at("b", "c")
    assert at is not None
    assert (at.line, at.column) == (3, 1)


@pytest.mark.parametrize("part", ["a", '"b"', "'c'", "d "])
def test_a_key_has_at_most_a_hundred_parts(part: str) -> None:
    key = ".".join([part] * MAX_KEY_PARTS)
    assert read_toml(f"x = 1\n{key} = 1", "x").data
    with pytest.raises(InputError) as caught:
        read_toml(f"x = 1\n{key}.{part} = 1", "x")
    assert str(caught.value) == f"x:2:1: a key of more than {MAX_KEY_PARTS} parts"


@pytest.mark.parametrize(
    ("word", "words"),
    [("colour", 'did you mean "color"?'), ("zzz", "there are color, size"), ("siez", 'did you mean "size"?')],
)
def test_an_unknown_word_has_a_hint(word: str, words: str) -> None:
    assert hint(word, ["color", "size"]) == words
    document = read_toml(f"[t]\n{word} = 1", "x")
    error = document.unknown(word, ["color", "size"], "t")
    assert str(error) == f'x:2:1: there is no key "{word}" here; {words}'


@pytest.mark.parametrize(
    "text", [r'"a\u0000b"', r'"""\U00000000"""', r'["a", "\u0000"]', r'[{ b = "\u0000" }]']
)
def test_no_setting_has_a_null_character(text: str) -> None:
    document = read_toml(f"x = 1\n[tool.wirebook]\na = {text}", "x")
    with pytest.raises(InputError) as caught:
        document.refuse_null(document.data["tool"], "tool")
    assert str(caught.value).startswith("x:3:")
    assert caught.value.message == "no setting contains the null character U+0000"
    document.refuse_null({"a": r"\u0000", "b": [1, None]})
