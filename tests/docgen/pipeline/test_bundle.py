"""What Kafka's own history shows, over all its releases since 2.2."""

from __future__ import annotations

from functools import cache

import pytest

from tests.docgen.histories import build, events, temporary, version_events
from tests.support import history_repo, needs_shared
from wirebook.docgen.catalog.catalog import Catalog

pytestmark = [pytest.mark.xdist_group("spark"), needs_shared]


@cache
def catalog() -> Catalog:
    folder = temporary("bundle") / "catalog"
    done = build(folder, history=str(history_repo()), releases="[0-9]*")
    assert done.returncode == 0, done.stderr
    return Catalog.open(folder)


def test_all_releases_are_there_with_nothing_left_out() -> None:
    manifest = catalog().manifest
    assert (manifest.snapshots, manifest.specs, manifest.problems) == (53, 9170, ())
    assert catalog().snapshots[0].name == "2.2.0"
    assert catalog().snapshots[-1].name == "4.3.1"
    assert catalog().table("messages").num_rows == 9170


@pytest.mark.parametrize("version", range(4))
def test_fetch_versions_that_4_0_removed(version: int) -> None:
    story = version_events(catalog().api("Fetch"), version)
    assert story[1:] == [("deprecated", "3.7.0"), ("removed", "4.0.0")]
    # What came before the first release of the history is told by the specs' own history.
    assert story[0][0] == "added"
    assert story[0][1] in ("0.8.0", "0.9.0", "0.10.0", "0.10.1")


def test_produce_version_that_4_1_added() -> None:
    assert version_events(catalog().api("Produce"), 13) == [("added", "4.1.0")]
    assert catalog().api("Produce").newest_stable == 13


@pytest.mark.parametrize("version", [0, 1])
def test_join_group_versions_that_4_0_removed_and_4_0_1_brought_back(version: int) -> None:
    story = version_events(catalog().api("JoinGroup"), version)
    gone_and_back = [("removed", "4.0.0"), ("returned", "4.0.1"), ("undeprecated", "4.0.1")]
    assert story[1:] == [("deprecated", "3.7.0"), *gone_and_back]
    returned = [snapshot.name for snapshot in catalog().snapshots for item in snapshot.returned]
    assert returned == ["4.0.1", "4.1.0"]


def test_leader_and_isr_has_gone_and_has_its_document() -> None:
    document = catalog().api("LeaderAndIsr")
    assert document.gone is True
    assert events(document.lifecycle.events)[-1] == ("removed", "4.0.0")
    assert {item.snapshot: item.versions for item in document.presence}["3.9.1"] == "0-7"
    assert document.messages[0].versions[7].origin.snapshot == "3.9.1"
    assert "leader-and-isr" not in catalog().snapshots[-1].apis


def test_deprecations_of_3_7_and_those_that_were_taken_back() -> None:
    told = {snapshot.name: snapshot for snapshot in catalog().snapshots}
    deprecated = {item.api: item.versions.text for item in told["3.7.0"].deprecated}
    assert (deprecated["Fetch"], deprecated["Produce"], deprecated["Metadata"]) == ("0-3", "0-6", "0-3")
    assert len(deprecated) == 23
    assert ("undeprecated", "3.9.1") in version_events(catalog().api("Metadata"), 0)
    assert [name for name, snapshot in told.items() if snapshot.deprecated] == ["3.7.0"]


def test_apis_that_changed_their_name_are_one() -> None:
    assert catalog().api("ListConfigResources").former_names == ("ListClientMetricsResources",)
    assert catalog().api("AlterPartition").former_names == ("AlterIsr",)
    assert catalog().api("74") == catalog().api("ListConfigResources")


def test_a_renamed_field_is_as_old_as_its_first_name() -> None:
    fields = catalog().api("Fetch").messages[0].fields
    found = {item.path: item for item in fields}
    assert found["MaxWaitMs"].former_names == ("MaxWait",)
    assert [event for event, _ in events(found["MaxWaitMs"].events)] == ["added", "renamed"]
    assert events(found["MaxWaitMs"].events)[0] == ("added", "0.8.0")
    assert found["MaxWait"].gone is True


def test_the_dead_versions_of_a_branch_are_told_of_by_their_own_line() -> None:
    predecessors = {snapshot.name: snapshot.predecessor for snapshot in catalog().snapshots}
    assert predecessors["4.0.1"] == "4.0.0"
    assert predecessors["4.1.0"] == "4.0.0"
    assert predecessors["2.2.0"] is None
