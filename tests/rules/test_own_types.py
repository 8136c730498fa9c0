"""Protocols whose messages have other endings, and types of their own with keys and headers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.rules.engine import check, judge_files
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Headers, OwnHeader, Profile
from wirebook.specs.reading.reader import protocol_of, read_message
from wirebook.specs.selection import select, select_message

HOME = Profile(
    message_types=("event", "note"),
    keyed_types=("event",),
    suffixes={"request": "Command", "response": "", "event": "Event"},
    headers=Headers(others=(OwnHeader("event", (1, 2)),)),
)


def message(kind: str, name: str, **changed: Any) -> Message:
    spec = {
        "type": kind, "name": name, "validVersions": "0-1", "flexibleVersions": "1+",
        "fields": [{"name": "Room", "type": "string", "versions": "0+"}],
    }  # fmt: skip
    return read_message(json.dumps(spec | changed), f"messages/{name}.json", profile=HOME, strict=False)


def test_the_halves_of_an_api_pair_by_the_endings_of_the_profile() -> None:
    halves = (message("request", "HeatCommand", apiKey=4), message("response", "Heat", apiKey=4))
    home = Protocol.of(halves)
    assert [each.api for each in home] == ["Heat", "Heat"]
    assert home.api("heat") == halves
    assert judge_files(home) == []
    wrong = Protocol.of([message("request", "HeatRequest", apiKey=4), message("event", "Hot", apiKey=0)])
    assert sorted((finding.rule, finding.message, finding.fix) for finding in judge_files(wrong)) == [
        ("names-differ", "HeatRequest is a request, but its name does not end in Command",
         "rename it to HeatRequestCommand"),
        ("names-differ", "Hot is of type event, but its name does not end in Event", "rename it to HotEvent"),
    ]  # fmt: skip


def test_a_struct_may_have_a_description_where_a_message_may() -> None:
    struct = {"name": "Door", "versions": "0+", "about": "Where it is.", "fields": [
        {"name": "Floor", "type": "int16", "versions": "0+"}]}  # fmt: skip
    field = {"name": "At", "type": "Door", "versions": "0+"}
    note = message("note", "Note", commonStructs=[struct], fields=[field])
    assert note.common_structs[0].about == "Where it is."
    assert judge_files(Protocol.of([note])) == []
    kafkas = HOME._replace(family="kafka")
    text = note.written.lines.text
    of_family = read_message(text, "messages/Note.json", profile=kafkas, strict=False)
    assert [each.rule for each in judge_files(Protocol.of([of_family]))] == ["unknown-key"]


def test_an_event_has_a_key_and_a_header_of_its_own() -> None:
    keyless = Protocol.of([message("event", "HotEvent"), message("note", "Note")])
    (missing,) = judge_files(keyless)
    assert (missing.rule, missing.message) == (
        "missing-key",
        'HotEvent has no "apiKey", which identifies a message of type event',
    )
    twice = Protocol.of([message("event", name, apiKey=1) for name in ("HotEvent", "ColdEvent")])
    assert [finding.rule for finding in judge_files(twice)] == ["duplicate-api-key"]
    with pytest.raises(InputError, match="is the second event with API key 1"):
        protocol_of(twice)
    headers = {"0": "1", "1+": "3"}
    event, note = (
        message(kind, name, headerVersions=headers)
        for kind, name in (("event", "HotEvent"), ("note", "Note"))
    )
    (misplaced,) = [each for each in judge_files(Protocol.of([event, note])) if each.rule == "misplaced-key"]
    assert misplaced.message == 'Note has "headerVersions", but is of type note, which has no header'


def test_the_header_of_an_event_is_compared() -> None:
    old = Protocol.of([message("event", "HotEvent", apiKey=1)])
    other = HOME._replace(headers=Headers(others=(OwnHeader("event", (1, 3)),)))
    text = json.dumps(
        {"apiKey": 1, "type": "event", "name": "WarmEvent", "validVersions": "0-1", "flexibleVersions": "1+",
         "fields": [{"name": "Room", "type": "string", "versions": "0+"}]}
    )  # fmt: skip
    new = Protocol.of([read_message(text, "messages/WarmEvent.json", profile=other)])
    found = {finding.rule: finding for finding in check(old, new)}
    assert found.keys() == {"header-version-changed", "message-renamed"}
    assert str(found["header-version-changed"].versions) == "1"


def test_a_message_is_found_without_its_ending_unless_it_is_an_api() -> None:
    home = Protocol.of(
        [
            message("request", "HeatCommand", apiKey=4),
            message("response", "Heat", apiKey=4),
            message("event", "HeatEvent", apiKey=0),
            message("event", "HotEvent", apiKey=1),
        ]
    )
    assert [each.name for each in select(home, "hot", "the specs")] == ["HotEvent"]
    assert [each.name for each in select(home, "Heat", "the specs")] == ["HeatCommand", "Heat"]
    assert select_message(home, "Hot", "the specs").name == "HotEvent"
    # The name of a message that is that of an API too.
    assert select_message(home, "Heat", "the specs").name == "Heat"
