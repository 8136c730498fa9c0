"""New specs: their text, the next key, and the licence that most specs begin with."""

from __future__ import annotations

import json

import pytest

from tests.kafka import read_kafka
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.writing.new_specs import NewField, NewSpec, common_licence, next_key, spec_of

REQUEST = """\
// Ours.
{
  "apiKey": 0,
  "type": "request",
  "listeners": ["broker", "controller"],
  "name": "FooRequest",
  "validVersions": "0",
  "flexibleVersions": "0+",
  "history": [
    { "version": 0, "added": "1.0-IV0",
      "about": "The first version." }
  ],
  "fields": [
    { "name": "Name", "type": "string", "versions": "0+",
      "about": "TODO: what the field means, its unit, and who sets it." }
  ]
}
"""
RESPONSE = """\
{
  "type": "response",
  "name": "FooResponse",
  "validVersions": "0",
  "flexibleVersions": "0+",
  "fields": [
    { "name": "ErrorCode", "type": "int16", "versions": "0+",
      "about": "The error code, or 0 if there was no error." }
  ]
}
"""


@pytest.mark.parametrize(
    ("new", "text"),
    [
        (NewSpec("FooRequest", "request", 0, ("broker", "controller"), "// Ours.\n", "1.0-IV0"), REQUEST),
        (NewSpec("FooResponse", "response"), RESPONSE),
    ],
)
def test_a_new_spec_is_laid_out_as_others(new: NewSpec, text: str) -> None:
    assert spec_of(new) == text
    message = read_message(text, "x.json")
    assert (message.name, message.type, message.api_key, message.listeners) == (
        new.name,
        new.type,
        new.api_key,
        tuple(new.listeners),
    )


def test_every_text_in_a_new_spec_is_escaped() -> None:
    field = NewField('a"b', "c\\d", 'e"\n\u2603')
    document = json.loads(spec_of(NewSpec("RequestHeader", "header", fields=[field], listeners=['"'])))
    assert document["listeners"] == ['"']
    assert document["fields"] == [
        {"name": field.name, "type": field.type, "versions": "0+", "about": field.about}
    ]


def message(kind: str, key: int | None) -> Message:
    keyed = {} if key is None else {"apiKey": key}
    spec = {**keyed, "type": kind, "name": "Foo", "validVersions": "0", "flexibleVersions": "none"}
    return read_kafka(json.dumps(spec | {"fields": []}).encode(), "x.json")


@pytest.mark.parametrize(
    ("messages", "key"),
    [
        ([], 0),
        ([("request", 0)], 1),
        ([("request", 3), ("response", 7), ("request", 5)], 8),
        # The keys of records are numbers of their own.
        ([("request", 3), ("metadata", 9), ("data", None)], 4),
        ([("request", None)], 0),
    ],
)
def test_the_next_key_is_above_all_others(messages: list[tuple[str, int | None]], key: int) -> None:
    assert next_key(message(*each) for each in messages) == key


A, B = "// A {\n// licence\n\n", "/* B */ "


@pytest.mark.parametrize(
    ("heads", "licence"),
    [
        ([], ""),
        ([A], A),
        ([A, ""], ""),
        ([A, A, ""], A),
        ([A, B], ""),
        ([A, B, A], A),
        ([A, A, B, B], ""),
        (["", "", A], ""),
        (["\n", "\n"], ""),
        (["\n" + A, "\n" + A], "\n" + A),
    ],
)
def test_the_licence_is_that_of_more_than_half_of_the_specs(heads: list[str], licence: str) -> None:
    assert common_licence(head + '{ // later\n "a": 1 } // end\n' for head in heads) == licence
