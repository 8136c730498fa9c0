"""The model as written: which fields the struct of a field has."""

from __future__ import annotations

import json

from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message

ID: dict[str, object] = {"name": "Id", "type": "int32", "versions": "0+"}
OTHER: dict[str, object] = {"name": "Other", "type": "int8", "versions": "0+"}


def message(field: dict[str, object], **structs: list[dict[str, object]]) -> Message:
    """A message with one field, named Held, and common structs of the given fields."""
    return read_message(
        json.dumps(
            {
                "apiKey": 900,
                "type": "request",
                "name": "FooRequest",
                "validVersions": "0-1",
                "flexibleVersions": "1+",
                "fields": [{"name": "Held", "versions": "0+", **field}],
                "commonStructs": [
                    {"name": name, "versions": "0+", "fields": fields} for name, fields in structs.items()
                ],
            }
        ),
        "FooRequest.json",
    )


def names(message: Message) -> list[str] | None:
    fields = message.fields_of(message.fields[0])
    return None if fields is None else [field.name for field in fields]


def test_the_fields_written_in_a_field_are_those_of_its_struct() -> None:
    assert names(message({"type": "Item", "fields": [ID]})) == ["Id"]
    assert names(message({"type": "[]Item", "fields": [ID]})) == ["Id"]
    assert names(message({"type": "[]Item", "fields": [ID]}, Item=[OTHER])) == ["Id"]


def test_a_type_names_a_common_struct() -> None:
    assert names(message({"type": "Item"}, Item=[ID], Unused=[OTHER])) == ["Id"]
    assert names(message({"type": "[]Item"}, Unused=[OTHER], Item=[ID])) == ["Id"]
    assert names(message({"type": "[]Item", "fields": []}, Item=[ID])) == ["Id"]


def test_an_empty_struct_has_no_fields_and_an_unknown_one_is_none() -> None:
    assert names(message({"type": "Item", "fields": []})) == []
    assert names(message({"type": "Item"}, Item=[])) == []
    assert names(message({"type": "Item", "fields": []}, Item=[])) == []
    assert names(message({"type": "Item"}, Unused=[ID])) is None
    assert names(message({"type": "[][]Item"}, Item=[ID])) is None


def test_a_primitive_has_no_fields() -> None:
    assert names(message({"type": "int32"})) is None
    assert names(message({"type": "[]string"}, Item=[ID])) is None
    assert names(message({"type": "int32", "fields": [ID]})) is None


def test_a_struct_that_holds_itself_is_resolved_one_level_at_a_time() -> None:
    own = message({"type": "Item"}, Item=[ID, {"name": "Next", "type": "Item", "versions": "0+"}])
    fields = own.fields_of(own.fields[0])
    assert fields is not None
    assert own.fields_of(fields[1]) is fields
    assert own.fields_of(fields[0]) is None
