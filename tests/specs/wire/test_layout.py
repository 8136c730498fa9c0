"""A layout holds exactly what one version puts on the wire, and its fingerprint follows the bytes
alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.wire.bases import BASE
from wirebook.docgen.catalog.wire import wire
from wirebook.specs.layout import Layout, layout, layouts
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.reader import read_message


def at(version: int, **changes: Any) -> Layout:
    return layout(read_message(json.dumps(BASE | changes, indent=1), "Foo.json"), version)


def spec(changes: dict[str, Any]) -> Message:
    """A message with one field, changed so."""
    node = {"name": "A", "type": "int32", "versions": "0+"} | changes
    return read_message(json.dumps(BASE | {"fields": [node]}, indent=1), "Foo.json")


def only(version: int, **changes: Any) -> Layout:
    return layout(spec(changes), version)


def shape(item: Layout) -> list[tuple[str, str, str | None, int | None]]:
    return [(field.path, field.type, field.element, field.tag) for field in item.walk()]


def test_a_flexible_version_is_compact_and_puts_tagged_fields_last_by_tag() -> None:
    assert shape(at(3)) == [
        ("Id", "INT32", None, None),
        ("Name", "COMPACT_NULLABLE_STRING", None, None),
        ("Items", "COMPACT_ARRAY", "STRUCT", None),
        ("Items.Key", "UUID", None, None),
        ("Items.Data", "COMPACT_NULLABLE_RECORDS", None, None),
        ("Early", "COMPACT_BYTES", None, 0),
        ("Late", "INT8", None, 1),
    ]
    assert (at(3).flexible, at(3).header_version) == (True, 2)


def test_a_field_may_stay_inflexible_in_a_flexible_version() -> None:
    plain = only(3, type="string", nullableVersions="0+", flexibleVersions="none")
    assert plain.fields[0].type == "NULLABLE_STRING"
    assert only(3, type="[]string").fields[0].element == "COMPACT_STRING"


def test_shared_structs_are_laid_out_wherever_they_stand() -> None:
    struct = {
        "name": "S",
        "versions": "0+",
        "fields": [{"name": "X", "type": "bool", "versions": "1+"}],
    }
    fields = [
        {"name": "One", "type": "S", "versions": "0+", "nullableVersions": "2+"},
        {"name": "Many", "type": "[]S", "versions": "0+"},
    ]
    item = at(1, commonStructs=[struct], fields=fields)
    assert shape(item) == [
        ("One", "STRUCT", None, None),
        ("One.X", "BOOLEAN", None, None),
        ("Many", "ARRAY", "STRUCT", None),
        ("Many.X", "BOOLEAN", None, None),
    ]
    assert item.fields[1].struct == "S"
    assert at(2, commonStructs=[struct], fields=fields).fields[0].type == "NULLABLE_STRUCT"
    assert at(0, commonStructs=[struct], fields=fields).fields[0].fields == ()


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("int8", ..., 0),
        ("int64", "9223372036854775807", 2**63 - 1),
        ("int32", "0x7fffffff", 2**31 - 1),
        ("int16", "-32768", -(2**15)),
        ("bool", ..., False),
        ("bool", "True", True),
        ("float64", ..., 0.0),
        ("float64", "-1.5", -1.5),
        ("string", ..., ""),
        ("bytes", ..., ""),
        ("records", ..., None),
        ("uuid", ..., "00000000-0000-0000-0000-000000000000"),
        ("uuid", "AAAAAAAAAAAAAAAAAAAAAQ", "00000000-0000-0000-0000-000000000001"),
        ("uuid", "EjRWeBI0EjQSNBI0VniQqw==", "12345678-1234-1234-1234-1234567890ab"),
        ("[]int8", ..., []),
        ("[]int8", "null", None),
    ],
)
def test_what_an_absent_field_reads_as(kind: str, default: Any, value: object) -> None:
    changes: dict[str, Any] = {} if default is ... else {"default": default}
    if default == "null":
        changes["nullableVersions"] = "0+"
    made = only(0, type=kind, **changes).fields[0].default
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"type": "Nothing"}, "Nothing is neither a type nor a struct here"),
        ({"type": "[][]int32"}, "array of arrays"),
        ({"nullableVersions": "0+"}, "never null"),
        ({"taggedVersions": "2+"}, "taggedVersions but no tag"),
        ({"taggedVersions": "0+", "tag": 0}, "version 0, which is not flexible"),
        ({"default": "x"}, "not a whole number"),
        ({"default": "1_0"}, "not a whole number"),
        ({"default": "010"}, "begins with a 0"),
        ({"default": "9" * 5000}, "does not fit int32"),
        ({"default": "2147483648"}, "does not fit int32"),
        ({"type": "uint16", "default": "-1"}, "does not fit uint16"),
        ({"type": "bool", "default": "yes"}, "neither true nor false"),
        ({"type": "float64", "default": "inf"}, "not a finite number"),
        ({"type": "uuid", "default": "x"}, "not a uuid"),
        ({"type": "bytes", "default": "00"}, "takes none but null"),
        ({"type": "string", "default": "null"}, "no version of it is nullable"),
    ],
)
def test_specs_that_have_no_layout_say_where(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        layouts(spec(changes))
    assert words in str(caught.value)
    assert caught.value.position is not None
    assert caught.value.position.line > 7


def test_a_tag_is_used_once_in_a_struct_and_freely_in_another() -> None:
    first = {"name": "A", "type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0}
    with pytest.raises(InputError, match="tag 0 of B is already the tag of A"):
        at(2, fields=[first, first | {"name": "B"}])
    nested = {"name": "S", "type": "S", "versions": "2+", "fields": [first]}
    assert len(at(2, fields=[first, nested]).fields) == 2


def test_a_field_that_stays_the_same_is_one_object_in_all_layouts() -> None:
    """A spec of 10 kB may have 250,000 fields in all versions."""
    same, other = ({"name": name, "type": "int8", "versions": "0+"} for name in "AB")
    other["nullableVersions"], other["type"] = "2+", "string"
    text = json.dumps(
        BASE | {"validVersions": "0-3", "flexibleVersions": "2+", "fields": [same, other]}
    )
    every = layouts(read_message(text, "x"))
    assert len({id(each.fields[0]) for each in every}) == 1
    assert [each.fields[1] is every[0].fields[1] for each in every] == [True, True, False, False]
    assert every == [layout(every[0].message, version) for version in range(4)]


def test_the_form_of_export() -> None:
    made = at(3).to_json()
    assert list(made) == [
        "schema", "message", "type", "api_key", "api", "version", "flexible", "header_version", "unstable",
        "deprecated", "fields",
    ]  # fmt: skip
    assert made["schema"] == "wirebook/layout/1"
    assert made["fields"][2]["element"] == "STRUCT"
    assert made["fields"][2]["fields"][0] == {
        "name": "Key",
        "path": "Items.Key",
        "type": "UUID",
        "spec_type": "uuid",
        "nullable": False,
        "tag": None,
        "default": "00000000-0000-0000-0000-000000000000",
        "ignorable": False,
        "entity_type": None,
        "map_key": True,
        "about": "",
        "fields": None,
    }
    assert json.loads(json.dumps(made)) == made


# The fingerprint.


def prints(node: dict[str, Any]) -> list[str]:
    return [wire(item) for item in layouts(read_message(json.dumps(node), "x"))]


@given(st.permutations(BASE["fields"]))
def test_tagged_fields_may_stand_anywhere_untagged_ones_may_not(
    order: list[dict[str, Any]],
) -> None:
    plain = [node["name"] for node in order if "tag" not in node]
    same = plain == [node["name"] for node in BASE["fields"] if "tag" not in node]
    assert (prints(BASE | {"fields": order}) == prints(BASE)) == same
