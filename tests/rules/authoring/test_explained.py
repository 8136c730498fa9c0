"""Settings with every key explained."""

from __future__ import annotations

import tomllib

import pytest

from wirebook.rules.authoring.explained import explained, toml

SCHEMA = {
    "properties": {
        "table": {"description": "A table.", "examples": [{"a": 1, "b": ["x"]}]},
        "word": {"description": "A word.", "default": "plain", "examples": ["other"]},
        "list": {"description": "A list.", "default": [], "examples": [["a", "b"]]},
        "tables": {"description": "Tables.", "examples": [[{"name": "x"}, {"name": "y"}]]},
        "flag": {"description": "A flag.", "default": False, "examples": [True]},
        "number": {"description": "A number.", "default": 0, "examples": [1]},
        "none": {"description": "None.", "default": None, "examples": ["z"]},
    }
}


def test_every_key_is_explained_and_tables_come_last() -> None:
    assert explained(SCHEMA, {}).split("\n\n") == [
        '# A word.\n# word = "plain"',
        '# A list.\n# list = ["a", "b"]',
        "# A flag.\n# flag = false",
        "# A number.\n# number = 0",
        '# None.\n# none = "z"',
        '# A table.\n# [table]\n# a = 1\n# b = ["x"]',
        '# Tables.\n# [[tables]]\n# name = "x"\n# [[tables]]\n# name = "y"\n',
    ]


def test_keys_that_are_given_have_effect() -> None:
    text = explained(SCHEMA, {"word": "ours", "list": [], "tables": [{"name": "z"}], "table": {"a": True}})
    assert tomllib.loads(text) == {
        "word": "ours",
        "list": [],
        "tables": [{"name": "z"}],
        "table": {"a": True},
    }
    assert '# A word.\nword = "ours"\n' in text


@pytest.mark.parametrize(("words", "lines"), [(49, 1), (50, 2), (98, 2), (99, 3)])
def test_a_description_is_wrapped_at_a_hundred_characters(words: int, lines: int) -> None:
    text = explained({"properties": {"a": {"description": " ".join("x" * words), "default": "y"}}}, {})
    shown = text.splitlines()[:-1]
    assert len(shown) == lines
    assert max(map(len, shown)) <= 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é\t", '"é\\t"'),
        (True, "true"),
        (7, "7"),
        ([], "[]"),
        (["a", 1], '["a", 1]'),
        ({"a": 1, "b": [{"c": "d"}]}, '{ a = 1, b = [{ c = "d" }] }'),
    ],
)
def test_a_value_is_one_line_of_toml(value: object, text: str) -> None:
    assert toml(value) == text
    assert tomllib.loads(f"x = {text}") == {"x": value}
