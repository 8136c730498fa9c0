"""Version ranges and sets of versions behave as the sets of integers in them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.versions import MAX_VERSION, Versions, VersionsError, VersionSet

# Small numbers make overlaps likely; the top of the scale is where "N+" lives.
numbers = st.one_of(st.integers(0, 12), st.integers(MAX_VERSION - 3, MAX_VERSION))
ranges = st.one_of(
    st.just(Versions.NONE),
    st.tuples(numbers, numbers).map(lambda ends: Versions(min(ends), max(ends))),
)


sets = st.lists(ranges, max_size=4).map(lambda parts: VersionSet.union(*parts))


def as_set(value: Versions) -> set[int]:
    return set(range(value.lowest, value.highest + 1))


def members(value: VersionSet) -> set[int]:
    return set().union(*map(as_set, value.ranges))


def is_shortest(value: VersionSet) -> bool:
    apart = all(left.highest + 1 < right.lowest for left, right in pairwise(value.ranges))
    return apart and all(value.ranges)


@pytest.mark.parametrize(
    ("text", "lowest", "highest"),
    [
        ("3", 3, 3),
        ("0-4", 0, 4),
        ("5+", 5, MAX_VERSION),
        ("0", 0, 0),
        (" 1-2 ", 1, 2),
        ("7-7", 7, 7),
    ],
)
def test_reads_every_form(text: str, lowest: int, highest: int) -> None:
    assert Versions.parse(text) == Versions(lowest, highest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "4-2",
        "a",
        "1-",
        "+",
        "1+2",
        "1 - 2",
        "None",
        "32768",
        "0-99999",
        "٣",
        "1,2",
        "0x1",
    ],
)
def test_refuses_anything_else(text: str) -> None:
    with pytest.raises(VersionsError) as caught:
        Versions.parse(text)
    assert text in str(caught.value)


@given(ranges)
def test_text_reads_back(value: Versions) -> None:
    assert Versions.parse(str(value)) == value


@given(ranges, numbers)
def test_membership_and_length(value: Versions, number: int) -> None:
    assert (number in value) == (number in as_set(value))
    assert len(value) == len(as_set(value))


@given(sets, sets)
def test_sets_are_combined_as_sets_of_integers(left: VersionSet, right: VersionSet) -> None:
    for found, expected in (
        (left | right, members(left) | members(right)),
        (left & right, members(left) & members(right)),
        (left - right, members(left) - members(right)),
    ):
        assert members(found) == expected
        assert is_shortest(found)
    assert left.covers(right) == (members(right) <= members(left))
    assert (left == right) == (members(left) == members(right))


@pytest.mark.parametrize("text", ["", "0-3,", ", 4", "0-3; 4", "0-3 4", "all", "1, -2"])
def test_a_text_that_is_no_set_is_refused(text: str) -> None:
    with pytest.raises(VersionsError, match="is not a version range"):
        VersionSet.parse(text)


@pytest.mark.parametrize("text", ["32768", "0-32768", "32768+", "999999999"])
def test_no_version_is_above_the_highest(text: str) -> None:
    with pytest.raises(VersionsError, match=r"(exceeds 32767, the highest|ends before it begins)"):
        Versions.parse(text)
    assert Versions.parse("32767") == Versions(MAX_VERSION, MAX_VERSION)
    assert Versions.parse("32767+") == Versions(MAX_VERSION, MAX_VERSION)
    assert str(Versions.parse("32766-32767")) == "32766+"
