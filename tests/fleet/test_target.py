"""What a release does with a request: by its specs, and by what its brokers serve without listing
it."""

from __future__ import annotations

import json

import pytest

from wirebook.fleet.target import Status, action, last_served, status_at
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.kafka.registry import FOLDER


@pytest.mark.parametrize("release", ["3.7", "3.9", "4.0", "4.3"])
def test_telemetry_is_served_without_a_receiver(release: str) -> None:
    target = kafka_releases().broker(release)
    assert {status_at(target, key, 0) for key in (71, 72)} == {Status.SERVED}


def test_a_release_without_telemetry_refuses_it() -> None:
    assert status_at(kafka_releases().broker("3.6"), 72, 0) is Status.REFUSED


@pytest.mark.parametrize(("release", "version"), [("2.3", 3), ("3.9", 4), ("4.0", 9)])
def test_any_version_of_api_versions_gets_an_answer(release: str, version: int) -> None:
    assert status_at(kafka_releases().broker(release), 18, version) is Status.SERVED


def test_a_release_before_api_versions_refuses_it() -> None:
    assert status_at(kafka_releases().broker("0.9.0"), 18, 0) is Status.REFUSED


def test_an_unstable_version_may_be_enabled() -> None:
    # StreamsGroupHeartbeat is stable since 4.2.
    assert [status_at(kafka_releases().broker(name), 88, 0) for name in ("4.1", "4.2")] == [
        Status.UNKNOWN,
        Status.SERVED,
    ]


def test_what_is_listed_for_old_clients_is_refused() -> None:
    target = kafka_releases().broker("4.0")
    assert [status_at(target, 0, version) for version in (2, 3)] == [Status.REFUSED, Status.SERVED]


def test_each_api_that_is_served_without_being_listed_has_a_source() -> None:
    unlisted = json.loads((FOLDER / "broker_versions.json").read_text())["served_unlisted"]
    assert sorted(map(int, unlisted)) == [18, 71, 72]
    assert all(
        "Kafka" in item["source"] and item["reason"].endswith(".") for item in unlisted.values()
    )


def test_the_last_release_that_serves_a_version_is_one_before_the_target() -> None:
    # Version 2 of Produce ends with 3.9.2; version 12 begins after 3.6.
    assert [last_served(kafka_releases().broker(name), 0, 2) for name in ("3.6", "4.1")] == [
        "3.5",
        "3.9.2",
    ]
    assert last_served(kafka_releases().broker("3.6"), 0, 12) == ""


@pytest.mark.parametrize("release", ["4.0.0", "4.1.0"])
def test_the_first_release_of_a_line_has_releases_before_it(release: str) -> None:
    assert last_served(kafka_releases().broker(release), 0, 2) == "3.9.2"


def test_a_patch_release_of_a_java_client_can_be_upgraded() -> None:
    target, java = (kafka_releases().broker(name) for name in ("4.0", "0.10.2.1"))
    assert action(target, java, [1]) == "Upgrade it to a Java client of 0.11.0 or later."
