"""Client ids that differ only in what changes by itself are one application."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wirebook.fleet.owners import read_owners
from wirebook.fleet.patterns import beginning_of, pattern_of


@pytest.mark.parametrize(
    ("client_id", "pattern"),
    [
        ("job-123e4567-e89b-12d3-a456-426614174000", "job-<uuid>"),
        ("job-123e4567e89b12d3a456426614174000", "job-<uuid>"),
        ("consumer-app-17", "consumer-app-<n>"),
        ("app-29-2", "app-<n>-<n>"),
        ("17", "<n>"),
        ("consumer12", "consumer<n>"),
        ("producer-1", "producer-<n>"),
        ("batch-2026-10-01", "batch-<date>"),
        ("batch-20261001-0300", "batch-<date>-<n>"),
        ("batch-20261001-62672", "batch-<date>-<n>"),
        ("batch-20261001 03:00", "batch-<date>"),
        ("batch-2026-10-01-03.00.00-12", "batch-<date>-<n>"),
        ("2026-10-01T10:00:00.123+02:00-x", "<date>-x"),
        ("report.2026.10.01", "report.<date>"),
        ("report-20261001-20261031", "report-<date>-<n>"),
        ("report-20261001T101530123", "report-<date>T<n>"),
        ("report-20261001T101530", "report-<date>"),
        ("report-20261001-10153012ab", "report-<date>-<id>"),
        ("session-1760000000", "session-<n>"),
        ("report.4711.20261001", "report.<n>.<date>"),
        ("report.4711.2026-10-01", "report.<n>.<date>"),
        ("report.4711.2026.10.01", "report.<n>.<date>"),
        ("report-1.2.20261001", "report-1.2.<date>"),
        ("app-10.1.2.3", "app-<ip>"),
        ("app-10.1.2.3:40000", "app-<ip>:<n>"),
        ("app-10-1-2-3:9092-x", "app-<ip>:<n>-x"),
        ("app-ip-10-1-2-3", "app-ip-<ip>"),
        ("app-fe80:0:0:0:1:2:3:4", "app-<ip>"),
        ("fd00::1", "<ip>"),
        ("orders-7d9f8b6c5-x2x9z", "orders-<id>-<id>"),
        ("orders-7d9f8b6c5d-bfnbb", "orders-<id>-<id>"),
        ("orders-bcdfbcd4-plnts-1", "orders-<id>-<id>-<n>"),
        ("nightly-29683215-x2k9z", "nightly-<n>-<id>"),
        ("nightly-29683215-bfnbb", "nightly-<n>-<id>"),
        ("nightly-29683215-47542", "nightly-<n>-<id>"),
        ("orders-29683215-eu", "orders-<n>-eu"),
        ("job-deadbeef01", "job-<id>"),
        ("job-Xk2jP9qLmN", "job-<id>"),
        ("job-4f3c2a", "job-<id>"),
        (
            "stream-123e4567-e89b-12d3-a456-426614174000-StreamThread-3-consumer",
            "stream-<uuid>-StreamThread-<n>-consumer",
        ),
        # Names.
        ("billing-export", "billing-export"),
        ("kafka-python-2.0.2", "kafka-python-2.0.2"),
        ("client-2.0.2-3", "client-2.0.2-<n>"),
        ("app-1.2.3-1", "app-1.2.3-<n>"),
        ("rdkafka", "rdkafka"),
        ("consumer-app-47542", "consumer-app-<n>"),
        ("consumer-app-10231", "consumer-app-<n>"),
        ("web-7d9f8b6c5-47542", "web-<id>-<id>"),
        ("v2", "v2"),
        ("s3-sink", "s3-sink"),
        ("facade-added", "facade-added"),
        ("", ""),
    ],
)
def test_the_pattern_of_a_client_id(client_id: str, pattern: str) -> None:
    assert pattern_of(client_id) == pattern


@given(st.text(string.ascii_lowercase, min_size=1), st.uuids(), st.integers(0, 10**12), st.dates())
def test_what_changes_by_itself_does_not_matter(
    word: str, uuid: object, number: int, day: object
) -> None:
    assert pattern_of(f"{word}-{uuid}") == f"{word}-<uuid>"
    assert pattern_of(f"{word}-{number}") in (f"{word}-<n>", f"{word}-<date>")
    assert pattern_of(f"{word}_{number}_{uuid}").endswith("_<uuid>")


@given(st.sampled_from("-_. "), st.integers(0, 99_999_999), st.integers(1, 8))
def test_a_number_after_a_date_is_none_of_its_time(apart: str, number: int, digits: int) -> None:
    for day in ("2026-10-01", "20261001", "2026-10-01T10:00", "2026-10-01T10.00+02:00"):
        assert pattern_of(f"job-{day}{apart}{number:0{digits}}") == f"job-<date>{apart}<n>"


@given(st.integers(0, 99_999_999))
def test_the_digits_after_a_date_with_a_t_do_not_matter(number: int) -> None:
    for day in ("2026-10-01", "20261001"):
        assert pattern_of(f"job-{day}T{number:08}") == "job-<date>T<n>"


@given(
    st.integers(10**7, 2**32 - 1), st.text("bcdfghjklmnpqrstvwxz2456789", min_size=5, max_size=5)
)
def test_the_pods_of_a_deployment_are_one_application(number: int, suffix: str) -> None:
    # SafeEncodeString of Kubernetes: a 32-bit hash in decimal, with each digit as another
    # character.
    digits = str(number).translate(str.maketrans("0123456789", "456789bcdf"))
    assume(any(digit.isdigit() for digit in digits))
    assert pattern_of(f"web-{digits}-{suffix}") == "web-<id>-<id>"


@given(st.text())
def test_a_pattern_stays_what_it_is(client_id: str) -> None:
    pattern = pattern_of(client_id)
    assert pattern_of(pattern) == pattern
    assert beginning_of(pattern).endswith("<any>")


def test_the_owners_file_names_applications(tmp_path: Path) -> None:
    path = tmp_path / "owners.toml"
    path.write_text(
        '[[application]]\nname = "nightly"\nclient_id = "nightly-*"\n'
        '[[owner]]\nteam = "data"\nprincipal = "User:data"\n'
    )
    owners = read_owners(path)
    assert owners.names("User:data", "nightly-abc") == ("nightly", "User:data", "data")
    assert owners.names("User:x", "job-7") == ("job-<n>", "User:x", "")
