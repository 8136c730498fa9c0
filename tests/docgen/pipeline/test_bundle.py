"""What Kafka's own history shows, over all its releases since 2.2."""

from __future__ import annotations

import subprocess
from functools import cache

import pytest

from tests.docgen.histories import Catalog, built_here, events, table, version_events
from tests.specs.released_specs import releases
from tests.support import history_repo, needs_shared
from wirebook.specs.kafka.brokers import kafka_releases
from wirebook.specs.versions import Versions, VersionSet

BEFORE = [
    "0.8.0",
    "0.8.1",
    "0.8.2",
    "0.9.0",
    "0.10.0",
    "0.10.1",
    "0.10.2",
    "0.11.0",
    "1.0",
    "1.1",
    "2.0",
    "2.1",
]
# Brokers of 0.9 to 0.11 read ControlledShutdown 0 and do not advertise it.
NOT_ADVERTISED = {
    ("controlled-shutdown", name) for name in ("0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0")
}
pytestmark = [pytest.mark.xdist_group("spark"), needs_shared, pytest.mark.long]


@cache
def catalog() -> Catalog:
    return built_here(history=str(history_repo()), releases="[0-9]*")


def test_all_releases_are_there_with_nothing_left_out() -> None:
    manifest = catalog().manifest
    assert (len(catalog().snapshots), manifest.problems) == (len(BEFORE) + 53, ())
    names = [snapshot.name for snapshot in catalog().snapshots]
    assert names[: len(BEFORE)] == BEFORE
    assert names[len(BEFORE) :] == list(releases())
    rows = table(catalog(), "messages").to_pylist()
    assert sum(row["ordinal"] >= len(BEFORE) for row in rows) >= 9170


@pytest.mark.parametrize("version", range(4))
def test_fetch_versions_that_4_0_removed(version: int) -> None:
    story = version_events(catalog().api("Fetch"), version)
    assert story[1:] == [("deprecated", "3.7.0"), ("removed", "4.0.0")]
    # What came before the first release of the history is told by the specs' own history.
    assert story[0][0] == "added"
    assert story[0][1] in ("0.8.0", "0.9.0", "0.10.0", "0.10.1")


def test_deprecations_of_3_7_and_those_that_were_taken_back() -> None:
    snapshots = {snapshot.name: snapshot for snapshot in catalog().snapshots}
    deprecated = {item.api: item.versions.text for item in snapshots["3.7.0"].deprecated}
    assert (deprecated["Fetch"], deprecated["Produce"], deprecated["Metadata"]) == (
        "0-3",
        "0-6",
        "0-3",
    )
    assert len(deprecated) == 23
    assert ("undeprecated", "3.9.1") in version_events(catalog().api("Metadata"), 0)
    assert [name for name, snapshot in snapshots.items() if snapshot.deprecated] == ["3.7.0"]


def test_apis_that_changed_their_name_are_one() -> None:
    assert catalog().api("ListConfigResources").former_names == ("ListClientMetricsResources",)
    assert catalog().api("AlterPartition").former_names == ("AlterIsr",)
    assert catalog().api("74") == catalog().api("ListConfigResources")


def test_every_api_serves_in_every_release_what_the_facts_say() -> None:
    """Unstable versions are in the specs of a release, and no broker serves them by default."""
    by_key = {row.api_key: row.slug for row in catalog().index if row.is_api}
    compared = 0
    for snapshot in catalog().snapshots:
        served = {slug: item.served for slug, item in snapshot.apis.items()}
        broker = kafka_releases().broker(snapshot.name)
        for key, slug in by_key.items():
            assert key is not None
            expected = set(broker.versions.get(key, Versions.NONE))
            found = set(VersionSet.parse(served.get(slug, "none")))
            if (slug, snapshot.name) in NOT_ADVERTISED:
                found -= {0}
            assert found == expected, f"{slug} in {snapshot.name}"
            compared += 1
    assert compared == 93 * (len(BEFORE) + 53)


def test_an_api_is_as_old_as_the_embedded_specs_say() -> None:
    assert events(catalog().api("DeleteRecords").lifecycle)[0] == ("added", "0.11.0")
    stands = {item.snapshot: item.versions for item in catalog().api("Produce").presence}
    assert [stands[name] for name in ("0.8.0", "0.9.0", "0.10.2", "2.1")] == [
        "0",
        "0-1",
        "0-2",
        "0-7",
    ]
    stands = {item.snapshot: item.versions for item in catalog().api("OffsetCommitValue").presence}
    assert [stands[name] for name in ("0.8.2", "2.1", "2.2.0", "2.8.0")] == [
        "0",
        "0-3",
        "0-3",
        "0-3",
    ]


def test_the_day_of_a_release_is_that_of_its_tag() -> None:
    text = subprocess.run(
        [
            "git",
            "-C",
            str(history_repo()),
            "for-each-ref",
            "--format=%(refname:short) %(taggerdate:short)",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    days = dict(line.split() for line in text.splitlines() if len(line.split()) == 2)
    shown = {item.name: item.date for item in catalog().snapshots if item.commit}
    assert shown == {name: days[name] for name in shown}
    assert (shown["3.7.1"], shown["4.1.1"]) == ("2024-06-18", "2025-10-26")
