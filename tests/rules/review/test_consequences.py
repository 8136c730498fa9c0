"""Who must act: what the tables of Kafka's releases say, and nothing where they say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response, started
from tests.rules.review.reviews import kafka, reviewed
from tests.support import needs_shared
from wirebook.rules.review.consequences import Cause
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.kafka.brokers import load_brokers
from wirebook.specs.kafka.served import Served
from wirebook.specs.versions import VersionSet


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    repo.write("wirebook.toml", 'extends = "kafka"\n')
    repo.commit("profile")
    monkeypatch.chdir(repo.folder)
    return repo


def words(review: ReviewReport, cause: Cause) -> list[str]:
    return [item.words for item in review.consequences if item.cause is cause]


def test_releases_that_serve_a_version_come_in_runs() -> None:
    joining = Served(11, load_brokers())
    assert joining.releases(VersionSet.of([0, 1])) == "0.9.0 to 3.9.1, 4.0.1 to 4.3"
    assert joining.since(9) == "3.2"
    assert joining.since(99) is None
    assert joining.releases(VersionSet.of([99])) == ""


def test_a_listener_has_a_last_release() -> None:
    fetch = Served(1, load_brokers())
    assert fetch.last_with_listener("zkBroker") == "3.9.1"
    assert fetch.last_with_listener("broker") == fetch.newest
    assert fetch.last_with_listener("nowhere") is None
    assert not fetch.newest.endswith("-dev")


@pytest.mark.parametrize(
    ("key", "name"),
    [(1, "RetchRequest"), (901, "FetchRequest"), (901, "FooRequest")],
    ids=["other name", "other key", "neither"],
)
def test_nothing_is_claimed_of_the_releases_of_another_protocol(key: int, name: str, repo: Repo) -> None:
    repo.spec(request(apiKey=key, name=name))
    repo.spec(response(apiKey=key, name=name.replace("Request", "Response")))
    repo.commit()
    repo.spec(request(apiKey=key, name=name, validVersions="0-3"))
    repo.spec(response(apiKey=key, name=name.replace("Request", "Response"), validVersions="0-3"))
    found = reviewed()
    assert words(found, Cause.ADDED) == [
        "Peers without this change do not know version 3; clients on versions 0-2 are not affected."
    ]
    repo.spec(request(apiKey=key, name=name, validVersions="1-2"))
    repo.spec(response(apiKey=key, name=name.replace("Request", "Response"), validVersions="1-2"))
    assert words(reviewed(), Cause.REMOVED) == ["Version 0 is removed. Clients need version 1 or later."]


def test_a_broken_version_is_not_one_that_is_unaffected(repo: Repo) -> None:
    spec = request(validVersions="0-3")
    spec["fields"].append({"name": "Late", "type": "string", "versions": "2+", "about": "Late."})
    repo.spec(spec)
    repo.spec(response(validVersions="0-3"))
    found = reviewed()
    (broken,) = words(found, Cause.BROKEN)
    assert "each other's messages in version 2. Releases that serve it: 0.10.0 to 3.9.1." in broken
    assert broken.endswith("Versions 0-1 are not affected.")
    assert words(found, Cause.ADDED) == [
        "Only brokers of 0.10.1 to 3.9.1 know version 3; clients on versions 0-1 are not affected."
    ]


def test_a_version_that_no_release_has(repo: Repo) -> None:
    repo.spec(request(validVersions="0-99"))
    repo.spec(response(validVersions="0-99"))
    (added,) = words(reviewed(), Cause.ADDED)
    newest = Served(1, load_brokers()).newest
    assert f"no release up to {newest} serves versions 19-99" in added
    assert "-dev" not in added
    assert "brokers before 4.1 do not know version 18" in added


def test_stored_data_has_no_peers(repo: Repo) -> None:
    field = {"name": "Offset", "type": "int64", "versions": "0+", "about": "x"}
    data = {"type": "data", "name": "Kept", "validVersions": "0-1", "flexibleVersions": "none"}
    repo.spec({**data, "fields": [field]})
    repo.commit()
    repo.spec({**data, "fields": [{**field, "type": "int32"}]})
    assert words(reviewed(), Cause.BROKEN) == [
        "Data written in versions 0-1 before this change may be misread after it, and the reverse."
    ]


@needs_shared
def test_versions_of_the_release_that_removed_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = kafka(tmp_path / "kafka")
    monkeypatch.chdir(settings.with_suffix(""))
    found = reviewed("3.9.1..4.0.0", settings)
    rows = {item.api: item.cells for item in found.consequences if item.cause is Cause.REMOVED}
    assert rows["Fetch (API key 1)"] == ("0-3", "0.8.0 to 3.9.1", "4", "since 0.11.0", "0.8.0 to 0.10.2")
    assert rows["LeaderAndIsr (API key 4)"] == ("0-7", "0.8.0 to 3.9.1", "none", "", "")
    assert len(rows) == 25
    listeners = {item.words for item in found.consequences if item.cause is Cause.LISTENER}
    assert "No longer served on the zkBroker listener. Releases up to 3.9.1 serve it there." in listeners
    (pattern,) = [item for item in found.patterns if "zkBroker" in item.words]
    assert len(pattern.apis) == 62
    notes = [note for note in found.notes if "zkBroker" in note.message]
    assert len(notes) == 58
    assert not any(change.subject == "zkBroker" for api in found.apis for change in api.changes)
