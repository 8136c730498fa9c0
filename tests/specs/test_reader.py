"""From text to model: every form that ever stood in a real spec, and everything loose reported."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

import pytest

from tests.specs.released_specs import texts_of_history
from tests.support import needs_shared
from wirebook.docgen.catalog.spec_texts import SpecText
from wirebook.specs.layout import layouts
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message
from wirebook.specs.versions import Versions


def spec(**changes: Any) -> str:
    """A small right spec with some keys set, or left out where the value is None-like `...`."""
    node: dict[str, Any] = {
        "apiKey": 7,
        "type": "request",
        "name": "FooRequest",
        "validVersions": "0-3",
        "flexibleVersions": "2+",
        "fields": [{"name": "A", "type": "int32", "versions": "0+"}],
    }
    node |= changes
    return json.dumps({key: value for key, value in node.items() if value is not ...}, indent=2)


def field(**changes: Any) -> str:
    node: dict[str, Any] = {"name": "A", "type": "int32", "versions": "0+"}
    node |= changes
    return spec(fields=[{key: value for key, value in node.items() if value is not ...}])


def read(text: str | bytes, strict: bool = True) -> Message:
    return read_message(text, "Foo.json", strict=strict)


def codes(message: Message) -> list[tuple[str, str]]:
    return [(problem.kind, problem.severity) for problem in message.problems]


def test_reads_a_whole_message_as_written() -> None:
    text = """// licence
{
  "apiKey": 1, "type": "request", "listeners": ["controller", "broker"], "name": "FooRequest",
  // Version 1 adds B.
  "validVersions": "0-1", "flexibleVersions": "1+", "deprecatedVersions": "0",
  "latestVersionUnstable": true,
  "commonStructs": [{"name": "S", "versions": "0+", "fields": []}],
  "fields": [
    // The first.
    {"name": "B", "type": "[]S", "versions": "0+", "nullableVersions": "1+", "taggedVersions": "1+", "tag": 3,
     "default": "null", "ignorable": true, "about": "words"},
    {"name": "C", "type": "string", "versions": "0+", "mapKey": true, "entityType": "topicName",
     "flexibleVersions": "none", "zeroCopy": true}
  ],
  "history": [{"version": 0, "added": "0.8.0", "removed": "4.0-IV3", "about": "The first."}]
}"""
    message = read(text)
    assert message.problems == ()
    assert (message.api_key, message.api, message.listeners) == (1, "Foo", ("controller", "broker"))
    assert message.identity == ("request", 1)
    assert message.deprecated_versions == Versions(0, 0)
    assert message.latest_version_unstable
    assert message.written.comments == ("Version 1 adds B.",)
    first, second = message.fields
    assert (first.tag, first.tagged_versions, first.nullable_versions) == (
        3,
        Versions.parse("1+"),
        Versions.parse("1+"),
    )
    assert (first.default, first.has_default, first.ignorable, first.about) == (
        "null",
        True,
        True,
        "words",
    )
    assert (first.is_array, first.element, first.is_struct) == (True, "S", True)
    assert first.written.comments == ("The first.",)
    assert first.written.at("tag").line == 10
    assert (second.map_key, second.entity_type, second.zero_copy) == (True, "topicName", True)
    assert second.flexible_versions == Versions.NONE
    assert message.structs.get("S") is not None
    assert (message.history[0].removed, message.history[0].about) == ("4.0-IV3", "The first.")


def test_history_names_fields_that_joined_late() -> None:
    entry = {"version": 2, "added": "2.4-IV1", "fields": {"A.B": "2.7-IV2"}}
    assert read(spec(history=[entry])).history[0].fields == {"A.B": "2.7-IV2"}
    for wrong in cast("list[object]", [[], {"A": 1}]):
        with pytest.raises(InputError, match=r"Foo\.json:\d+:\d+: .* must be a"):
            read(spec(history=[entry | {"fields": wrong}]))


# The facts of reference/spec-format.md that are worth a test each.


def test_texts_for_numbers_and_booleans_are_read_and_reported() -> None:
    message = read(field(tag="3", taggedVersions="2+", ignorable="false", mapKey="true"))
    only = message.fields[0]
    assert (only.tag, only.ignorable, only.map_key) == (3, False, True)
    assert codes(message) == [("wrong-type", "warning")] * 3
    loose = read(spec(latestVersionUnstable="true", apiKey="7"))
    assert (loose.latest_version_unstable, loose.api_key) == (True, 7)
    assert codes(loose) == [("wrong-type", "warning")] * 2


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("int32", -1, -1),
        ("int32", "0x10", 16),
        ("int64", "-1", -1),
        ("bool", True, True),
        ("bool", "false", False),
        ("float64", 1.5, 1.5),
        ("[]int32", None, []),
        ("string", "null", None),
        ("string", "none", "none"),
    ],
)
def test_defaults_of_every_json_type(kind: str, default: object, value: object) -> None:
    message = read(
        field(type=kind, default=default, nullableVersions="0+" if kind == "string" else "none")
    )
    assert message.problems == ()
    assert layouts(message)[0].fields[0].default == value


def test_json_null_is_no_default_and_not_the_text_null() -> None:
    none = read(field(type="[]int32", nullableVersions="0+", default=None)).fields[0]
    text = read(field(type="[]int32", nullableVersions="0+", default="null")).fields[0]
    assert (none.has_default, none.default, text.default) == (True, None, "null")


def test_duplicate_keys_keep_the_last_and_are_reported() -> None:
    text = field().replace('"versions": "0+"', '"versions": "0+",\n      "versions": "1+"')
    message = read(text)
    assert message.fields[0].versions == Versions.parse("1+")
    assert codes(message) == [("duplicate-key", "error")]
    assert message.problems[0].place.line == text.split("\n").index('      "versions": "1+"') + 1


def test_trailing_text_is_reported_not_fatal() -> None:
    message = read(spec() + "\n]\n")
    assert codes(message) == [("trailing-text", "warning")]
    assert message.name == "FooRequest"


def test_unknown_keys_are_kept_and_warned_of() -> None:
    message = read(
        spec(
            apiStability="x", fields=[{"name": "A", "type": "int8", "versions": "0+", "style": [1]}]
        )
    )
    assert message.written.unknown == {"apiStability": "x"}
    assert message.fields[0].written.unknown == {"style": [1]}
    assert sorted(codes(message)) == [("unknown-key", "warning")] * 2


def test_a_field_tagged_without_versions_lives_where_it_is_tagged() -> None:
    message = read(field(versions=..., taggedVersions="2+", tag=0))
    assert message.fields[0].versions is None
    assert message.fields[0].present == Versions.parse("2+")
    assert [len(item.fields) for item in layouts(message)] == [0, 0, 1, 1]


@pytest.mark.parametrize("text", ["0", "8", "1-2", "0+"])
def test_every_form_of_nullable_versions(text: str) -> None:
    message = read(field(type="string", nullableVersions=text))
    assert message.fields[0].nullable_versions == Versions.parse(text)


# What cannot be used.


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[]", 1, "must be a JSON object"),
        ("{}", 1, "not a message spec"),
        (spec(name=...), 1, 'this message has no "name"'),
        (spec(type=...), 1, 'this message has no "type"'),
        (spec(validVersions=...), 1, 'this message has no "validVersions"'),
        (spec(validVersions="3-1"), 5, "ends before it begins"),
        (spec(validVersions=["0"]), 5, "not an array"),
        (spec(apiKey=40000), 2, "between 0 and 32767"),
        (spec(apiKey=-1), 2, "between 0 and 32767"),
        (spec(apiKey=1.5), 2, "a whole number, not a number"),
        (spec(fields={}), 7, '"fields" must be an array, not an object'),
        (spec(fields=[1]), 8, "a field is an object"),
        (spec(listeners="broker"), 14, "an array"),
        (field(name=...), 8, 'this field has no "name"'),
        (field(type=5), 10, "a string, not a whole number"),
        (field(versions=...), 8, 'this field has no "versions"'),
        (field(tag=2**31), 12, "between 0 and 2147483647"),
        (field(ignorable=1), 12, "true or false"),
        (field(default=[]), 12, "a string, a number, true, false or null"),
        (spec(history=[{"about": "x"}]), 15, 'this history entry has no "version"'),
    ],
)
def test_unusable_values_are_placed(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.path == "Foo.json"
    assert caught.value.position is not None
    assert (caught.value.position.line, words in caught.value.message) == (line, True), str(
        caught.value
    )


def text_of(path: str, text: str) -> SpecText:
    return SpecText(path, text.encode(), "")


@needs_shared
def test_every_spec_text_of_the_history_is_read() -> None:
    """All 1,710 texts are usable; what is loose in them is known by name."""
    texts = texts_of_history()
    found: Counter[str] = Counter()
    trailing: set[str] = set()
    for digest, (path, text) in texts.items():
        message = read_message(text, path)
        assert layouts(message) or not message.valid_versions, digest
        found.update(problem.kind for problem in message.problems)
        trailing |= {
            message.name for problem in message.problems if problem.kind == "trailing-text"
        }
    assert len(texts) == 1710
    assert found == {"wrong-type": 20, "duplicate-key": 3, "trailing-text": 2}
    assert trailing == {"DescribeProducersRequest"}
