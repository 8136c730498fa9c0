"""The names of values and flags in explained bytes."""

from __future__ import annotations

import json

import pytest

from tests.specs.wire.layouts import own
from wirebook.docgen.render.bytes.terminal import words
from wirebook.specs.exchange.envelope import Envelope
from wirebook.specs.exchange.named import LONGEST
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.model import Protocol
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import WireError


def envelope(*fields: object) -> Envelope:
    spec = {"type": "data", "name": "Foo", "validVersions": "0-1", "flexibleVersions": "none",
            "fields": fields}  # fmt: skip
    message = read_message(json.dumps(spec).encode(), "Foo.json")
    return Envelope(layout(message, 1), Protocol((message,)))


def field(type_: str, key: str, *entries: object) -> dict[str, object]:
    return {"name": "F", "type": type_, "versions": "0+", key: entries}


MODES = field("int8", "values", {"value": -1, "name": "off"}, {"value": 1, "name": "on", "versions": "1+"})
OPTIONS = field("int8", "flags", {"bit": 0, "name": "urgent"}, {"bit": 7, "name": "last"})


@pytest.mark.parametrize(
    ("declared", "data", "shown"),
    [
        (MODES, "ff", "-1 (off)"),
        (MODES, "01", "1 (on)"),
        (MODES, "02", "2"),
        (OPTIONS, "00", "0"),
        (OPTIONS, "81", "-127 (urgent, last)"),
        (OPTIONS, "07", "7 (urgent, unknown bits 1, 2)"),
        (OPTIONS, "40", "64 (unknown bit 6)"),
    ],
)
def test_a_number_is_shown_with_its_name(declared: object, data: str, shown: str) -> None:
    (part, span), *_ = envelope(declared).spans(bytes.fromhex(data))
    assert (part, words(span)) == ("body", shown)


def test_elements_of_an_array_have_names() -> None:
    made = envelope(field("[]int16", "values", {"value": 3, "name": "three"}))
    spans = [span for _, span in made.spans(bytes.fromhex("00000002 0003 0004"))]
    assert [span.name for span in spans] == ["", "three", ""]
    assert ["name" in span.to_json() for span in spans] == [False, True, False]


def test_bytes_before_an_error_have_names() -> None:
    made = envelope(MODES, {"name": "G", "type": "int32", "versions": "0+"})
    with pytest.raises(WireError) as raised:
        made.decode(b"\x01\x00")
    assert [span.name for _, span in made.read_until(b"\x01\x00", raised.value)] == ["on"]


def test_a_long_name_is_shortened() -> None:
    made = envelope(field("int8", "values", {"value": 1, "name": "n" * 1000}))
    (_, span), *_ = made.spans(b"\x01")
    assert span.name == "n" * LONGEST + "…"


def test_kafkas_values_have_names() -> None:
    made = Envelope(own("ListOffsetsRequest", 2), embedded_protocol())
    names = {span.field: span.name for _, span in made.spans(bytes.fromhex("ffffffff 01 00000000"))}
    assert names == {"ReplicaId": "consumer", "IsolationLevel": "READ_COMMITTED", "Topics": ""}


@pytest.mark.parametrize(
    ("declared", "value", "data"),
    [
        (MODES, "off", "ff"),
        (MODES, 7, "07"),
        (OPTIONS, [], "00"),
        (OPTIONS, ["urgent", "last"], "81"),
        (OPTIONS, "urgent", "01"),
        (OPTIONS, 3, "03"),
        (field("[]int8", "values", {"value": 1, "name": "on"}), ["on", 2], "000000020102"),
        (field("uint16", "flags", {"bit": 15, "name": "last"}), ["last"], "8000"),
    ],
)
def test_names_are_encoded_as_numbers(declared: object, value: object, data: str) -> None:
    assert envelope(declared).encode({"F": value}).hex() == data


def test_names_in_structs_are_encoded_and_others_refused() -> None:
    struct = {"name": "S", "type": "[]Setting", "versions": "0+", "fields": [MODES]}
    made = envelope(struct)
    assert made.encode({"S": [{"F": "on"}, {"F": -1}]}).hex() == "0000000201ff"
    with pytest.raises(WireError, match=r'S\.F: "of" is not the name of a value: off, on'):
        made.encode({"S": [{"F": "of"}]})


def test_a_boolean_in_the_place_of_a_listed_number_has_no_name() -> None:
    """A fork may have another type for a field that a table of Kafka's lists values of."""
    spec = embedded_protocol().find("FetchRequest")
    assert spec is not None
    field = next(each for each in spec.fields if each.name == "IsolationLevel")
    other = field._replace(type="bool", has_default=False, default=None)
    message = spec._replace(fields=(other,))
    opened = Envelope(layout(message, 4), Protocol((message,)))
    (part, span), *_ = opened.spans(b"\x01")
    assert (part, words(span)) == ("body", "true")
