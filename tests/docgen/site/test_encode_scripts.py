"""The encoder of the browser and the codec agree: bytes, what cannot be encoded, and numbers of 64 bits."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.docgen.render.byte_pages import embedded
from tests.docgen.site.scripts import Scripts, needs_node, running
from tests.specs.wire.wire_values import values
from wirebook.docgen.render.bytes.examples import cases
from wirebook.specs.wire.codec import exported_codec
from wirebook.specs.wire.layout import Layout, layouts
from wirebook.specs.wire.scalars import WireError

pytestmark = needs_node

ENCODE = """
({ layout, text }) => {
  try {
    const bytes = wirebookEncode.encode(layout, wirebookEncode.parse(text));
    return JSON.stringify({ hex: Buffer.from(bytes).toString("hex") });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}
"""
LITERALS = """
(hex) => JSON.stringify(
  wirebookEncode.literals(Uint8Array.from(Buffer.from(hex, "hex"))).map((each) => [each.name, each.text])
)
"""


@pytest.fixture(scope="module")
def script() -> Iterator[Scripts]:
    with running(ENCODE, "codec.js", "encode.js") as scripts:
        yield scripts


def in_browser(script: Scripts, layout: Layout, value: Any) -> Any:
    exported = json.loads(json.dumps(layout.exported().to_json()), parse_int=exact)
    return script.ask({"layout": exported, "text": json.dumps(value)})


def exact(digits: str) -> int | str:
    """A number as published.js reads it: defaults of 64 bits are digits."""
    return digits if len(digits.lstrip("-")) >= 16 else int(digits)


def test_examples_of_every_message_have_the_bytes_of_the_codec(script: Scripts) -> None:
    """A fifth of all versions, another one of each message."""
    for number, message in enumerate(embedded()):
        for layout in layouts(message)[number % 5 :: 5]:
            for case in cases(layout.exported()):
                assert in_browser(script, layout, case.value) == {"hex": case.body.hex()}, (
                    message.name,
                    layout.version,
                    case.name,
                )


@pytest.mark.long
def test_five_hundred_random_messages_have_the_bytes_of_the_codec(script: Scripts) -> None:
    shapes = [layout for message in embedded() for layout in layouts(message)]

    @settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        layout = data.draw(st.sampled_from(shapes))
        value = data.draw(values(layout))
        assert in_browser(script, layout, value) == {
            "hex": exported_codec(layout.exported()).encode(value).hex()
        }

    agree()


PARTITION = {"Topics": [{"Partitions": [{"FetchOffset": 2**63}]}]}


@pytest.mark.parametrize(
    "value",
    [
        {"Nonsense": 1}, {"Topics": None}, {"Topics": 3}, {"MaxWaitMs": "x"}, {"MaxWaitMs": 1.5},
        {"MaxWaitMs": 2**31}, {"RackId": 5}, {"RackId": None}, {"Topics": [{"TopicId": "x"}]}, PARTITION,
        [], "text", None, {"@unknownTaggedFields": [{"tag": 2147483647, "data": ""}]},
    ],
)  # fmt: skip
def test_what_cannot_be_encoded_names_the_field(script: Scripts, value: Any) -> None:
    fetch = next(layout for layout in layouts(next(m for m in embedded() if m.name == "FetchRequest"))[::-1])
    with pytest.raises(WireError) as refused:
        exported_codec(fetch.exported()).encode(value)
    told = in_browser(script, fetch, value)["error"]
    assert told.partition(": ")[0].split(".")[-1] in str(refused.value) or not refused.value.path


def test_numbers_of_64_bits_keep_all_digits(script: Scripts) -> None:
    fetch = layouts(next(message for message in embedded() if message.name == "ListOffsetsRequest"))[1]
    value = {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0, "Timestamp": -(2**63)}]}]}
    assert "8000000000000000" in in_browser(script, fetch, value)["hex"]
    assert (
        "Error"
        in script.ask({"layout": json.loads(json.dumps(fetch.exported().to_json())), "text": "{"})["error"]
    )


@pytest.mark.parametrize("number", [0.30000000000000004, -0.1234567890123456, 1e300, 1234567890123456.5])
def test_floats_of_many_digits_are_read(script: Scripts, number: float) -> None:
    request = next(message for message in embedded() if message.name == "AlterClientQuotasRequest")
    ops = [{"Key": "k", "Value": number, "Remove": False}]
    value = {"Entries": [{"Entity": [], "Ops": ops}], "ValidateOnly": False}
    assert struct.pack(">d", number).hex() in in_browser(script, layouts(request)[0], value)["hex"]


def test_literals_have_the_bytes() -> None:
    with running(LITERALS, "codec.js", "encode.js") as scripts:
        made = dict(scripts.ask("00ff7f80"))
        assert list(made) == ["Python", "Go", "Java", "Rust", "C"]
        scope: dict[str, bytes] = {}
        exec(made["Python"], scope)
        assert scope["data"] == b"\x00\xff\x7f\x80"
        assert made["Go"] == "data := []byte{\n    0x00, 0xff, 0x7f, 0x80,\n}"
        assert made["Java"] == "byte[] data = {\n    0x00, (byte) 0xff, 0x7f, (byte) 0x80,\n};"
        assert made["Rust"].startswith("let data: [u8; 4] = [")
        assert made["C"].startswith("const unsigned char data[4] = {")
        assert dict(scripts.ask(""))["Python"] == 'data = bytes.fromhex(\n    ""\n)'
