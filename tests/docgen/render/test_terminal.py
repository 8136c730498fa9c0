"""A layout in a terminal: every fact of a field, and nothing that steers the terminal."""

from __future__ import annotations

import json

from tests.specs.wire.test_layout import BASE
from wirebook.docgen.render.terminal import table
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout


def test_a_table_names_every_field_with_its_facts() -> None:
    fields = [
        field | {"about": "What it means to a client author, at some length. " * 3}
        for field in BASE["fields"]
    ]
    text = table(layout(read_message(json.dumps(BASE | {"fields": fields}), "x"), 3), 70)
    lines = text.split("\n")
    assert lines[0] == "FooRequest (API key 1, version 3, flexible, request header 2)"
    rows = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith("    ")}
    assert rows["Id"] == ["INT32", "0", "0+"]
    assert rows["Name"] == ["COMPACT_NULLABLE_STRING", "yes", '""', "0+"]
    assert rows["Items"] == ["COMPACT_ARRAY", "of", "STRUCT", "empty", "1+"]
    assert rows["Data"] == ["COMPACT_NULLABLE_RECORDS", "yes", "null", "0+"]
    assert rows["Late"] == ["INT8", "-1", "1", "3+"]
    assert "    What it means to a client author, at some length. What it means to" in lines
    assert all(len(line) <= 72 for line in lines)


def test_a_message_without_fields_says_so() -> None:
    assert "(no fields)" in table(layout(read_message(json.dumps(BASE | {"fields": []}), "x"), 0))
