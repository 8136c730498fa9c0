"""Version ranges behave as the sets of integers they stand for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.versions import MAX_VERSION, Versions, VersionsError, ranges_text

# Small numbers make overlaps likely; the top of the scale is where "N+" lives.
numbers = st.one_of(st.integers(0, 12), st.integers(MAX_VERSION - 3, MAX_VERSION))
ranges = st.one_of(
    st.just(Versions.NONE), st.tuples(numbers, numbers).map(lambda ends: Versions(min(ends), max(ends)))
)


def as_set(value: Versions) -> set[int]:
    return set(range(value.lowest, value.highest + 1))


@pytest.mark.parametrize(
    ("text", "lowest", "highest"),
    [("3", 3, 3), ("0-4", 0, 4), ("5+", 5, MAX_VERSION), ("0", 0, 0), (" 1-2 ", 1, 2), ("7-7", 7, 7)],
)
def test_reads_every_form(text: str, lowest: int, highest: int) -> None:
    assert Versions.parse(text) == Versions(lowest, highest)


def test_none_is_empty_and_falsy() -> None:
    assert Versions.parse("none") is not None
    assert Versions.parse("none") == Versions.NONE
    assert not Versions.NONE
    assert len(Versions.NONE) == 0
    assert 0 not in Versions.NONE


@pytest.mark.parametrize(
    "text", ["", "-1", "4-2", "a", "1-", "+", "1+2", "1 - 2", "None", "32768", "0-99999", "٣", "1,2", "0x1"]
)
def test_refuses_anything_else(text: str) -> None:
    with pytest.raises(VersionsError) as caught:
        Versions.parse(text)
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["9" * 5000, "0-" + "9" * 5000, "9" * 5000 + "+", "x" * 5000])
def test_refuses_a_huge_text_in_few_words(text: str) -> None:
    with pytest.raises(VersionsError) as caught:
        Versions.parse(text)
    assert len(str(caught.value)) < 200


def test_leading_zeros_do_not_count() -> None:
    assert Versions.parse("00-" + "0" * 30 + "4") == Versions(0, 4)


@given(ranges)
def test_text_reads_back(value: Versions) -> None:
    assert Versions.parse(str(value)) == value


@given(ranges, ranges)
def test_intersection_is_that_of_the_sets(left: Versions, right: Versions) -> None:
    assert as_set(left & right) == as_set(left) & as_set(right)
    assert left.contains(right) == (as_set(right) <= as_set(left))


@given(ranges, ranges)
def test_difference_is_that_of_the_sets(left: Versions, right: Versions) -> None:
    parts = left - right
    assert set().union(*map(as_set, parts)) == as_set(left) - as_set(right)
    assert all(parts)
    assert parts == sorted(parts, key=lambda part: part.lowest)


@given(st.sets(st.integers(0, 30)))
def test_of_numbers_is_the_shortest_cover(given_numbers: set[int]) -> None:
    parts = Versions.of(given_numbers)
    assert set().union(*map(set, parts)) == given_numbers
    assert all(left.highest + 1 < right.lowest for left, right in pairwise(parts))


@given(ranges, numbers)
def test_membership_and_length(value: Versions, number: int) -> None:
    assert (number in value) == (number in as_set(value))
    assert len(value) == len(as_set(value))


def test_several_ranges_in_one_text() -> None:
    assert ranges_text([Versions(0, 3), Versions.NONE, Versions.parse("7+")]) == "0-3, 7+"
    assert ranges_text([]) == "none"
