"""The value of an absent field, from what a spec says or leaves out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.specs.limits import MAX_NUMBER
from wirebook.specs.model import Field
from wirebook.specs.wire.defaults import ZERO_UUID, default_value

GIVEN = "AAECAwQFBgcICQoLDA0ODw"


def field(kind: str, **more: Any) -> Field:
    """A field of a type."""
    spec = {
        "type": "data", "name": "Foo", "validVersions": "0-1", "flexibleVersions": "none",
        "fields": [{"name": "A", "type": kind, "versions": "0+", **more}],
    }  # fmt: skip
    return read_kafka(json.dumps(spec).encode(), "Foo.json", strict=False).fields[0]


STRUCT = {"fields": [{"name": "B", "type": "int8", "versions": "0+"}]}


@pytest.mark.parametrize(
    ("kind", "more", "value"),
    [
        ("bool", {}, False),
        ("int16", {}, 0),
        ("float64", {}, 0.0),
        ("uuid", {}, ZERO_UUID),
        ("string", {}, ""),
        ("string", {"nullableVersions": "0+"}, ""),
        ("bytes", {}, ""),
        ("records", {}, None),
        ("[]int8", {}, []),
        ("Bar", STRUCT, {}),
        ("[]Bar", STRUCT, []),
    ],
)
def test_without_a_default_a_field_has_that_of_its_type(
    kind: str, more: dict[str, Any], value: object
) -> None:
    found = default_value(field(kind, **more))
    assert (type(found), found) == (type(value), value)
    # JSON null says as much as nothing.
    assert default_value(field(kind, **more, default=None)) == value


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("bool", "true", True),
        ("bool", "False", False),
        ("bool", True, True),
        ("int8", "-128", -128),
        ("int8", "127", 127),
        ("int8", "0x7F", 127),
        ("int16", "+1", 1),
        ("uint16", "65535", 65535),
        ("int32", -(2**31), -(2**31)),
        ("uint32", "0xffffffff", 2**32 - 1),
        ("int64", str(2**63 - 1), 2**63 - 1),
        ("float64", "1e3", 1000.0),
        ("float64", "-0.5", -0.5),
        ("string", "x", "x"),
        ("uuid", GIVEN, "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        ("uuid", f"{GIVEN}==", "00010203-0405-0607-0809-0a0b0c0d0e0f"),
    ],
)
def test_a_default_is_read_as_its_type(kind: str, given: object, value: object) -> None:
    found = default_value(field(kind, default=given))
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("kind", ["string", "bytes", "records", "[]int8"])
def test_the_word_null_is_null(kind: str) -> None:
    assert default_value(field(kind, default="null", nullableVersions="0+")) is None


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("string", "null", "is null, but no version of it is nullable"),
        ("bytes", "x", "is 'x'; a bytes takes none but null"),
        ("[]int8", "[]", "is '[]'; a []int8 takes none but null"),
        ("bool", "1", "is '1', which is neither true nor false"),
        ("int8", "1.0", "is '1.0', which is not a whole number"),
        ("int8", "010", "is '010', which begins with a 0"),
        ("int8", "-010", "is '-010', which is not a whole number"),
        ("int8", "128", "is 128, which does not fit int8 (-128 to 127)"),
        ("int8", "-129", "is -129, which does not fit int8 (-128 to 127)"),
        ("uint16", "-1", "is -1, which does not fit uint16 (0 to 65535)"),
        ("uint32", "9" * MAX_NUMBER, f"is {'9' * 40}, which does not fit uint32 (0 to {2**32 - 1})"),
        ("int64", "9" * 5000, f"is {'9' * 40}, which does not fit int64 ({-(2**63)} to {2**63 - 1})"),
        ("float64", "1e999", "is '1e999', which is not a finite number"),
        ("float64", "1_0", "is '1_0', which is not a finite number"),
        ("float64", "\u0663", "is '\u0663', which is not a finite number"),
        ("float64", "x", "is 'x', which is not a finite number"),
        ("uuid", GIVEN[1:], f"is '{GIVEN[1:]}', which is not a uuid as 22 characters of URL-safe base64"),
    ],
)
def test_a_default_that_does_not_fit_is_refused(kind: str, given: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        default_value(field(kind, default=given))
    assert str(caught.value) == words
