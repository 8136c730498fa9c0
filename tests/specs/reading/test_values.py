"""Loose and wrong values: what is read of each, and the words, the severity and the place of its problem."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions

BASE: dict[str, Any] = {
    "apiKey": 7, "type": "request", "name": "FooRequest", "validVersions": "0-3", "flexibleVersions": "2+",
    "fields": [{"name": "A", "type": "int32", "versions": "0+"}],
}  # fmt: skip


def read(text: str) -> tuple[Message, list[tuple[str, str, str, int, int]]]:
    """A message, and its problems without the path: kind, severity, words, line and column."""
    message = read_message(text, "x.json", strict=False)
    return message, [
        (str(each.kind), each.severity, each.message, each.position.line, each.position.column)
        for each in message.problems
    ]


def written(**changes: Any) -> str:
    return json.dumps(BASE | changes, indent=1)


def field(**changes: Any) -> str:
    return written(fields=[BASE["fields"][0] | changes])


def value_at(text: str, key: str) -> tuple[int, int]:
    """The line and the column of the last value with this key."""
    line = max(at for at, each in enumerate(text.split("\n")) if f'"{key}": ' in each)
    return line + 1, text.split("\n")[line].index(": ") + 3


@pytest.mark.parametrize(
    ("key", "given", "value", "severity", "words"),
    [
        ("tag", 0, 0, "", ""),
        ("tag", 2**31 - 1, 2**31 - 1, "", ""),
        ("tag", 2**31, None, "unusable", "number-out-of-range: must be between 0 and 2147483647"),
        ("tag", -1, None, "unusable", "number-out-of-range: must be between 0 and 2147483647"),
        ("tag", "5", 5, "warning", "wrong-type: is a string; write 5 without quotes"),
        ("tag", "1" * 20, None, "unusable", "wrong-type: must be a whole number, not a string"),
        ("tag", "٣", None, "unusable", "wrong-type: must be a whole number, not a string"),
        ("tag", "-1", None, "unusable", "wrong-type: must be a whole number, not a string"),
        ("tag", "", None, "unusable", "wrong-type: must be a whole number, not a string"),
        ("tag", True, None, "unusable", "wrong-type: must be a whole number, not true or false"),
        ("tag", 1.0, None, "unusable", "wrong-type: must be a whole number, not a number"),
        ("tag", None, None, "unusable", "wrong-type: must be a whole number, not null"),
        ("tag", {}, None, "unusable", "wrong-type: must be a whole number, not an object"),
        ("tag", [], None, "unusable", "wrong-type: must be a whole number, not an array"),
        ("ignorable", True, True, "", ""),
        ("ignorable", "true", True, "warning", "wrong-type: is a string; write true without quotes"),
        ("ignorable", "false", False, "warning", "wrong-type: is a string; write false without quotes"),
        ("ignorable", "True", False, "unusable", "wrong-type: must be true or false, not a string"),
        ("ignorable", 0, False, "unusable", "wrong-type: must be true or false, not a whole number"),
        ("ignorable", None, False, "unusable", "wrong-type: must be true or false, not null"),
        ("about", "x", "x", "", ""),
        ("about", 5, "", "unusable", "wrong-type: must be a string, not a whole number"),
        ("about", None, "", "unusable", "wrong-type: must be a string, not null"),
        ("name", "", "", "unusable", "empty-value: is empty"),
        ("name", 5, "", "unusable", "wrong-type: must be a string, not a whole number"),
        ("versions", "1-2", Versions(1, 2), "", ""),
        ("versions", 0, Versions(0, 0), "warning", 'wrong-type: is a number; write "0"'),
        ("versions", 32767, Versions(32767, 32767), "warning", 'wrong-type: is a number; write "32767"'),
        ("versions", 32768, None, "unusable",
         "wrong-type: must be a version range in quotes, not a whole number"),
        ("versions", -1, None, "unusable",
         "wrong-type: must be a version range in quotes, not a whole number"),
        ("versions", False, None, "unusable",
         "wrong-type: must be a version range in quotes, not true or false"),
        ("nullableVersions", [], Versions.NONE, "unusable",
         "wrong-type: must be a version range in quotes, not an array"),
        ("fields", [], (), "", ""),
        ("fields", {}, (), "unusable", "wrong-type: must be an array, not an object"),
        ("fields", None, (), "unusable", "wrong-type: must be an array, not null"),
        ("default", [1], None, "unusable",
         "wrong-type: must be a string, a number, true, false or null, not an array"),
        ("default", {}, None, "unusable",
         "wrong-type: must be a string, a number, true, false or null, not an object"),
        ("default", 1.5, 1.5, "", ""),
    ],
)  # fmt: skip
def test_a_value_of_a_field(key: str, given: object, value: object, severity: str, words: str) -> None:
    text = field(**{key: given})
    message, problems = read(text)
    names = {"nullableVersions": "nullable_versions"}
    found = getattr(message.fields[0], names.get(key, key))
    assert (type(found), found) == (type(value), value)
    kind, _, rest = words.partition(": ")
    line, column = value_at(text, key) if key != "fields" else value_at(text.partition("[")[2], key)
    if key == "fields":
        line += text.partition("[")[0].count("\n")
    assert problems == ([(kind, severity, f'"{key}" {rest}', line, column)] if words else [])


def test_digits_in_quotes_are_a_number_even_if_it_is_too_large() -> None:
    _, problems = read(field(tag="1" * 19))
    assert [words for _, _, words, _, _ in problems] == [
        f'"tag" is a string; write {"1" * 19} without quotes',
        '"tag" must be between 0 and 2147483647',
    ]


@pytest.mark.parametrize(
    ("given", "value", "problems"),
    [
        ({"0-1": "0", "2+": "1"}, [("0-1", 0), ("2+", 1)], []),
        ({"2+": "1", "0-1": "0"}, [("0-1", 0), ("2+", 1)], []),
        ({"0": 1}, [("0", 1)], [("wrong-type", "warning", '"0" is a number; write "1"', 7, 8)]),
        ({"0": 0}, [("0", 0)], [("wrong-type", "warning", '"0" is a number; write "0"', 7, 8)]),
        ({"0": 32767}, [("0", 32767)], [("wrong-type", "warning", '"0" is a number; write "32767"', 7, 8)]),
        ({"0": " 1 "}, [("0", 1)], []),
        ({"0": "32767"}, [("0", 32767)], []),
        ({"0": "32768"}, [], [("number-out-of-range", "unusable", '"0" must be between 0 and 32767', 7, 8)]),
        ({"0": "1" * 19}, [], [("number-out-of-range", "unusable", '"0" must be between 0 and 32767', 7, 8)]),
        (
            {"0": "1" * 20},
            [],
            [("wrong-type", "unusable", '"0" must be a whole number in quotes, not a string', 7, 8)],
        ),
        (
            {"0": 32768},
            [],
            [("wrong-type", "unusable", '"0" must be a whole number in quotes, not a whole number', 7, 8)],
        ),
        (
            {"0": -1},
            [],
            [("wrong-type", "unusable", '"0" must be a whole number in quotes, not a whole number', 7, 8)],
        ),
        (
            {"0": True},
            [],
            [("wrong-type", "unusable", '"0" must be a whole number in quotes, not true or false', 7, 8)],
        ),
        ({"none": "1"}, [], [("bad-version-range", "unusable", '"none" contains no version', 7, 3)]),
        ({"2-1": "1"}, [], [("bad-version-range", "unusable", '"2-1" ends before it begins', 7, 3)]),
        ([], None, [("wrong-type", "unusable", '"headerVersions" must be an object, not an array', 6, 20)]),
    ],
)
def test_the_header_versions_of_a_message(
    given: object, value: list[tuple[str, int]] | None, problems: list[object]
) -> None:
    head = {key: item for key, item in BASE.items() if key not in ("fields", "flexibleVersions")}
    message, found = read(json.dumps({**head, "headerVersions": given}, indent=1))
    ranges = message.header_versions
    assert (ranges and [(str(each.versions), each.header) for each in ranges]) == (
        value if value is None else value or ()
    )
    assert found == problems


def test_elements_and_words_of_another_type_have_their_place() -> None:
    text = (
        '{"name": "A", "type": "data", "validVersions": "0",\n "fields": [{}, 5,\n  "x"], "listeners": [1]}'
    )
    _, problems = read(text)
    assert problems == [
        ("missing-key", "unusable", 'this field has no "name"', 2, 13),
        ("missing-key", "unusable", 'this field has no "type"', 2, 13),
        ("missing-key", "unusable", 'this field has no "versions"', 2, 13),
        ("wrong-type", "unusable", "a field is an object", 2, 17),
        ("wrong-type", "unusable", "a field is an object", 3, 3),
        ("wrong-type", "unusable", '"listeners" must be an array of texts, not an array', 3, 22),
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("flexibleversions", '; did you mean "flexibleVersions"?'),
        ("flexible_versions", '; did you mean "flexibleVersions"?'),
        ("flexible-versions", '; did you mean "flexibleVersions"?'),
        ("api_key", '; did you mean "apiKey"?'),
        ("stability", ""),
        ("validVersions" + "x" * 27, ""),
        ("flexibleVersions" * 3, ""),
    ],
)
def test_an_unknown_key_has_a_hint(key: str, hint: str) -> None:
    message, problems = read(written(**{key: 1}))
    assert problems == [("unknown-key", "warning", f'a message has no key "{key}"{hint}', 14, 2)]
    assert message.written.unknown == {key: 1}


def test_keys_for_other_tools_are_kept_and_not_reported() -> None:
    message, problems = read(written(**{"x-owner": {"a": 1}, "xowner": 2}))
    assert message.written.unknown == {"x-owner": {"a": 1}, "xowner": 2}
    assert [words for _, _, words, _, _ in problems] == ['a message has no key "xowner"']


def test_repeated_keys_are_found_in_every_object() -> None:
    text = """{"name": "A", "type": "data", "validVersions": "0", "type": "data",
"x-a": [{"b": 1, "b": {"c": 1,
"c": 2}}],
"headerVersions": {"0": "1", "0": "1"},
"history": [{"version": 0, "fields": {"A": "1.0", "A": "1.0"}}]}"""
    message = read_message(text, "x.json", strict=False)
    assert [(each.message, each.position, each.earlier) for each in message.problems] == [
        ('the key "type" is repeated', (1, 53), (1, 15)),
        ('the key "b" is repeated', (2, 18), (2, 10)),
        ('the key "c" is repeated', (3, 1), (2, 24)),
        ('the key "0" is repeated', (4, 30), (4, 20)),
        ('the key "A" is repeated', (5, 51), (5, 39)),
    ]
    assert str(message.problems[0]) == 'x.json:1:53: error: the key "type" is repeated (first in line 1)'


@pytest.mark.parametrize("text", ['{"x": 1}', '{"type": "request", "apiKey": 1}'])
def test_an_object_with_nothing_of_a_spec_is_none(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_message(f"// x\n{text}", "x.json", strict=False)
    assert str(caught.value) == (
        'x.json:2:1: this is not a message spec: it has neither "name", "validVersions" nor "fields"'
    )


@pytest.mark.parametrize("key", ["name", "validVersions", "fields"])
def test_one_key_of_a_spec_makes_one(key: str) -> None:
    message, problems = read(json.dumps({key: BASE[key]}))
    missing = [each for each in ("name", "type", "validVersions") if each != key]
    assert [words for _, _, words, _, _ in problems] == [f'this message has no "{each}"' for each in missing]
    assert message.name == ("FooRequest" if key == "name" else "")


@pytest.mark.parametrize(
    ("tagged", "problem"),
    [("2+", False), ("none", True), (" none ", True), (..., True)],
)
def test_a_field_needs_versions_unless_it_is_tagged(tagged: Any, problem: bool) -> None:
    given = {"name": "A", "type": "int8", "tag": 0} | ({} if tagged is ... else {"taggedVersions": tagged})
    _, problems = read(written(fields=[given]))
    assert [words for _, _, words, _, _ in problems] == ['this field has no "versions"'] * problem


def test_the_version_of_a_history_entry_is_needed_once() -> None:
    entries = [{"version": 0, "added": "", "removed": "3.0"}, {"version": -1}, {"version": "2"}, {}]
    message, problems = read(written(history=entries))
    assert [words for _, _, words, _, _ in problems] == [
        '"version" must be between 0 and 32767',
        '"version" is a string; write 2 without quotes',
        'this history entry has no "version"',
    ]
    assert [each.version for each in message.history] == [0, 0, 2, 0]
    assert (message.history[0].added, message.history[0].removed, message.history[0].stable) == (
        None,
        "3.0",
        None,
    )
