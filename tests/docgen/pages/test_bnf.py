"""The grammar of a layout reads as on Kafka's own page, with the tagged sections it leaves out."""

from __future__ import annotations

import json

from tests.kafka import read_kafka
from tests.specs.wire.bases import BASE
from wirebook.docgen.pages.bnf import bnf
from wirebook.specs.layout import layout


def grammar(version: int, **changes: object) -> str:
    return bnf(layout(read_kafka(json.dumps(BASE | changes), "x"), version))


def test_an_inflexible_version() -> None:
    assert grammar(1) == (
        "FooRequest (Version: 1) => Id Name [Items]\n"
        "  Id => INT32\n"
        "  Name => NULLABLE_STRING\n"
        "  Items => Key Data [Old]\n"
        "    Key => UUID\n"
        "    Data => NULLABLE_RECORDS\n"
        "    Old => INT64\n"
    )


def test_a_flexible_version_shows_every_tagged_section() -> None:
    assert grammar(3) == (
        "FooRequest (Version: 3) => Id Name [Items] TAG_BUFFER\n"
        "  Id => INT32\n"
        "  Name => COMPACT_NULLABLE_STRING\n"
        "  Items => Key Data TAG_BUFFER\n"
        "    Key => UUID\n"
        "    Data => COMPACT_NULLABLE_RECORDS\n"
        "  TAG_BUFFER => Early<tag: 0> Late<tag: 1>\n"
        "    Early => COMPACT_BYTES\n"
        "    Late => INT8\n"
    )


def test_other_messages_and_empty_ones() -> None:
    assert (
        grammar(1, type="header", name="RequestHeader", fields=[])
        == "RequestHeader (Version: 1) =>\n"
    )
    assert grammar(2, type="data", name="Log", fields=[]) == "Log (Version: 2) => TAG_BUFFER\n"
