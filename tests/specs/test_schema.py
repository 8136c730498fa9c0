"""The JSON Schemas take what the readers take: all specs of ours and of the history, no broken
one."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.specs.released_specs import texts_of_history
from tests.support import ROOT, needs_shared
from tests.together import together
from wirebook.specs.jsontext import parse_json
from wirebook.specs.kafka.registry import embedded_paths
from wirebook.specs.layout import layouts
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message

NAMES = ("message", "api_versions", "layout", "errors")
Place = tuple[str | int, ...]  # keys and indexes from the top down to a value
GONE = object()  # in a change: the key is left out


@cache
def schema(name: str) -> Draft202012Validator:
    path = ROOT / "specs" / "schema" / f"{name}.json"
    return Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


def faults(name: str, value: object) -> list[str]:
    """What the schema has against a value, shortest path first."""
    found = sorted(schema(name).iter_errors(value), key=lambda error: len(error.absolute_path))
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in found]


# --- the schemas themselves
# -------------------------------------------------------------------------------


def subschemas(node: object, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of a property, with its place."""
    if isinstance(node, dict):
        for key, value in node.items():
            here = f"{place}/{key}"
            if key == "properties" and not re.search(r"/(if|then|else)\b", place):
                for name, inner in value.items():
                    yield f"{here}/{name}", inner
            yield from subschemas(value, here)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from subschemas(value, f"{place}/{index}")


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_one_and_says_what_everything_is(name: str) -> None:
    document = schema(name).schema
    Draft202012Validator.check_schema(document)
    assert document["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert document["$id"] == f"urn:wirebook:schema:{name.replace('_', '-')}:1"
    assert document["title"]
    assert document["description"]
    found = dict(subschemas(document))
    assert len(found) > 5
    assert [place for place, inner in found.items() if not inner.get("description")] == []


# --- right texts
# ------------------------------------------------------------------------------------------


def own_specs() -> list[Path]:
    examples = ROOT / "specs" / "examples"
    return sorted([*embedded_paths(), *examples.glob("*.json")])


@together("path", own_specs(), ids=lambda path: path.stem)
def test_own_spec_is_right(path: Path) -> None:
    document = parse_json(path.read_bytes(), path.name)
    assert faults("message", document.value) == []
    assert document.rest is None


def test_own_registry_is_right() -> None:
    text = (ROOT / "specs" / "kafka" / "api_versions.json").read_text(encoding="utf-8")
    assert faults("api_versions", json.loads(text)) == []
    assert json.loads(text)


@pytest.mark.skipif(
    not (ROOT / "specs" / "kafka" / "errors.json").is_file(),
    reason="there is no specs/kafka/errors.json",
)
def test_own_error_codes_are_right() -> None:
    text = (ROOT / "specs" / "kafka" / "errors.json").read_text(encoding="utf-8")
    assert faults("errors", json.loads(text)) == []
    assert json.loads(text)["errors"]


@needs_shared
@pytest.mark.long
def test_every_spec_text_of_the_history_is_right() -> None:
    """The loose ones, too: tags in quotes, defaults that are numbers or null, zkBroker
    listeners."""
    texts, wrong = texts_of_history(), {}
    for digest, (path, text) in texts.items():
        found = faults("message", parse_json(text, path).value)
        if found:
            wrong[f"{digest} {path}"] = found[0]
    assert wrong == {}
    assert len(texts) == 1710


# --- the message schema and the reader agree
# --------------------------------------------------------------

SPEC: dict[str, Any] = {
    "apiKey": 7,
    "type": "request",
    "listeners": ["broker", "controller"],
    "name": "FooRequest",
    "validVersions": "0-3",
    "deprecatedVersions": "0",
    "flexibleVersions": "2+",
    "headerVersions": {"0-1": "1", "2+": "2"},
    "latestVersionUnstable": False,
    "commonStructs": [
        {
            "name": "Pair",
            "versions": "0+",
            "fields": [{"name": "Left", "type": "int8", "versions": "0+"}],
        }
    ],
    "fields": [
        {
            "name": "Pairs",
            "type": "[]Pair",
            "versions": "1+",
            "nullableVersions": "2-3",
            "default": "null",
            "ignorable": True,
            "about": "Words.",
        },
        {
            "name": "Groups",
            "type": "[]Group",
            "versions": "0+",
            "fields": [
                {
                    "name": "Id",
                    "type": "string",
                    "versions": "0+",
                    "mapKey": True,
                    "entityType": "groupId",
                },
                {"name": "Body", "type": "bytes", "versions": "0-1", "zeroCopy": True},
                {
                    "name": "Extra",
                    "type": "string",
                    "taggedVersions": "2+",
                    "tag": 0,
                    "flexibleVersions": "none",
                },
            ],
        },
    ],
    "history": [
        {
            "version": 0,
            "added": "0.8.0",
            "deprecated": "3.7-IV4",
            "removed": "4.0-IV3",
            "about": "A.",
        },
        {"version": 1, "added": "0.9.0", "undeprecated": "3.8-IV0", "returned": "4.0-IV3"},
    ],
}


def readable(value: object) -> bool:
    try:
        read_message(json.dumps(value), "Foo.json")
    except InputError:
        return False
    return True


def changed(spec: dict[str, Any], path: Place, value: object) -> dict[str, Any]:
    """A copy with one value set, added or left out."""
    made = copy.deepcopy(spec)
    node: Any = made
    for step in path[:-1]:
        node = node[step]
    if value is GONE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return made


FIELD = ("fields", 1, "fields", 2)
STRUCT = ("commonStructs", 0)
ENTRY = ("history", 0)

BROKEN: list[tuple[Place, list[object]]] = [
    (("name",), [GONE, "", None, 7, ["x"]]),
    (("type",), [GONE, "", None, True, {}]),
    (
        ("validVersions",),
        [GONE, "", "-1", "4-2", "10-9", "110-109", "1-", "+", "a", "0-4+", "1 - 2", "None"],
    ),
    (("validVersions",), ["32768", "0-32768", "٣", "0x1", -1, 32768, 1.5, None, True, [], {}]),
    (("deprecatedVersions",), ["all", None, False, []]),
    (("flexibleVersions",), ["2-", "3-1", None, {}]),
    (("headerVersions",), [None, "1", 1, [], ["1"], True]),
    (("headerVersions",), [{"": "1"}, {"none": "1"}, {"x": "1"}, {"2-1": "1"}, {"32768": "1"}]),
    (
        ("headerVersions",),
        [{"0+": None}, {"0+": ""}, {"0+": "x"}, {"0+": "-1"}, {"0+": "32768"}, {"0+": []}],
    ),
    (("headerVersions",), [{"0+": 1}, {"0+": 1.5}, {"0+": True}, {"0+": 32768}, {"0+": "1+"}]),
    (("apiKey",), [-1, 32768, 1.5, "-1", "32768", "x", "", " 7", None, True, [7]]),
    (("listeners",), ["broker", None, 1, {}, [1], ["broker", None]]),
    (("latestVersionUnstable",), ["yes", "True", "", 0, 1, None, []]),
    (("commonStructs",), [None, {}, "Pair", [1], [[]], ["Pair"]]),
    (("fields",), [None, {}, "A", [1], [[]], [{}], [None]]),
    (("history",), [None, {}, "0", [0], [{}], [["version", 0]]]),
    ((*STRUCT, "name"), [GONE, "", None, 1]),
    ((*STRUCT, "versions"), [GONE, "x", None, "2-1"]),
    ((*STRUCT, "deprecatedVersions"), ["x", None]),
    ((*STRUCT, "fields"), [None, {}, [7], [{"name": "A", "type": "int8"}]]),
    ((*FIELD, "name"), [GONE, "", None, 1]),
    ((*FIELD, "type"), [GONE, "", None, 8, ["int8"]]),
    ((*FIELD, "versions"), ["x", None, "3-2", 3, 1.5, []]),
    (("fields", 0, "versions"), [GONE]),
    ((*FIELD, "nullableVersions"), ["x", None, True]),
    ((*FIELD, "taggedVersions"), [GONE, "x", None, "9-8"]),
    ((*FIELD, "flexibleVersions"), ["x", None, -1]),
    ((*FIELD, "tag"), [-1, 2**31, 0.5, "-1", "2147483648", "9999999999", "a", None, False, [0]]),
    ((*FIELD, "default"), [[], {}, [0], {"A": 1}]),
    ((*FIELD, "ignorable"), ["yes", 1, 0, None, "TRUE"]),
    ((*FIELD, "mapKey"), ["no", 1, None]),
    ((*FIELD, "zeroCopy"), ["no", 0, None]),
    ((*FIELD, "entityType"), [None, 1, []]),
    ((*FIELD, "about"), [None, 1, ["Words."]]),
    ((*FIELD, "fields"), [None, {}, "A", [1], [{"name": "A"}]]),
    ((*ENTRY, "version"), [GONE, "x", -1, 32768, None, True]),
]
for _key in ("added", "deprecated", "undeprecated", "removed", "returned", "about"):
    BROKEN.append(((*ENTRY, _key), [None, 1, True, ["0.8.0"]]))

LOOSE: list[tuple[Place, list[object]]] = [
    (("$schema",), ["../schema/message.json"]),
    (("scope",), [["broker"], None]),  # a key that the format does not know
    (("type",), ["requests"]),  # for the rules to judge
    (
        ("validVersions",),
        ["none", "3", "0-4", "5+", " 0-4 ", "7-7", "9-10", "109-110", "0-32767"],
    ),
    (("apiKey",), [GONE, 0, 32767, "0", "32767"]),
    (
        ("headerVersions",),
        [GONE, {}, {"0+": "0"}, {" 0-1 ": " 32767 "}, {"3": "1", "1": "0"}],
    ),
    (("listeners",), [GONE, [], ["zkBroker", "broker"], ["raft"]]),
    (("latestVersionUnstable",), ["true", "false", True]),
    (("fields",), [[]]),
    (("commonStructs",), [GONE, []]),
    ((*STRUCT, "fields"), [GONE, []]),
    ((*FIELD, "tag"), ["0", "13", 2**31 - 1, "2147483647", GONE]),
    ((*FIELD, "default"), [None, "null", "", "-1", "0x7f", 0, -1, 1.5, True, False]),
    ((*FIELD, "ignorable"), ["true", "false", False]),
    ((*FIELD, "domain"), ["x"]),
    ((*FIELD, "type"), ["boolean", "error", "[]bytes"]),
    ((*ENTRY, "version"), ["0"]),
    ((*ENTRY, "added"), [GONE, ""]),
]


def cases(table: list[tuple[Place, list[object]]]) -> list[Any]:
    return [
        pytest.param(
            path, value, id=f"{'.'.join(map(str, path))}={'GONE' if value is GONE else value!r}"
        )
        for path, values in table
        for value in values
    ]


@together("path, value", cases(BROKEN))
def test_broken_spec_is_refused(path: Place, value: object) -> None:
    spec = changed(SPEC, path, value)
    assert faults("message", spec)
    assert not readable(spec)


@together("path, value", cases(LOOSE))
def test_loose_spec_is_taken(path: Place, value: object) -> None:
    spec = changed(SPEC, path, value)
    assert faults("message", spec) == []
    assert readable(spec)


def places(node: object, path: Place = ()) -> Iterator[Place]:
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


KEYS = sorted(
    {str(path[-1]) for path in places(SPEC) if isinstance(path[-1], str)}
    | {"$schema", "scope", "Name"}
)
LEADING_ZERO = re.compile(r"(?<![0-9])0[0-9]")
texts = st.one_of(
    st.sampled_from(
        ["", "none", "null", "true", "false", "string", "[]Pair", "0.8.0", "32767", "32768"]
    ),
    st.sampled_from(["2147483647", "2147483648", "0-32768", "99999-100000", " 3", "3 ", "5+ "]),
    st.integers(0, 130).map(str),
    st.tuples(st.integers(0, 1200), st.integers(0, 1200)).map(lambda ends: f"{ends[0]}-{ends[1]}"),
    st.text(alphabet="0123459+- anoe", max_size=6),
).filter(lambda text: not LEADING_ZERO.search(text))
scalars = st.one_of(
    texts,
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.sampled_from([-(2**70), 32767, 32768, 2**31 - 1, 2**31, 2**70]),
    # JSON Schema takes 1.0 for the whole number 1; the schema's description says so.
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer()),
)
values = st.one_of(
    scalars,
    st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        ),
        max_leaves=5,
    ),
)


# --- the registry
# -----------------------------------------------------------------------------------------

# --- error codes
# ------------------------------------------------------------------------------------------

# --- layouts
# ----------------------------------------------------------------------------------------------


def keys_not_described(line: dict[str, Any]) -> set[str]:
    document = schema("layout").schema
    known = set(document["$defs"]["field"]["properties"])
    found = set(line) - set(document["properties"])
    waiting = list(line["fields"])
    while waiting:
        field = waiting.pop()
        found |= set(field) - known
        waiting += field["fields"] or []
    return found


@pytest.mark.share(3)
@pytest.mark.parametrize("path", own_specs(), ids=lambda path: path.stem)
def test_layouts_of_own_spec_are_right(path: Path) -> None:
    for layout in layouts(read_message(path.read_bytes(), path.name)):
        line = json.loads(json.dumps(layout.to_json()))
        assert faults("layout", line) == []
        assert keys_not_described(line) == set()
