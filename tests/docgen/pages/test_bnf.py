"""The grammar of a layout reads as on Kafka's own page, with the tagged sections it leaves out."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from tests.specs.wire.bases import BASE
from wirebook.docgen.pages.bnf import bnf, snake_case
from wirebook.specs.layout import layout
from wirebook.specs.reader import read_message


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("FetchOffset", "fetch_offset"),
        ("ISR", "isr"),
        ("IsrNodes", "isr_nodes"),
        ("isKRaft", "is_kraft"),
    ],
)
def test_names_are_written_as_the_page_writes_them(name: str, snake: str) -> None:
    assert snake_case(name) == snake


def grammar(version: int, **changes: object) -> str:
    return bnf(layout(read_kafka(json.dumps(BASE | changes), "x"), version))


def test_an_inflexible_version() -> None:
    assert grammar(1) == (
        "Foo Request (Version: 1) => id name [items]\n"
        "  id => INT32\n"
        "  name => NULLABLE_STRING\n"
        "  items => key data [old]\n"
        "    key => UUID\n"
        "    data => NULLABLE_RECORDS\n"
        "    old => INT64\n"
    )


def test_a_flexible_version_shows_every_tagged_section() -> None:
    assert grammar(3) == (
        "Foo Request (Version: 3) => id name [items] TAG_BUFFER\n"
        "  id => INT32\n"
        "  name => COMPACT_NULLABLE_STRING\n"
        "  items => key data TAG_BUFFER\n"
        "    key => UUID\n"
        "    data => COMPACT_NULLABLE_RECORDS\n"
        "  TAG_BUFFER => early<tag: 0> late<tag: 1>\n"
        "    early => COMPACT_BYTES\n"
        "    late => INT8\n"
    )


def test_other_messages_and_empty_ones() -> None:
    assert grammar(1, type="header", name="RequestHeader", fields=[]) == "Request Header v1 =>\n"
    assert grammar(2, type="data", name="Log", fields=[]) == "Log (Version: 2) => TAG_BUFFER\n"


def test_other_protocols_have_the_names_of_their_specs() -> None:
    foo = read_message(json.dumps(BASE | {"name": "Foo"}), "x")
    first, second, *_ = bnf(layout(foo, 1)).splitlines()
    assert first == "Foo (Version: 1) => Id Name [Items]"
    assert second == "  Id => INT32"
