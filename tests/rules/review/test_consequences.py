"""Who must act: what the tables of Kafka's releases say, and nothing where they say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response, started
from tests.rules.review.reviews import reviewed
from wirebook.rules.review.consequences import Cause
from wirebook.rules.review.review import ReviewReport
from wirebook.specs.kafka.brokers import load_brokers
from wirebook.specs.kafka.served import Served


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    repo.write("wirebook.toml", 'extends = "kafka"\n')
    repo.commit("profile")
    monkeypatch.chdir(repo.folder)
    return repo


def words(review: ReviewReport, cause: Cause) -> list[str]:
    return [item.words for item in review.consequences if item.cause is cause]


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


def test_stored_data_has_no_peers(repo: Repo) -> None:
    field = {"name": "Offset", "type": "int64", "versions": "0+", "about": "x"}
    data = {"type": "data", "name": "Kept", "validVersions": "0-1", "flexibleVersions": "none"}
    repo.spec({**data, "fields": [field]})
    repo.commit()
    repo.spec({**data, "fields": [{**field, "type": "int32"}]})
    assert words(reviewed(), Cause.BROKEN) == [
        "Data written in versions 0-1 before this change may be misread after it, and the reverse."
    ]
