"""The encoder of the browser and the codec agree: bytes, what cannot be encoded, and numbers of 64 bits."""

from __future__ import annotations

import json
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
