"""The model as written: which fields the struct of a field has."""

from __future__ import annotations

import json

import pytest

from wirebook.specs.model import STANDING, Field, HistoryEntry, Message, Protocol, Struct
from wirebook.specs.profile import NEUTRAL, Profile, header_name
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions

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


def test_a_message_is_known_by_its_key_or_its_name() -> None:
    request = message({"type": "int8"})
    assert request.identity == ("request", 900)
    assert (request.api, repr(request), repr(request.fields[0])) == (
        "Foo",
        "<Message FooRequest>",
        "<Field Held>",
    )
    for changes, identity in (
        ({"type": "response", "name": "FooResponse"}, ("response", 900)),
        ({"type": "data"}, ("data", "FooRequest")),
        ({"api_key": None}, ("request", "FooRequest")),
        ({"api_key": 0}, ("request", 0)),
    ):
        assert request._replace(**changes).identity == identity


@pytest.mark.parametrize(
    ("name", "kind", "api"),
    [
        ("FetchRequest", "request", "Fetch"),
        ("FetchResponse", "response", "Fetch"),
        ("FetchResponse", "request", "FetchResponse"),
        ("FetchRequest", "data", "FetchRequest"),
        ("Request", "request", "Request"),
        ("RequestRequest", "request", "Request"),
    ],
)
def test_the_name_of_an_api(name: str, kind: str, api: str) -> None:
    assert NEUTRAL.api_name(name, kind) == api


def test_names_end_as_the_profile_says() -> None:
    profile = Profile(suffixes={"request": "Command", "response": "", "event": "Event"})
    names = [("SetCommand", "request"), ("SetResponse", "response"), ("SetEvent", "event")]
    assert [profile.api_name(*name) for name in names] == ["Set", "SetResponse", "SetEvent"]
    assert [header_name(kind) for kind in ("request", "push-event", "door_opened", "pushEvent")] == [
        "RequestHeader",
        "PushEventHeader",
        "DoorOpenedHeader",
        "PushEventHeader",
    ]


def test_a_field_is_an_array_or_a_struct_by_its_type() -> None:
    kinds = {kind: message({"type": kind}).fields[0] for kind in ("int8", "[]int8", "S", "[]S", "[]T")}
    assert {kind: (field.is_array, field.is_struct, field.element) for kind, field in kinds.items()} == {
        "int8": (False, False, "int8"),
        "[]int8": (True, False, "int8"),
        "S": (False, True, "S"),
        "[]S": (True, True, "S"),
        "[]T": (True, True, "T"),
    }
    alike = [(a, b) for a in kinds for b in kinds if kinds[a].is_struct_like(kinds[b])]
    assert alike == [("S", "S"), ("[]S", "[]S"), ("[]S", "[]T"), ("[]T", "[]S"), ("[]T", "[]T")]


def test_a_protocol_is_in_the_order_of_keys_apis_and_types() -> None:
    base = message({"type": "int8"})
    rows: list[tuple[str, str, int | None]] = [
        ("BRecord", "data", None), ("ARequest", "request", None), ("CResponse", "response", 2),
        ("CRequest", "request", 2), ("DRequest", "request", 0), ("BRequest", "request", 2),
    ]  # fmt: skip
    made = [base._replace(name=name, type=kind, api_key=key) for name, kind, key in rows]
    protocol = Protocol.of(made, "all")
    assert [each.name for each in protocol] == [
        "DRequest", "BRequest", "CRequest", "CResponse", "ARequest", "BRecord",
    ]  # fmt: skip
    assert (len(protocol), protocol.name) == (6, "all")
    assert [each.name for each in protocol.api("2")] == ["BRequest", "CRequest", "CResponse"]
    assert protocol.api("BRecord") == protocol.api("9") == protocol.api("CRequest") == ()
    assert [each.name for each in protocol.api("c")] == ["CRequest", "CResponse"]


def test_the_first_common_struct_of_a_name_counts() -> None:
    struct = {"name": "S", "versions": "0+", "fields": [ID]}
    spec = {
        "type": "data", "name": "Foo", "validVersions": "0", "flexibleVersions": "none", "fields": [],
        "commonStructs": [struct, {**struct, "fields": [OTHER]}],
    }  # fmt: skip
    found = read_message(json.dumps(spec), "x").struct("S")
    assert found is not None
    assert found.fields[0].name == "Id"


def test_texts_and_places_do_not_count_for_equality() -> None:
    one = message({"type": "int8"})
    for changes in (
        {"path": "x"},
        {"header": ("x",)},
        {"problems": (1,)},
        {"profile": Profile("x")},
        {"texts": 1},
    ):
        assert one._replace(**changes) == one
    for changed in (
        {"name": "x"},
        {"valid_versions": Versions.NONE},
        {"listeners": ("x",)},
        {"latest_version_unstable": True},
    ):
        assert one._replace(**changed) != one
    assert one == read_message(one.written.lines.text.replace('"fields"', ' "fields"'), "y")


def test_what_a_spec_leaves_out_is_the_default_of_the_model() -> None:
    spec = {
        "type": "data", "name": "Foo", "validVersions": "0",
        "fields": [{"name": "A", "type": "int8", "versions": "0+"}],
        "commonStructs": [{"name": "S", "versions": "0+", "fields": []}], "history": [{"version": 3}],
    }  # fmt: skip
    found = read_message(json.dumps(spec), "x")
    (field,), (struct,), (entry,) = found.fields, found.common_structs, found.history
    always, written = Versions.ALL, found.written
    assert field == Field(written, "A", "int8", always)
    absent = (field.fields, field.tag, field.default, field.entity_type, field.flexible_versions)
    assert absent == (None,) * 5
    assert (field.has_default, field.ignorable, field.map_key, field.zero_copy) == (False,) * 4
    assert field.nullable_versions == field.tagged_versions == Versions.NONE
    assert struct == Struct(written, "S", always, ())
    assert entry == HistoryEntry(written, 3)
    assert [getattr(entry, key) for key in STANDING] == [None] * len(STANDING)
    given = {"fields": (field,), "common_structs": (struct,), "history": (entry,)}
    assert found == Message(written, "Foo", "data", Versions(0, 0), **given)  # type: ignore[arg-type]
    assert (found.header_versions, found.api_key) == (None, None)
    assert (found.listeners, found.latest_version_unstable) == ((), False)
    assert found.flexible_versions == found.deprecated_versions == Versions.NONE
    # A failed comparison prints no whole message.
    assert all(len(repr(each)) < 100 for each in (found, field, struct, entry))
