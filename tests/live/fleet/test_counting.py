"""Counts do not depend on the order of what is counted, and a flood of names is bounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirebook.live.fleet.counting import Counting
from wirebook.live.fleet.requests import OTHER, LoggedRequest

requests = st.builds(
    LoggedRequest,
    day=st.sampled_from(["2026-10-01", "unknown"]),
    software=st.just("x"),
    software_version=st.sampled_from("12"),
    client_id=st.integers(0, 12).map(str),
    principal=st.sampled_from("ab"),
    listener=st.just("L"),
    api_key=st.integers(0, 2),
    version=st.integers(0, 1),
    deprecated=st.just(False),
)


@given(st.lists(requests), st.randoms(use_true_random=False), st.integers(0, 30))
def test_in_any_order_and_in_any_parts(some: list[LoggedRequest], rng: object, cut: int) -> None:
    def counted(items: list[LoggedRequest], limit: int = 3) -> Counting:
        found = Counting(limit)
        for item in items:
            at = f"{item.day}T{item.client_id}"
            found.add(item, 1, at, at)
        return found

    whole = sorted(counted(some))
    shuffled = list(some)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sorted(counted(shuffled)) == whole
    merged = counted(shuffled[:cut])
    merged.add_all(counted(shuffled[cut:]))
    assert sorted(merged) == whole
    # What is listed is exact.
    exact = {count.request: count for count in counted(some, 1000)}
    assert all(count == exact[count.request] for count in whole if count.request.client_id != OTHER)
    assert sum(count.requests for count in whole) == len(some)


def test_a_million_names_of_one_principal_leave_the_others_alone() -> None:
    counting = Counting(100)
    other = LoggedRequest("2026-10-01", "x", "1", "app", "User:b", "L", 1, 11, False)
    for number in range(20_000):
        counting.add(other._replace(client_id=f"evil-{number}", principal="User:a"), 1, "", "")
    counting.add(other, 5, "", "")
    found = list(counting)
    assert len(found) == 102
    assert sum(count.requests for count in found if count.request.client_id == OTHER) == 19_900
    assert [count.requests for count in found if count.request == other] == [5]
