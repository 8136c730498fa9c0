"""A fixed part of all pairs of small messages."""

from __future__ import annotations

import pytest

from tests.rules.exhaustive import compared, messages, pairs_of, side

pytestmark = pytest.mark.long

SHARE = 100  # one of so many pairs is judged; 1 judges all, in an hour


def test_the_relation_agrees_with_a_codec_of_its_own() -> None:
    sides = [side(spec) for spec in messages()]
    outcome = compared(sides, pairs_of(len(sides), SHARE))
    assert outcome.pairs > 110_000
    # Few random pairs agree; that there are such shows that the domain is not too rich.
    assert 500 < outcome.pairs - outcome.breaking < outcome.pairs / 20
    assert outcome.differing == ()
