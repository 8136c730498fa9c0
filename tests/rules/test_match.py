"""One matcher: findings, `wirebook changes` and the layouts of pages agree on which field is
which."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.rules.diff.layouts import layout_changes
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.engine import check
from wirebook.rules.parts import MessagePair, structs
from wirebook.specs.layout import layout
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reader import read_message

Names = tuple[str | None, str | None]


def message(*fields: dict[str, Any], **keys: Any) -> Message:
    whole = [{"type": "int32", "versions": "0+"} | field for field in fields]
    spec = {"apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2"}
    text = json.dumps({**spec, "flexibleVersions": "2+", "fields": whole, **keys}, indent=1)
    return read_message(text, "Foo.json")


def walked(old: Message, new: Message) -> list[Names]:
    """The names that the walk of the rules pairs, at every depth."""
    found: list[Names] = []
    for each in structs(MessagePair(old, new)):
        for pair in each.pairs:
            base, head = [None if field is None else field.name for field in pair]
            found.append((base, head))
    return found


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def struct(name: str, kind: str, inner: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "fields": [{"name": f"Of{name}", "type": inner, "versions": "0+"}],
    }


def fields(**types: str) -> list[dict[str, Any]]:
    return [{"name": name, "type": kind, "versions": "0+"} for name, kind in types.items()]


def test_a_field_renamed_behind_a_new_one_is_one_field_to_everybody() -> None:
    old = message(*named("Id", "Note"))
    new = message(*named("Extra", "Id", "Remark"))
    assert walked(old, new) == [(None, "Extra"), ("Id", "Id"), ("Note", "Remark")]
    assert [item.rule for item in check(Protocol((old,)), Protocol((new,)))] == [
        "field-added-to-released-version",
        "field-renamed",
    ]
    changes = protocol_changes(Protocol((old,)), Protocol((new,)))
    assert [(item.kind, item.field) for item in changes] == [
        ("field-added", "Extra"),
        ("field-renamed", "Remark"),
    ]
    assert [(item.kind, item.path) for item in layout_changes(layout(old, 1), layout(new, 1))] == [
        ("field-added", "Extra"),
        ("field-renamed", "Note"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        pytest.param(
            [{"name": "X", "type": "int8"}, {"name": "Note", "type": "string"}],
            [{"name": "Remark", "type": "string"}],
            [("X", None), ("Note", "Remark")],
            id="behind a removed one",
        ),
        pytest.param(
            [{"name": "Note", "tag": 0, "taggedVersions": "2+", "versions": "2+"}, {"name": "Id"}],
            [{"name": "Id"}, {"name": "Remark", "tag": 0, "taggedVersions": "2+", "versions": "2+"}],
            [("Id", "Id"), ("Note", "Remark")],
            id="by tag, wherever it is written",
        ),
        pytest.param(
            [{"name": "Note", "tag": 0, "taggedVersions": "2+"}],
            [{"name": "Remark", "tag": 1, "taggedVersions": "2+"}],
            [("Note", "Remark")],
            id="by its place below the tag",
        ),
        pytest.param(
            [{"name": "Note", "tag": 0, "taggedVersions": "1+"}],
            [{"name": "Remark", "tag": 1, "taggedVersions": "1+"}],
            [("Note", "Remark")],
            id="by its place in version 0 only",
        ),
        pytest.param(
            [{"name": "Topics"}, {"name": "Id", "type": "int8"}],
            [
                {"name": "Transactions", "versions": "4+"},
                {"name": "V3AndBelowTopics", "versions": "0-3"},
                {"name": "Id", "type": "int8"},
            ],
            [(None, "Transactions"), ("Topics", "V3AndBelowTopics"), ("Id", "Id")],
            id="beside a field that no version of both sides has",
        ),
        pytest.param(
            [{"name": "Note", "versions": "0"}],
            [{"name": "Remark", "versions": "1+"}],
            [("Note", None), (None, "Remark")],
            id="no version in common",
        ),
        pytest.param(
            [{"name": "A", "versions": "0", "type": "int8"}, {"name": "A", "versions": "1+"}],
            [{"name": "A", "versions": "1+"}],
            [("A", None), ("A", "A")],
            id="of two declarations the one that shares a version",
        ),
        pytest.param(
            [struct("A", "[]S", "int8"), *named("Id")],
            [struct("B", "[]T", "string"), *named("Id")],
            [("A", None), (None, "B"), ("Id", "Id")],
            id="another struct in its place",
        ),
        pytest.param(
            [{"name": "A", "tag": 0, "taggedVersions": "2+", "versions": "2+"}],
            [struct("B", "S", "int32") | {"tag": 0, "taggedVersions": "2+", "versions": "2+"}],
            [("A", None), (None, "B")],
            id="a struct for a value, by its tag",
        ),
        pytest.param(
            [{"name": "A", "type": "S", "fields": fields(X="int8", Y="string")}],
            [{"name": "B", "type": "T", "fields": fields(V="int8", W="uuid")}],
            [("A", None), (None, "B")],
            id="a struct of which only one field is of the same type",
        ),
        pytest.param(
            [{"name": "Lag", "versions": "1+"}],
            [{"name": "OldLag", "versions": "1-2"}, {"name": "Lag", "versions": "3+"}],
            [("Lag", "OldLag"), (None, "Lag")],
            id="by its place, where its name goes on in versions of one side only",
        ),
        pytest.param(
            [
                {"name": "A", "versions": "0"},
                {"name": "B", "tag": 0, "taggedVersions": "2+", "versions": "2+"},
            ],
            [{"name": "A", "tag": 0, "taggedVersions": "2+", "versions": "2+"}],
            [("A", None), ("B", "A")],
            id="by its tag before a name that shares no version",
        ),
        pytest.param(
            [{"name": "A", "versions": "0"}],
            [{"name": "A", "versions": "2+"}],
            [("A", "A")],
            id="by its name, where nothing else fits",
        ),
    ],
)  # fmt: skip
def test_which_field_is_which(
    old: list[dict[str, Any]], new: list[dict[str, Any]], pairs: list[Names]
) -> None:
    assert sorted(walked(message(*old), message(*new)), key=str) == sorted(pairs, key=str)
    swapped = [(after, before) for before, after in pairs]
    assert sorted(walked(message(*new), message(*old)), key=str) == sorted(swapped, key=str)


# --- the property: one correspondence
# ---------------------------------------------------------------------
