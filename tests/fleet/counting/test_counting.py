"""Counts do not depend on the order of what is counted, and a flood of names is bounded."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.fleet.applications.patterns import ANY, beginning_of
from wirebook.fleet.counting.counting import KEPT, SAMPLES, ClientIdCount, Counting
from wirebook.fleet.requests import LoggedRequest

requests = st.builds(
    LoggedRequest,
    day=st.sampled_from(["2026-10-01", "unknown"]),
    software=st.just("x"),
    software_version=st.sampled_from("12"),
    client_id=st.builds("{}-{}".format, st.sampled_from("abc"), st.sampled_from("stuvwxyz")),
    principal=st.sampled_from("ab"),
    listener=st.just("L"),
    api_key=st.integers(0, 2),
    version=st.integers(0, 1),
    deprecated=st.just(False),
)


def state(counting: Counting) -> tuple[object, object]:
    """All that is counted."""
    ids = sorted((who, sorted(ids.hashes), ids.names) for who, ids in counting.ids())
    return sorted(counting), ids


@given(st.lists(requests), st.randoms(use_true_random=False), st.integers(0, 30))
def test_in_any_order_and_in_any_parts(some: list[LoggedRequest], rng: object, cut: int) -> None:
    def counted(items: list[LoggedRequest], limit: int = 3) -> Counting:
        counting = Counting(most_applications=limit)
        for item in items:
            at = f"{item.day}T{item.client_id}"
            counting.see(item, 1, at, at)
        return counting

    whole = state(counted(some))
    shuffled = list(some)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert state(counted(shuffled)) == whole
    merged = counted(shuffled[:cut])
    merged.add_all(counted(shuffled[cut:]))
    assert state(merged) == whole
    # What is listed is exact, and all that is not is below the beginning of its name.
    exact = {count.row: count for count in counted(some, 1000)}
    listed = list(merged)
    assert all(count == exact[count.row] for count in listed if not count.row.application.endswith(ANY))
    assert sum(count.requests for count in listed) == len(some)
    beginnings = {(count.row.day, count.row.principal, count.row.application) for count in listed}
    for row in exact:
        names = {row.application, beginning_of(row.application), ANY}
        assert any((row.day, row.principal, name) in beginnings for name in names)


def test_a_flood_of_names_of_one_principal_leaves_the_others_alone() -> None:
    counting = Counting(most_applications=100)
    other = LoggedRequest("2026-10-01", "x", "1", "app", "User:b", "L", 1, 11, False)
    for number in range(20_000):
        name = "evil-" + "".join(chr(97 + int(digit)) for digit in str(number))
        counting.see(other._replace(client_id=name, principal="User:a"), 1, "", "")
    counting.see(other, 5, "", "")
    found = list(counting)
    assert len(found) == 102
    assert [count.requests for count in found if count.row.application == "evil-<any>"] == [19_900]
    assert [count.requests for count in found if count.row.principal == "User:b"] == [5]


@pytest.mark.parametrize("number", [1, KEPT - 1, KEPT, 5_000, 50_000])
def test_client_ids_are_counted_within_the_stated_error(number: int) -> None:
    ids, others = ClientIdCount(), ClientIdCount()
    for one in range(number):
        (ids if one % 2 else others).merge((), [b"job-%d" % one])
        others.merge((), [b"job-%d" % one])
    ids.merge(others.hashes, others.samples.values())
    assert len(ids.hashes) <= KEPT
    assert len(ids.names) == min(number, SAMPLES)
    if number < KEPT:
        assert ids.number == number
    else:
        # Three standard errors.
        assert ids.number == pytest.approx(number, rel=3 / sqrt(KEPT - 2))
