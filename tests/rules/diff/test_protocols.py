"""Every change between two protocols: each kind, in words and as data, and what is no change."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.rules.diff.kinds import EFFECTS, KINDS, ProtocolChange
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.report.changes import FORMATS, Changes, render
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Protocol
from wirebook.specs.reader import read_message

FOLDER = Path(__file__).parent / "changes"
GOLDEN = {"text": "changes.txt", "json": "changes.json"}


def side(name: str) -> tuple[Protocol, Registry]:
    files = sorted((FOLDER / name).glob("[A-Z]*.json"))
    protocol = Protocol.of(
        read_message(path.read_bytes(), path.name, strict=False) for path in files
    )
    return protocol, read_registry(
        (FOLDER / name / "api_versions.json").read_bytes(), "api_versions.json"
    )


def made() -> Changes:
    (old, before), (new, after) = side("old"), side("new")
    return Changes("old", "new <b>", tuple(protocol_changes(old, new, before, after)), "1")


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: str) -> None:
    text = render(made(), form)
    golden = FOLDER / GOLDEN[form]
    if os.environ.get("WIREBOOK_UPDATE"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_fixtures_show_every_kind_and_effect() -> None:
    changes = made().changes
    assert set(KINDS) - {change.kind for change in changes} == set()
    assert {change.effect for change in changes} == set(EFFECTS)


def test_data_has_its_schema() -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads((ROOT / "rules/schema/changes.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(render(made(), "json")))
    listed = schema["$defs"]["change"]["properties"]
    assert listed["kind"]["enum"] == list(KINDS)
    assert listed["effect"]["enum"] == list(EFFECTS)


def test_they_stand_by_api_key_and_the_registry_comes_last() -> None:
    lines = render(made(), "text").split("\n")
    titles = [line for line in lines[1:-2] if line and not line.startswith(" ")]
    assert titles[:3] == ["Fu (API key 1)", "Foo (API key 1)", "Bar (API key 7)"]
    assert titles[-1] == "Protocol levels of the registry"


def test_what_says_the_same_has_no_change() -> None:
    for name in ("old", "new"):
        (one, before), (other, after) = side(name), side(name)
        assert protocol_changes(one, other, before, after) == []


def one(old: dict[str, object], new: dict[str, object]) -> list[ProtocolChange]:
    base = {
        "apiKey": 1,
        "type": "request",
        "name": "FooRequest",
        "validVersions": "0-3",
        "fields": [],
    }
    read = [
        read_message(json.dumps({**base, "flexibleVersions": "2+", **keys}), "F.json")
        for keys in (old, new)
    ]
    return protocol_changes(Protocol((read[0],)), Protocol((read[1],)))


def fields(*names: str, **keys: object) -> dict[str, object]:
    return {"fields": [{"name": name, "type": "int32", "versions": "0+", **keys} for name in names]}


def test_one_change_for_a_field_that_moves() -> None:
    changes = one(fields("A", "B", "C", "D"), fields("B", "C", "D", "A"))
    assert [(change.kind, change.field, change.old, change.new) for change in changes] == [
        ("field-moved", "A", 1, 4)
    ]


def test_a_struct_reached_by_two_paths_is_told_of_once_for_all_its_versions() -> None:
    def spec(kind: str) -> dict[str, object]:
        shared = {"name": "Shared", "versions": "0+", "fields": fields("X", type=kind)["fields"]}
        uses = [
            {"name": "A", "type": "[]Shared", "versions": "0-1"},
            {"name": "B", "type": "[]Shared", "versions": "3+"},
        ]
        return {"commonStructs": [shared], "fields": uses}

    (change,) = one(spec("int32"), spec("int64"))
    assert (change.kind, change.field, change.versions.text) == ("type-changed", "A.X", "0-1, 3")


def test_the_sign_of_a_default_of_zero_is_a_change() -> None:
    sides = (fields("A", type="float64", default=default) for default in ("0.0", "-0.0"))
    (change,) = one(*sides)
    assert change.sentence == "the default of A changes from 0.0 to -0.0 (in versions 0-3)"
    assert one(fields("A", type="float64"), fields("A", type="float64", default="0.0")) == []


def test_a_type_changes_in_versions_that_have_the_field() -> None:
    old = {"validVersions": "0", **fields("A", type="int8", taggedVersions="2+", tag=0)}
    (change,) = [
        each
        for each in one(old, {"validVersions": "0-1", **fields("A", type="bool", versions="1+")})
        if each.kind == "type-changed"
    ]
    assert change.sentence == "A changes its type from int8 to bool (in version 1)"
