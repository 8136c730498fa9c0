"""What a finding advises, done to the spec that it is about: the finding is gone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.fixture_pairs import PAIRS, findings, protocol, registry
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding
from wirebook.specs.model import Protocol
from wirebook.specs.reading.discovery import REGISTRY
from wirebook.specs.reading.reader import document_of, plain

pytestmark = pytest.mark.xdist_group("fixtures")

JsonMembers = dict[str, Any]
_VALUE = r'("[^"]*"|-?\d+|true|false|\{[^}]*\})'
_SET = re.compile(rf'(?:restore|write) "(\w+)": {_VALUE}')
_DELETE = re.compile(r'^delete "(\w+)"')
_AND = re.compile(r', and (?:restore "(\w+)": ("[^"]*")|delete "(\w+)")')
_NUMBER = re.compile(r"(?:next|lowest) free (tag|API key), (\d+)|restore (API key) (\d+)")
_WORD = re.compile(r'write "([^"]+)"(?!:)')
_VERSION = re.compile(r"add version (\d+)")
_MEANT = re.compile(r'has no key "(\w+)"; did you mean "(\w+)"')
# The key whose value a rule wants to be another word.
_KEYS = {
    "unknown-type": "type",
    "unknown-struct": "type",
    "unknown-message-type": "type",
    "unknown-entity-type": "entityType",
}


def edits(item: Finding) -> Iterator[tuple[str, Any]]:
    """The keys that a hint wants to be set, with their values; None for one that is to be deleted."""
    found = _SET.search(item.fix)
    if found:
        yield found[1], json.loads(found[2])
        more = _AND.search(item.fix)
        if more:
            yield (more[1], json.loads(more[2])) if more[1] else (more[3], None)
        return
    found = _DELETE.search(item.fix)
    if found:
        yield found[1], None
        return
    found = _NUMBER.search(item.fix)
    if found:
        yield ("tag" if found[1] == "tag" else "apiKey"), int(found[2] or found[4])
        return
    found = _MEANT.search(item.message)
    if found:
        yield found[1], None
        yield found[2], "0+"
        return
    found = _WORD.search(item.fix)
    if found and item.rule in _KEYS:
        yield _KEYS[item.rule], found[1]
    elif found and item.rule == "unknown-listener":
        yield "listeners", [found[1]]


def node(documents: list[JsonMembers], item: Finding) -> JsonMembers:
    """The object that a finding is about."""
    (at,) = [each for each in documents if each.get("name") == item.message_name][:1]
    message = at
    for name in item.field.split(".") if item.field else ():
        structs = {each.get("name"): each for each in message.get("commonStructs", ())}
        inner = at.get("fields") or structs.get(str(at.get("type")).removeprefix("[]"), {}).get("fields", ())
        fields = {each.get("name"): each for each in inner}
        at = fields[name] if name in fields else structs[name]
    return at


def documents_of(folder: Path) -> list[JsonMembers]:
    """The specs of the new side as they are written."""
    files = [folder / "new.json", *sorted((folder / "new").glob("*.json"))]
    texts = [path.read_bytes() for path in files if path.is_file() and path.name != REGISTRY]
    made = [plain(document_of(text, "x.json").value) for text in texts]
    return [item for item in made if isinstance(item, dict)]


@cache
def advised() -> tuple[tuple[Path, Finding], ...]:
    """The fixtures with the findings whose hints say what to set or delete, one for each rule and field."""
    pairs = []
    for folder in PAIRS:
        seen: set[tuple[str, str]] = set()
        for item in findings(folder):
            if (item.rule, item.field) not in seen and any(edits(item)) and item.location:
                seen.add((item.rule, item.field))
                pairs.append((folder, item))
    return tuple(pairs)


def test_a_finding_is_gone_when_its_hint_is_followed() -> None:
    for folder, item in advised():
        remaining = with_hint_followed(folder, item)
        about = (item.rule, item.message_name, item.field)
        assert about not in remaining, folder
        if item.rule == "type-changed":
            # With the type, its default is restored.
            assert not {(name, *about[1:]) for name in ("default-changed", "bad-default")} & remaining, folder


def with_hint_followed(folder: Path, item: Finding) -> set[tuple[str, str, str]]:
    """What the rules find where the new side does what a finding advises: rule, message and field."""
    documents = documents_of(folder)
    target = node(documents, item)
    for key, value in edits(item):
        if value is None:
            assert target.pop(key, None) is not None
        else:
            assert target.get(key) != value
            target[key] = value
    added = _VERSION.search(item.fix)
    if added:
        # Both halves of an API get a version.
        for each in documents:
            lowest = str(each["validVersions"]).split("-")[0]
            each["validVersions"] = f"{lowest}-{added[1]}"
    new = Protocol.of(
        read_kafka(json.dumps(each).encode(), f"{number}.json", strict=False)
        for number, each in enumerate(documents)
    )
    left = check(
        protocol(folder, "old"),
        new,
        old_registry=registry(folder, "old"),
        new_registry=registry(folder, "new"),
    )
    return {(each.rule, each.message_name, each.field) for each in left}


def test_the_hints_of_many_rules_are_followed() -> None:
    assert len({item.rule for _, item in advised()}) > 36


def test_every_key_with_a_colon_has_a_value_to_copy() -> None:
    for folder in PAIRS:
        for item in findings(folder):
            quoted = re.findall(r'"\w+": ?\S*', item.fix)
            assert len(quoted) == len(re.findall(rf'"\w+": {_VALUE}', item.fix)), item.fix
