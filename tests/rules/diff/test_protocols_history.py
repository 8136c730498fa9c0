"""The changes between neighbouring releases of the real history: every changed layout is explained."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.specs.released_specs import releases, text, texts
from tests.support import SHARED, needs_shared
from wirebook.rules.diff.kinds import KINDS, WIRE
from wirebook.rules.diff.protocols import protocol_changes
from wirebook.rules.formats.sentences import sentence
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.reading.reader import read_message
from wirebook.specs.wire.layout import layout

pytestmark = pytest.mark.long

PAIRS = list(pairwise(releases())) if SHARED else [("", "")]
READ: dict[tuple[str, str], Message] = {}


def snapshot(release: str) -> Protocol:
    for path, digest in texts()[release]:
        if (path, digest) not in READ:
            READ[path, digest] = read_message(text(digest), path, strict=False)
    return Protocol.of((READ[item] for item in texts()[release]), release)


def numbers(ranges: str) -> set[int]:
    found: set[int] = set()
    for part in ranges.split(", ") if ranges else ():
        low, _, high = part.partition("-")
        found |= set(range(int(low), int(high or low) + 1))
    return found


@needs_shared
@pytest.mark.parametrize(("old", "new"), PAIRS, ids=lambda name: name)
def test_every_changed_layout_between_two_releases_is_explained(old: str, new: str) -> None:
    before, after = snapshot(old), snapshot(new)
    changes = protocol_changes(before, after)
    assert {change.kind for change in changes} <= set(KINDS)
    told: dict[tuple[str, int | str], set[int]] = {}
    touched = set()
    for change in changes:
        assert change.message is not None
        assert sentence(change)
        touched.add(change.message.identity)
        if change.effect == WIRE:
            told.setdefault(change.message.identity, set()).update(numbers(change.versions.text))
    older = {message.identity: message for message in before}
    for message in after:
        was = older.get(message.identity)
        if was is None:
            assert message.identity in touched
            continue
        assert (was != message) <= (message.identity in touched)
        for version in was.valid_versions & message.valid_versions:
            try:
                one, other = layout(was, version), layout(message, version)
            except InputError:
                continue
            if one.fingerprint != other.fingerprint:
                assert version in told.get(message.identity, ()), (message.name, version)
        added = set(message.valid_versions) ^ set(was.valid_versions)
        assert added <= told.get(message.identity, set())


@needs_shared
def test_a_release_against_itself_has_no_change() -> None:
    for release in releases():
        fresh = Protocol.of(
            read_message(text(digest), path, strict=False) for path, digest in texts()[release]
        )
        assert protocol_changes(snapshot(release), fresh) == []
