"""Layouts agree with what Kafka's own Java code says and writes: header versions, and a sample of bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.specs.released_specs import released
from tests.specs.wire.own_messages import own_messages
from tests.support import SHARED, needs_shared
from wirebook.specs.model import Json
from wirebook.specs.wire.layout import LayoutField, layout

pytestmark = pytest.mark.xdist_group("released")

RELEASES = {"4.3": "4.3.1", "3.6": "3.6.2"}
FULL_CASES = ("/typical", "/extremes", "/unknown_tags")
UNKNOWN_TAGS = "@unknownTaggedFields"  # no field: what the sample puts into a tagged section besides


def given(*parts: str) -> str:
    assert SHARED is not None
    return SHARED.joinpath(*parts).read_text(encoding="utf-8")


@needs_shared
@pytest.mark.parametrize(("java", "release"), RELEASES.items())
def test_header_versions_are_those_of_java(java: str, release: str) -> None:
    table = json.loads(given("facts", "header_versions.json"))[java]
    rows = 0
    for key, api in table.items():
        for kind, place in (("request", 0), ("response", 1)):
            identity = (kind, int(key))
            (message,) = (each.message for each in released(identity) if each.release == release)
            assert message.api == api["api"]
            expected = {int(version): pair[place] for version, pair in api["versions"].items()}
            found = {version: layout(message, version).header_version for version in message.valid_versions}
            assert found == expected, message.name
            own = own_messages().get(identity)
            if own is not None:
                assert {v: layout(own, v).header_version for v in expected} == expected, own.name
            rows += len(expected)
    assert rows == {"4.3": 604, "3.6": 556}[java]


def check_value(fields: tuple[LayoutField, ...], value: dict[str, Any], where: str) -> None:
    """The value of a message or struct has exactly the fields of the layout, of fitting kinds."""
    shown = {field.name: field for field in fields}
    if not any(case in where for case in FULL_CASES):  # a tagged field that has its default may be left out
        shown = {name: field for name, field in shown.items() if field.tag is None or name in value}
    assert set(value) - {UNKNOWN_TAGS} == set(shown), where
    for name, field in shown.items():
        check_one(field, value[name], f"{where} {field.path}")


def check_one(field: LayoutField, value: Json, where: str) -> None:
    if value is None:
        assert field.nullable, where
    elif field.element is not None:
        assert isinstance(value, list), where
        for item in value:
            check_plain(field, field.element, item, where)
    else:
        check_plain(field, field.type, value, where)


def check_plain(field: LayoutField, wire_type: str, value: Json, where: str) -> None:
    if field.fields is not None:
        assert isinstance(value, dict), where
        check_value(field.fields, value, where)
    elif "INT" in wire_type:
        assert type(value) is int, where
    elif wire_type == "BOOLEAN":
        assert type(value) is bool, where
    elif wire_type == "FLOAT64":
        assert isinstance(value, int | float), where
    else:
        assert isinstance(value, str), where
