"""Places in texts, and the words for unusable input."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.problems import InputError, Lines, Position, Problem, ProblemKind, unusable_json


@given(st.text("ab\n\r", max_size=20), st.data())
def test_a_place_is_counted_from_one(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = Lines(text)
    at = lines.position(offset)
    before = text[:offset].split("\n")
    assert at == (len(before), len(before[-1]) + 1)
    assert lines.offset(at) == offset
    again = pickle.loads(pickle.dumps(lines))
    assert (again.text, again.position(offset)) == (text, at)


@pytest.mark.parametrize(
    ("path", "position", "words"),
    [
        (None, None, "wrong"),
        (None, Position(1, 2), "wrong"),
        ("a.json", None, "a.json: wrong"),
        ("a.json", Position(1, 2), "a.json:1:2: wrong"),
    ],
)
def test_an_error_has_its_place(path: str | None, position: Position | None, words: str) -> None:
    error = InputError("wrong", path, position)
    assert str(error) == words
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.path, again.position) == ("wrong", path, position)


def test_a_problem_names_where_the_key_was_first() -> None:
    problem = Problem(ProblemKind.DUPLICATE_KEY, "error", "twice", "a.json", Position(3, 4), "key")
    assert str(problem) == "a.json:3:4: error: twice"
    assert str(problem._replace(earlier=Position(1, 2))) == "a.json:3:4: error: twice (first in line 1)"


def raised(text: bytes) -> Exception:
    """The error of code that reads a document with a table."""
    try:
        json.loads(text)["table"].items()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return error
    raise AssertionError("the document is right")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"{}", '"table" is missing'),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"\xff", "it is not UTF-8"),
        (b"[]", "a value has the wrong type"),
        (b'{"table": 5}', "a value has the wrong type"),
        (b"", "Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_why_a_document_cannot_be_used(text: bytes, words: str) -> None:
    assert unusable_json(raised(text)) == words
