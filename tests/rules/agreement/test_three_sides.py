"""What the verdict may not depend on if release, old side and new side decide together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.prove.cases import Case, behind_a_break, truth_of
from tests.prove.shapes import Spec
from tests.rules.agreement.metamorphic import (
    CHANGES,
    DECLARING,
    SECONDS,
    Change,
    broken_again,
    changed,
    errors,
)

three_sides = st.integers(0, 1_000_000).map(behind_a_break)


@given(three_sides, st.sampled_from(CHANGES))
def test_a_change_of_release_old_and_new_side_changes_no_verdict(before: Case, change: Change) -> None:
    after = changed(before, change)
    assume(after is not None)
    assert after is not None
    # In a flexible version, the end of a struct is a byte: with another border, the bytes may decide more.
    assume(change not in DECLARING or not truth_of(before).unsure)
    assert bool(errors(before)) == bool(errors(after))


@given(three_sides, st.sampled_from(SECONDS))
def test_a_second_edit_behind_a_break_makes_no_break_milder(
    before: Case, second: Callable[[Spec], None]
) -> None:
    twice = broken_again(before, second)
    assume(twice is not None and errors(before))
    assert twice is not None
    # Together, both edits may give the bytes back to the release.
    assert errors(twice) or not truth_of(twice).breaks


@given(three_sides)
def test_the_release_or_the_old_side_again_is_no_error_behind_a_break(before: Case) -> None:
    for side in (before.old, before.releases[0]):
        assert errors(replace(before, new=side, releases=before.releases[:1])) == []
