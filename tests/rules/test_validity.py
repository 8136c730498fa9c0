"""The rules on single files as a whole: nothing without a layout passes, and nothing said twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import PAIRS, protocol
from wirebook.rules.engine import check, judge_files
from wirebook.rules.finding import Category, Severity
from wirebook.rules.pairs.walk import walk_fields, walk_structs
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import PRIMITIVES, Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import layout


def has_layout(message: Message) -> bool:
    try:
        return all(layout(message, version) for version in message.valid_versions)
    except InputError:
        return False


def sides(folder: Path) -> Iterator[Protocol]:
    for side in ("old", "new"):
        there = protocol(folder, side)
        if there is not None:
            yield there


@pytest.mark.share(4)
@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_what_cannot_be_laid_out_is_an_error_of_the_spec(folder: Path) -> None:
    for side in sides(folder):
        for message in side:
            if has_layout(message) and not unusable(message):
                continue
            found = [item for item in judge_files(Protocol((message,))) if item.category is Category.SPEC]
            assert any(item.severity is Severity.ERROR for item in found)


SPEC = """{
  "apiKey": 900,
  "type": "request",
  "name": "FooRequest",
  "validVersions": "0-1",
  "flexibleVersions": "1+",
  "fields": [
    { "name": "Id", "type": "int32", "versions": "0+" }%s
  ]
}
"""


def read(fields: str = "", path: str = "FooRequest.json") -> Protocol:
    return Protocol((read_kafka(SPEC % fields, path, strict=False),))


def test_a_finding_is_known_by_what_it_says_not_by_line_or_file() -> None:
    wrong = ',\n    { "name": "Note", "type": "strnig", "versions": "0+", "versions": "0+" }'
    added = (
        ',\n    { "name": "New", "type": "int8", "versions": "1+",\n      "taggedVersions": "1+", "tag": 0 }'
    )
    assert {item.rule for item in judge_files(read(wrong))} == {"duplicate-key", "unknown-type"}
    assert check(read(wrong), read(added + wrong, "moved/FooRequest.json")) == []


def test_a_file_that_stays_as_it_was_is_told_on_demand() -> None:
    wrong = ',\n    { "name": "note_", "type": "string", "versions": "0+" }'
    assert check(read(wrong), read(wrong)) == []
    assert [item.rule for item in check(read(wrong), read(wrong), everything=True)] == ["bad-name"]


def test_what_cannot_be_read_is_one_finding() -> None:
    found = judge_files(read(',\n    { "name": "Note", "type": "string", "versions": "1 and up", "tag": 0 }'))
    assert [(item.rule, item.field) for item in found] == [("bad-version-range", "Note")]


def test_walks_know_what_is_around_a_field() -> None:
    message = read(
        ',\n    { "name": "Outer", "type": "[]Outer", "versions": "1+", "fields": ['
        '{ "name": "Inner", "type": "Inner", "versions": "0+", "fields": ['
        '{ "name": "Key", "type": "int8", "versions": "0+" }] }] }'
    ).messages[0]
    key = next(item for item in walk_fields(message) if item.field.name == "Key")
    assert (key.path, key.within, str(key.versions)) == ("Outer.Inner.Key", ("Outer", "Inner"), "1")
    assert [struct.path for struct in walk_structs(message)] == ["", "Outer", "Outer.Inner"]


LIMITS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
# What every type of whole numbers takes, and what none does.
NUMBERS = (0, "", "0", "-0", "+1", "0x10", "0x0", None)
NO_NUMBERS = (
    1.0,
    True,
    " 1",
    "1 ",
    "1_0",
    "010",
    "08",
    "-0x1",
    "0X1",
    "0xg",
    "0b1",
    "1e2",
    "--1",
    "5L",
    "null",
)


def rules_on_field(**keys: object) -> list[str]:
    """The rules that a field of the given keys sets off."""
    field = json.dumps({"name": "Own", "versions": "0+", **keys})
    return [item.rule for item in judge_files(read(f", {field}"))]


@pytest.mark.parametrize("kind", LIMITS)
def test_a_default_is_a_number_of_the_type(kind: str) -> None:
    lowest, highest = LIMITS[kind]
    fine = [*NUMBERS, lowest, highest, str(lowest), str(highest), hex(highest)]
    broken = [*NO_NUMBERS, lowest - 1, highest + 1, str(lowest - 1), hex(highest + 1), "9" * 5000]
    assert [value for value in fine if rules_on_field(type=kind, default=value)] == []
    assert [value for value in broken if rules_on_field(type=kind, default=value) != ["bad-default"]] == []


def test_an_entity_type_goes_with_one_type_and_arrays_of_it() -> None:
    goes = {
        "transactionalId": "string",
        "producerId": "int64",
        "groupId": "string",
        "topicName": "string",
        "brokerId": "int32",
    }
    for entity, right in goes.items():
        for kind in PRIMITIVES:
            wanted = [] if kind == right else ["entity-type-mismatch"]
            assert rules_on_field(type=kind, entityType=entity) == wanted
            if kind != "records":
                assert rules_on_field(type=f"[]{kind}", entityType=entity) == wanted


def test_only_what_has_bytes_for_null_may_be_null() -> None:
    for kind in PRIMITIVES:
        wanted = [] if kind in ("string", "bytes", "records") else ["nullable-primitive"]
        assert rules_on_field(type=kind, nullableVersions="0+") == wanted
        assert rules_on_field(type=kind, nullableVersions="none") == []
        arrays = ["unknown-type"] if kind == "records" else []
        assert rules_on_field(type=f"[]{kind}", nullableVersions="0+") == arrays


@pytest.mark.parametrize(
    "name", ["topic_id", "9a", "a b", "\u0410lpha", "\u212a", "A\u200b", "\uff21", "A1\u0663", "A\n"]
)
def test_names_that_look_like_others_are_no_names(name: str) -> None:
    assert rules_on_field(type="int32", name=name) == ["bad-name"]


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("int", 'write "int32"'),
        ("[]long", 'write "[]int64"'),
        ("boolean", 'write "bool"'),
        ("double", 'write "float64"'),
        ("strng", 'write "string"'),
        ("[]records", "put the records into a struct, and write an array of it"),
        ("String", 'write "string", or define the struct'),
        ("[]Int32", 'write "[]int32", or define the struct'),
        ("Integer", 'write "int32", or define the struct'),
        ("Item", "define the struct"),
    ],
)
def test_the_hint_for_an_unknown_type_is_the_one_that_is_meant(kind: str, fix: str) -> None:
    (found,) = judge_files(read(f', {{ "name": "Own", "versions": "0+", "type": "{kind}" }}'))
    assert (found.rule.startswith("unknown-"), found.fix) == (True, fix)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("nullableVersion", "nullableVersions"),
        ("nullable_versions", "nullableVersions"),
        ("Default", "default"),
        ("mapkey", "mapKey"),
        ("deprecated", ""),
    ],
)
def test_a_misspelled_key_is_an_error_with_the_key_that_is_meant(key: str, meant: str) -> None:
    (found,) = judge_files(read(f', {{ "name": "Own", "type": "int8", "versions": "0+", "{key}": "0+" }}'))
    hint = f'; did you mean "{meant}"?' if meant else ""
    assert (found.rule, found.severity) == ("unknown-key", Severity.ERROR)
    assert found.message == f'Own: a field has no key "{key}"{hint}'


def test_a_key_that_other_files_of_the_old_side_have_is_not_reported() -> None:
    def spec(name: str, number: int, more: str = "") -> Message:
        keys = f'"name": "{name}",{more}'
        text = (SPEC % "").replace('"name": "FooRequest",', keys).replace("900", str(number))
        return read_kafka(text, f"{name}.json")

    key = ' "scope": ["broker"],'
    old = Protocol((spec("FooRequest", 900), spec("BarRequest", 901, key)))
    new = Protocol((spec("FooRequest", 900, key), old.messages[1]))
    assert check(old, new) == []
    first = Protocol((old.messages[0], spec("BarRequest", 901)))
    found = [(item.rule, item.severity) for item in check(first, new)]
    assert found == [("unknown-key", Severity.ERROR)] * 2
    assert check(new, new) == []
