"""Counters give each request once: totals without a day, differences with one, restarts and parts apart."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from wirebook.fleet.reading.metrics.counters import BrokerCounters, Counters, unknown_names
from wirebook.fleet.reading.metrics.samples import Scrape, Series
from wirebook.fleet.requests import LineForm

FETCH = Series("Fetch", 3, "", "")
OLD = Series("Fetch", 3, "sarama", "1.29")
DAYS = ("2026-11-20", "2026-11-21", "2026-11-22")


def at(day: int, hour: int = 10) -> str:
    return f"{DAYS[day]}T{hour:02}:00:00.000"


def counted(*scrapes: tuple[str, dict[Series, int]]) -> dict[tuple[str, str, int], int]:
    """Requests by day, software and version, after some scrapes of one broker."""
    counters = Counters({})
    found: Counter[tuple[str, str, int]] = Counter()
    for moment, values in scrapes:
        # As the next run would have it.
        counters = Counters(
            {key: BrokerCounters.from_json(item.to_json()) for key, item in counters.brokers.items()}
        )
        gains = counters.add(Scrape("b", moment, values), LineForm.PROMETHEUS)
        for request, number, _ in gains.requests if gains else ():
            found[request.day, request.software, request.version] += number
    return {key: number for key, number in found.items() if number}


def test_one_scrape_is_a_total_without_a_day() -> None:
    assert counted((at(0), {FETCH: 40, OLD: 10})) == {
        ("unknown", "unknown", 3): 30,
        ("unknown", "sarama", 3): 10,
    }


def test_several_scrapes_are_differences_on_the_day_of_the_later_one() -> None:
    found = counted(
        (at(0), {FETCH: 40, OLD: 10}), (at(1), {FETCH: 50, OLD: 15}), (at(2), {FETCH: 50, OLD: 15})
    )
    assert found == {(DAYS[1], "unknown", 3): 5, (DAYS[1], "sarama", 3): 5}


def test_a_restart_begins_all_counters_at_0() -> None:
    other = Series("Produce", 2, "", "")
    found = counted((at(0), {FETCH: 40, other: 5}), (at(1), {FETCH: 7, other: 6}))
    assert found == {(DAYS[1], "unknown", 3): 7, (DAYS[1], "unknown", 2): 6}


def test_after_a_restart_counters_that_are_not_there_yet_begin_at_0() -> None:
    other = Series("Produce", 2, "", "")
    found = counted(
        (at(0), {FETCH: 100, other: 50}),
        (at(1), {FETCH: 10}),
        (at(2, 9), {FETCH: 20, other: 30}),
        (at(2, 10), {FETCH: 20, other: 60}),
    )
    assert found == {(DAYS[1], "unknown", 3): 10, (DAYS[2], "unknown", 3): 10, (DAYS[2], "unknown", 2): 60}


def test_after_a_restart_nothing_is_owed_for_what_was_read_before() -> None:
    found = counted((at(0), {FETCH: 10, OLD: 10}), (at(1), {FETCH: 12, OLD: 14}), (at(2), {FETCH: 5, OLD: 1}))
    assert found == {(DAYS[1], "sarama", 3): 4, (DAYS[2], "sarama", 3): 1, (DAYS[2], "unknown", 3): 4}


def test_a_counter_that_appears_later_counts_from_0() -> None:
    assert counted((at(0), {FETCH: 40}), (at(1), {FETCH: 40, OLD: 0}), (at(2), {FETCH: 43, OLD: 3})) == {
        (DAYS[2], "sarama", 3): 3
    }


def test_a_scrape_that_is_not_later_is_none() -> None:
    counters = Counters({})
    assert counters.add(Scrape("b", at(1), {FETCH: 40}), LineForm.JMX) is not None
    for moment in (at(1), at(0), ""):
        assert counters.add(Scrape("b", moment, {FETCH: 41}), LineForm.JMX) is None
    found = counters.add(Scrape("b", at(2), {FETCH: 42}), LineForm.JMX)
    assert found is not None
    assert [count.requests for count in found.requests if count.request.day == DAYS[2]] == [2]


def test_counters_of_one_scrape_that_were_read_at_different_moments_do_not_count_twice() -> None:
    # The counter with the software is read after the one of all: it is ahead of it by one request.
    found = counted(
        (at(0), {FETCH: 10, OLD: 10}), (at(1), {FETCH: 12, OLD: 13}), (at(2), {FETCH: 15, OLD: 14})
    )
    assert found == {(DAYS[1], "sarama", 3): 3, (DAYS[2], "sarama", 3): 1, (DAYS[2], "unknown", 3): 1}


def test_parts_of_an_api_do_not_count_twice() -> None:
    values = {
        FETCH: 40,
        Series("FetchConsumer", 3, "", ""): 30,
        Series("FetchFollower", 3, "", ""): 10,
        Series("AddPartitionsToTxn", 4, "", ""): 1,
        Series("AddPartitionsToTxnVerification", 4, "", ""): 2,
        Series("ListConfigResources", 0, "", ""): 5,
        Series("ListClientMetricsResources", 0, "", ""): 5,
    }
    found = counted((at(0), values))
    assert found == {
        ("unknown", "unknown", 3): 40,
        ("unknown", "unknown", 4): 3,
        ("unknown", "unknown", 0): 5,
    }
    assert counted((at(0), {Series("ListClientMetricsResources", 0, "", ""): 5})) == {
        ("unknown", "unknown", 0): 5
    }


def test_an_api_that_no_release_has_is_reported() -> None:
    values = {Series("Fetsch", 1, "", ""): 4, FETCH: 1}
    assert unknown_names(values) == ["Fetsch"]
    assert counted((at(0), values)) == {("unknown", "unknown", 3): 1}


steps = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=2, max_size=6)


@given(steps)
def test_the_sum_is_what_was_sent_since_the_first_scrape(some: list[tuple[int, int, bool]]) -> None:
    """The first of each is all requests, the second those with software, the third whether it restarted."""
    total = named = 0
    scrapes, sent = [], 0
    for hour, (more, old, restarts) in enumerate(some):
        # A restart that no counter shows cannot be seen.
        if restarts and more + old < total and old <= named:
            total = named = 0
        total, named = total + more + old, named + old
        sent += more + old if hour else 0
        scrapes.append((at(0, hour), {FETCH: total, OLD: named}))
    assert sum(counted(*scrapes).values()) == sent
