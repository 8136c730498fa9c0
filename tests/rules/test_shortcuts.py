"""What the engine leaves out to be fast is what would come to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.prove.cases import case
from tests.prove.protocols import text_of
from tests.rules.evolutions import SOUND, evolve
from tests.rules.protocols import protocols, read
from tests.rules.test_fixtures import PAIRS, protocol
from wirebook.rules.engine import of_sets
from wirebook.rules.fields.type_changed import certain, retyped
from wirebook.rules.pairs.equality import layout_equality
from wirebook.rules.pairs.kinds import FieldPair, MessagePair
from wirebook.rules.pairs.walk import walk
from wirebook.specs.model import Message, Protocol
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions


def pairs(old: Protocol | None, new: Protocol | None) -> list[MessagePair]:
    others = {message.name: message for message in new or ()}
    return [MessagePair(message, others[message.name]) for message in old or () if message.name in others]


def assert_likeness_at_every_version(pair: MessagePair) -> None:
    assert {version: pair.equality(version) for version in pair.both} == {
        version: layout_equality(pair.old, pair.new, version) for version in pair.both
    }


@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_fixture_is_as_like_between_two_bounds(folder: Path) -> None:
    for pair in pairs(protocol(folder, "old"), protocol(folder, "new")):
        assert_likeness_at_every_version(pair)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_evolution_is_as_like_between_two_bounds(data: st.DataObject) -> None:
    old = data.draw(protocols())
    new = evolve(data.draw, old, data.draw(st.lists(st.sampled_from(SOUND), min_size=1, max_size=4)))
    for pair in pairs(read(old), read(new)):
        assert_likeness_at_every_version(pair)


def certain_pairs(number: int) -> list[FieldPair]:
    """The fields of a random patch that have other bytes as far as `type-changed` sees without a layout."""
    given = case(number)
    sides = [
        Protocol.of([read_message(text_of(spec), "a.json", strict=False)]) for spec in (given.old, given.new)
    ]
    return [
        part
        for pair in pairs(*sides)
        for part in walk(pair)
        if isinstance(part, FieldPair) and certain(part) and retyped(part)
    ]


def test_a_field_that_a_shortcut_calls_retyped_has_other_bytes() -> None:
    found = [part for number in range(300) for part in certain_pairs(number)]
    assert len(found) > 10
    assert not any(part.messages.alike(retyped(part), old=part.old, new=part.new) for part in found)


def outline(message: Message) -> Message:
    """A message of which only that is left which rules on all files together may look at."""
    return Message(
        name=message.name,
        type=message.type,
        valid_versions=Versions.NONE,
        written=message.written,
        api_key=message.api_key,
        path=message.path,
    )


@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_rules_on_sets_look_at_outlines(folder: Path) -> None:
    whole = protocol(folder, "new") or Protocol(())
    bare = Protocol(tuple(outline(message) for message in whole))
    told = [[(item.rule, item.message) for item in of_sets(None, side)] for side in (whole, bare)]
    assert told[0] == told[1]
