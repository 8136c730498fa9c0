"""Names of tags stand in version order, pre-releases before their release; what is no version is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.sources.releases import pick_releases, version_key

IN_ORDER = [
    "0.7.0-incubating-candidate-9",
    "0.8.0-beta1",
    "0.8.0",
    "0.8.2.2",
    "v0.9.0.0",
    "0.10.0.0",
    "kafka-1.0.0",
    "1.0.2",
    "release/2.0.0",
    "2.2.0-rc2",
    "2.2.0-rc10",
    "2.2.0",
    "2.10.0.dev1",
    "2.10.0a1",
    "2.10.0b2",
    "2.10.0rc1",
    "2.10",
    "3.0.0-SNAPSHOT",
    "3.0.0.Final",
    "4.0.0+build.7",
    "4.0.1",
    "4.1.0-1",
    "4.1.0-rc0",
]


@given(st.permutations(IN_ORDER))
def test_releases_stand_in_version_order(names: list[str]) -> None:
    assert pick_releases(names, "*").names == IN_ORDER


def test_pre_releases_are_known_as_such() -> None:
    before = pick_releases(IN_ORDER, "*").before
    assert "2.2.0-rc2" in before
    assert "3.0.0-SNAPSHOT" in before
    assert not before & {"0.8.0", "2.2.0", "3.0.0.Final", "4.0.0+build.7", "kafka-1.0.0"}


def test_what_matches_and_is_no_version_is_left_out_with_the_reason() -> None:
    picked = pick_releases(["1.0", "latest", "4f2a9c1", "1.0x", "v", "nightly-x", "2.0"], "*")
    assert picked.names == ["1.0", "2.0"]
    assert set(picked.left_out) == {"latest", "4f2a9c1", "1.0x", "v", "nightly-x"}
    assert picked.left_out["latest"] == "its name is no version"


def test_only_names_that_match_are_looked_at() -> None:
    picked = pick_releases(["1.0", "2.0", "v2.0", "latest"], "[0-9]*")
    assert picked.names == ["1.0", "2.0"]
    assert picked.left_out == {}
    assert pick_releases(["release/1.0"], "release/*").names == ["release/1.0"]


@pytest.mark.parametrize(
    "name", ["9" * 5000, "1." * 5000 + "1", "1.0-" + "9" * 5000, "-" * 5000, "1.0rc" + "1" * 5000]
)
def test_names_that_nobody_gives_are_survived(name: str) -> None:
    assert pick_releases([name, "1.0"], "*").names.count("1.0") == 1


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=5), st.lists(st.integers(0, 99), min_size=1, max_size=5)
)
def test_numbers_decide_as_numbers(one: list[int], other: list[int]) -> None:
    def key(numbers: list[int]) -> object:
        return version_key(".".join(map(str, numbers)))

    padded = [numbers + [0] * (5 - len(numbers)) for numbers in (one, other)]
    assert (key(one) == key(other)) == (padded[0] == padded[1])
    first, second = version_key(".".join(map(str, one))), version_key(".".join(map(str, other)))
    assert first is not None
    assert second is not None
    assert (first < second) == (padded[0] < padded[1])
