"""A layout in a terminal: every fact of a field, and nothing that steers the terminal."""

from __future__ import annotations

import json

from wirebook.docgen.pages.terminal import layout_table
from wirebook.specs.layout import layout
from wirebook.specs.reader import read_message


def test_the_whole_table_of_a_small_layout() -> None:
    inner = [
        {"name": "Deep", "type": "bool", "versions": "0+", "default": "true", "about": "In two."}
    ]
    fields = [
        {
            "name": "Outer", "type": "[]One", "versions": "0+", "about": "",
            "fields": [
                {"name": "Inner", "type": "Two", "versions": "0+", "about": "A struct.", "fields": inner},
                {"name": "Id", "type": "uuid", "versions": "0+", "about": "Zero."},
            ],
        },
        {"name": "Text", "type": "string", "versions": "0+", "default": "a", "about": "word " * 14},
    ]  # fmt: skip
    spec = {
        "type": "data", "name": "Small", "validVersions": "0", "flexibleVersions": "none",
        "latestVersionUnstable": True, "deprecatedVersions": "0", "fields": fields,
    }  # fmt: skip
    shown = layout_table(layout(read_message(json.dumps(spec), "x"), 0), 20)
    assert shown.split("\n") == [
        "Small (version 0, not flexible, unstable, deprecated)",
        "",
        "field     type             null  default   tag  versions",
        "--------  ---------------  ----  --------  ---  --------",
        "Outer     ARRAY of STRUCT        empty          0+",
        "  Inner   STRUCT                 defaults       0+",
        "      A struct.",
        "    Deep  BOOLEAN                true           0+",
        "        In two.",
        "  Id      UUID                   zero           0+",
        "      Zero.",
        'Text      STRING                 "a"            0+',
        "    word word word word word word word word word word word",
        "    word word word",
        "",
    ]


def test_values_and_flags_are_below_their_field() -> None:
    deprecated = {"value": 1, "name": "fast", "deprecatedVersions": "0+"}
    values = [{"value": 0, "name": "safe", "about": "Once it is stored."}, deprecated]
    fields = [
        {"name": "Mode", "type": "int8", "versions": "0+", "about": "The mode.", "values": values},
        {
            "name": "Options",
            "type": "int8",
            "versions": "0+",
            "flags": [{"bit": 3, "name": "quiet"}],
        },
    ]
    spec = {
        "type": "data",
        "name": "Foo",
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": fields,
    }
    lines = layout_table(layout(read_message(json.dumps(spec), "Foo.json"), 0)).splitlines()
    assert [line.strip() for line in lines if line.startswith("    ")] == [
        "The mode.",
        "0 = safe: Once it is stored.",
        "1 = fast (deprecated)",
        "bit 3 = quiet",
    ]
