"""Where nothing is flexible, an array of numbers is one of structs with one number: by bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.rules.engine import check
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message


def protocol(**array: Any) -> Protocol:
    spec = {"apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2"}
    fields = [{"name": "Ids", "versions": "0+", **array}]
    text = json.dumps({**spec, "flexibleVersions": "none", "fields": fields})
    return Protocol.of([read_message(text, "FooResponse.json")])


def field(name: str, kind: str, versions: str = "0+", *inside: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = {"name": name, "type": kind, "versions": versions, **more}
    return {**made, "fields": list(inside)} if inside else made


@pytest.mark.parametrize(
    ("inside", "versions"),
    [
        ([field("Id", "int16")], None),
        ([field("Id", "uint16")], "0-2"),
        ([field("Id", "int32")], "0-2"),
        ([field("Id", "int16"), field("More", "int8", "1+")], "1-2"),
        ([field("Of", "Of", "0+", field("Id", "int16"))], None),
        ([field("No", "No", "0+", field("More", "int8", "2+")), field("Id", "int16")], "2"),
        (
            [
                field("No", "No", "0+", field("More", "int8", "2+"), nullableVersions="0+"),
                field("Id", "int16"),
            ],
            "0-2",
        ),
        ([field("Id", "[]int16")], "0-2"),
    ],
)
def test_the_type_changes_where_the_bytes_do(inside: list[dict[str, Any]], versions: str | None) -> None:
    new = protocol(type="[]Id2", fields=inside)
    found = check(protocol(type="[]int16"), new)
    said = [str(item.versions) for item in found if item.rule == "type-changed"]
    assert said == ([] if versions is None else [versions])
