"""The values of examples: what each name, type and struct leads to, and the headers of any protocol."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docgen.histories import Spec, field, request, response, text_of
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.render.bytes.batches import assignment, records, subscription
from wirebook.docgen.render.bytes.examples import cases, header
from wirebook.docgen.render.bytes.headers import EMBEDDED, ProtocolHeaders
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.exported import ExportedLayout
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.shape import UNKNOWN

UUID = "6f1e2c3d-8a9b-4c5d-9e0f-a1b2c3d4e5f6"


def exported(spec: Spec, version: int = 0) -> ExportedLayout:
    return layout(read_message(text_of(spec), "x.json"), version).exported()


def example(spec: Spec, name: str = "filled", version: int = 0, server: str = "server") -> dict[str, Any]:
    """The value of one example of a spec."""
    found = {case.name: case.value for case in cases(exported(spec, version), server=server)}
    return found[name]


def filled(kind: str, *fields: Spec) -> dict[str, Any]:
    """The value of fields in a message with others, without which it might be an empty one."""
    make = response if kind == "response" else request
    found = example(make("Foo", 900, "0", *fields, field("Filler"), flexibleVersions="0+"))
    assert found.pop("Filler") == 1
    return found


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("Offset", "int64", 1042),
        # Too large for its type.
        ("Offset", "int8", 1),
        ("Port", "int16", 9092),
        ("Port", "uint16", 9092),
        ("MaxVersionLevel", "int8", 25),
        ("Acks", "int16", -1),
        # No number below zero.
        ("Acks", "uint16", 1),
        ("Acks", "uint32", 1),
        # The longest word that the name ends with.
        ("LastLeaderEpoch", "int32", 5),
        ("FirstTimestamp", "int64", 1_700_000_000_000),
        ("TopicErrorCode", "int16", 0),
        ("TopicConfigErrorCode", "int16", 29),
        ("OtherErrorCode", "int16", 0),
        ("Unheard", "int32", 1),
        ("ReplicaId", "int32", -1),
        ("Share", "float64", 0.5),
        ("Id", "uuid", UUID),
        ("Done", "bool", True),
        ("ValidateOnly", "bool", False),
        ("Host", "string", "server-1.example.org"),
        ("ClientHost", "string", "/192.0.2.7"),
        ("Name", "string", "example"),
        ("ErrorMessage", "string", ""),
        ("BatchIndexErrorMessage", "string", "Invalid record"),
        ("Unheard", "string", "unheard"),
        ("AVeryLongNameOfAFieldThatIsCut", "string", "averylongnameofafieldtha"),
        ("UserMetadata", "bytes", subscription("orders").hex()),
        ("MemberAssignment", "bytes", assignment("orders").hex()),
        ("AVeryLongName", "bytes", b"averylon".hex()),
        ("Payload", "records", records(2).hex()),
        ("Partitions", "[]int32", [1, 2]),
        ("Offsets", "[]int64", [1, 2]),
        ("IsrNodes", "[]int32", [1]),
        ("IsrNodes", "[]int64", [1, 2]),
        ("OfflineReplicas", "[]int32", [2]),
        ("Groups", "[]string", ["billing"]),
        ("Flags", "[]bool", [True]),
        ("Ids", "[]uuid", [UUID]),
    ],
)
def test_a_field_has_the_value_that_its_name_and_type_suggest(name: str, kind: str, value: object) -> None:
    assert filled("request", field(name, kind))[name] == value


def test_passwords_are_only_in_requests() -> None:
    assert filled("request", field("AuthBytes", "bytes"))["AuthBytes"] == b"\0alice\0secret".hex()
    assert filled("response", field("AuthBytes", "bytes"))["AuthBytes"] == ""


@pytest.mark.parametrize(
    ("kind", "entity", "value"),
    [
        ("string", "topicName", "orders"),
        ("string", "groupId", "billing"),
        ("int32", "brokerId", 1),
        ("int64", "producerId", 4000),
        ("string", "transactionalId", "payments-1"),
    ],
)
def test_an_entity_has_its_value_under_any_name(kind: str, entity: str, value: object) -> None:
    assert filled("request", field("Some", kind, entityType=entity))["Some"] == value
    assert filled("request", field("Name", kind, entityType=entity))["Name"] == value


def test_a_name_depends_on_the_struct_around_it() -> None:
    structs = {
        "Topics": "orders", "DeletedTopicStates": "orders", "Configs": "retention.ms",
        "SupportedFeatures": "metadata.version", "Others": "example",
    }  # fmt: skip
    fields = [field(name, f"[]{name}Struct", fields=[field("Name", "string")]) for name in structs]
    assert filled("request", *fields) == {name: [{"Name": value}] for name, value in structs.items()}


def test_versions_of_features_differ_from_other_versions() -> None:
    inner = [field("MinVersion", "int16"), field("MaxVersion", "int16")]
    fields = [field(name, f"[]{name}Struct", fields=inner) for name in ("SupportedFeatures", "ApiKeys")]
    assert filled("response", *fields) == {
        "SupportedFeatures": [{"MinVersion": 1, "MaxVersion": 27}],
        "ApiKeys": [{"MinVersion": 0, "MaxVersion": 4}],
    }


def test_a_replica_in_a_struct_is_a_server() -> None:
    inside = field("State", "ReplicaState", fields=[field("ReplicaId")])
    assert filled("request", inside) == {"State": {"ReplicaId": 1}}


def tagged(name: str, kind: str, tag: int, **more: Any) -> Spec:
    return field(name, kind, tag=tag, taggedVersions="0+", **more)


def test_a_tagged_field_never_has_its_default_so_that_it_is_written() -> None:
    fields = [
        field("A"),
        tagged("Epoch", "int32", 0, default="5"),
        tagged("MemberEpoch", "int32", 1, default="-1"),
        tagged("ReadOnly", "bool", 2),
        tagged("On", "bool", 3, default="true"),
        tagged("Note", "string", 4, nullableVersions="0+", default="null"),
    ]
    spec = request("Foo", 900, "0", *fields, flexibleVersions="0+")
    assert example(spec, "tagged") == {
        "A": 1, "Epoch": 6, "MemberEpoch": 7, "ReadOnly": True, "On": False, "Note": "note",
    }  # fmt: skip
    assert example(spec) == {"A": 1}
    assert example(spec, "unknown-tag") == {"A": 1, UNKNOWN: [{"tag": 10_000, "data": "beef"}]}


def test_an_empty_one_is_null_wherever_it_may_be_and_has_the_defaults_elsewhere() -> None:
    fields = [
        field("A", default="7"),
        field("Text", "string"),
        field("Null", "string", nullableVersions="0+", default="text"),
        field("Many", "[]int32"),
        field("Structs", "[]Struct", fields=[field("X")]),
        field("Struct", "Inner", fields=[field("Y", default="3"), tagged("Z", "int8", 0)]),
        field("Nullable", "Other", nullableVersions="0+", fields=[field("V")]),
        tagged("T", "int32", 0),
    ]
    spec = request("Foo", 900, "0", *fields, flexibleVersions="0+")
    assert example(spec, "empty") == {
        "A": 7, "Text": "", "Null": None, "Many": [], "Structs": [], "Struct": {"Y": 3}, "Nullable": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("api", "magics"), [("Produce", [0, 0, 1, 2, 2]), ("Fetch", [0, 0, 1, 1, 2]), ("Other", [2, 2, 2])]
)
def test_records_are_of_the_format_of_the_version(api: str, magics: list[int]) -> None:
    spec = request(api, 900, f"0-{len(magics) - 1}", field("Records", "records"))
    found = [example(spec, version=version)["Records"] for version in range(len(magics))]
    assert found == [records(magic).hex() for magic in magics]
    # The byte that says so: the seventeenth of each format.
    assert [bytes.fromhex(each)[16] for each in found] == magics


def test_servers_have_the_name_that_the_protocol_has_for_them() -> None:
    inner = [field("Host", "string"), field("Rack", "string")]
    spec = response("Foo", 900, "0", field("Host", "string"), field("Nodes", "[]Node", fields=inner))
    for server, host in (("server", "server-1"), ("broker", "broker-1"), ("Edge node", "edge-node-1")):
        assert example(spec, server=server) == {
            "Host": f"{host}.example.org",
            "Nodes": [{"Host": f"{host}.example.org", "Rack": "rack-a"}],
        }


# Headers


def own_headers(*fields: Spec, valid: str = "0-2") -> ProtocolHeaders:
    """Headers of a protocol of its own."""
    spec = {
        "type": "header", "name": "RequestHeader", "validVersions": valid, "flexibleVersions": "2+",
        "fields": list(fields),
    }  # fmt: skip
    message = read_message(text_of(spec), "RequestHeader.json")
    own = {("request", number): layout(message, number).exported() for number in (0, 1, 2)}
    return ProtocolHeaders(own, EMBEDDED.fields)


def head(headers: ProtocolHeaders, name: str, version: int, **changes: Any) -> dict[str, Any] | None:
    of = exported(request("Foo", 900, "0", field("A")))._replace(header_version=version, **changes)
    found = header(of, name, headers)
    if found is None:
        return None
    assert found.codec.decode(found.data) == found.value
    assert found.version == version
    return found.value


def test_an_own_header_has_what_is_known_of_the_message_and_its_constants() -> None:
    headers = own_headers(
        field("Magic", default="42"),
        field("Zero"),
        field("RequestApiKey", "int16"),
        field("RequestApiVersion", "int16", default="9"),
        field("CorrelationId", "int64"),
        field("ClientId", "string", "1+", nullableVersions="2+"),
        tagged("Extra", "int32", 0, default="3") | {"versions": "2+", "taggedVersions": "2+"},
    )
    known = {"Magic": 42, "Zero": 1, "RequestApiKey": 900, "RequestApiVersion": 0, "CorrelationId": 1}
    assert head(headers, "filled", 0) == known
    assert head(headers, "filled", 1) == {**known, "ClientId": "my-client"}
    assert head(headers, "filled", 2) == {**known, "ClientId": "my-client"}
    # Null is for an empty one, where it may be.
    assert head(headers, "empty", 1) == {**known, "ClientId": "my-client"}
    assert head(headers, "empty", 2) == {**known, "ClientId": None}
    # What has no key has the value of any other field.
    assert head(headers, "filled", 0, api_key=None) == {**known, "RequestApiKey": 18}
    assert head(headers, "filled", 3) is None
    assert head(headers, "filled", 0, type="response") is None


def test_an_own_header_that_cannot_be_written_is_none() -> None:
    headers = own_headers(field("Text", "string", default="x" * 40_000))
    assert head(headers, "filled", 0) is None


def test_the_headers_of_kafka_are_known_without_specs() -> None:
    kafka = ProtocolHeaders.of((), ProtocolRecord(family="kafka"))
    known = {"RequestApiKey": 900, "RequestApiVersion": 0, "CorrelationId": 1}
    assert head(kafka, "filled", 1) == {**known, "ClientId": "my-client"}
    assert head(kafka, "empty", 2) == {**known, "ClientId": None}
    assert head(kafka, "filled", 0) == known
    assert head(ProtocolHeaders.of((), ProtocolRecord()), "filled", 1) is None
    assert [item.version for item in kafka.layouts("request")] == [0, 1, 2]
    assert [item.version for item in own_headers().layouts("request")] == [0, 1, 2]
    assert list(own_headers().layouts("response")) == []
