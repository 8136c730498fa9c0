"""A message written as a spec is the same message when it is read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.together import together
from wirebook.specs.kafka.registry import embedded_paths, read_embedded
from wirebook.specs.reading.reader import read_message
from wirebook.specs.writing.documents import spec_text_of

PATHS = embedded_paths()


@together("path", PATHS, ids=lambda path: path.stem)
def test_what_is_written_is_read_again(path: Path) -> None:
    message = read_embedded(path)._replace(history=())
    again = read_message(spec_text_of(message).encode(), f"{message.name}.json")
    assert again._replace(problems=message.problems) == message
    assert again.problems == ()


def test_every_key_is_written() -> None:
    field = {
        "name": "F", "type": "[]S", "versions": "0+", "nullableVersions": "0+", "taggedVersions": "1+",
        "flexibleVersions": "1+", "tag": 0, "default": "null", "ignorable": True, "mapKey": True,
        "zeroCopy": True, "entityType": "x", "about": "ä\u2028",
    }  # fmt: skip
    spec = {
        "apiKey": 3, "type": "request", "name": "ARequest", "about": "Why.", "listeners": ["a"],
        "validVersions": "0-3",
        "deprecatedVersions": "0", "flexibleVersions": "1+", "headerVersions": {"0": 1, "1+": 2},
        "latestVersionUnstable": True,
        "commonStructs": [{"name": "S", "versions": "0+", "deprecatedVersions": "0", "fields": [field]}],
        "fields": [field],
    }  # fmt: skip
    message = read_message(json.dumps(spec).encode(), "x")
    assert json.loads(spec_text_of(message)) == spec


def test_values_and_flags_are_written() -> None:
    value = {"value": -1, "name": "a", "about": "It.", "versions": "1+", "deprecatedVersions": "2+",
             "formerNames": ["b"]}  # fmt: skip
    fields = [
        {"name": "A", "type": "int8", "versions": "0+", "values": [value, {"value": 0, "name": "c"}]},
        {"name": "B", "type": "[]uint16", "versions": "1+", "flags": [{"bit": 15, "name": "d"}]},
    ]
    spec = {"type": "data", "name": "A", "validVersions": "0-3", "flexibleVersions": "none", "fields": fields}
    message = read_message(json.dumps(spec).encode(), "x")
    assert json.loads(spec_text_of(message)) == spec
    assert message.lists_values
