"""Whether a repository is Apache Kafka's: by its tags and its specs, never by a name or a key."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.repositories import FOLDER, Repo, api_versions
from tests.specs.kafka.forks import fork
from tests.support import ROOT, history_repo
from wirebook.specs.kafka import ancestry
from wirebook.specs.kafka.ancestry import (
    IS_KAFKA,
    NOT_KAFKA,
    Ancestry,
    Lineage,
    Standing,
    ancestry_of,
    is_kafkas,
    kafka_releases,
    kafkas_own,
)
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.versions import Versions
from wirebook.specs.wire.resemblance import LayoutItem, LayoutKey, StateDifference, items_of_message


def own(repository: Repo, glob: str = "*") -> tuple[bool, list[str]]:
    """Whether the releases of a repository are Kafka's, and which of them are."""
    with GitRepo(str(repository.folder)) as opened:
        found = opened.releases(glob).found
        return is_kafkas(opened, found), [each.name for each in kafkas_own(opened, found)]


def test_the_file_is_what_the_tool_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["kafka_releases.py", str(history_repo())])
    monkeypatch.setattr(ancestry, "PATH", tmp_path / "release_digests.json")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "tools" / "kafka_releases.py"), run_name="__main__")
    assert ended.value.code == 0
    own_file = ROOT / "specs" / "kafka" / "release_digests.json"
    assert (tmp_path / "release_digests.json").read_text() == own_file.read_text()


def test_every_embedded_version_is_one_of_a_release() -> None:
    releases = kafka_releases()
    items = [(message.api, item) for message in embedded_protocol() for item in items_of_message(message)]
    assert {releases.standing(item, api) for api, item in items} == {Standing.KAFKAS}


def test_a_repository_with_kafkas_tags_and_specs_is_kafkas(tmp_path: Path) -> None:
    kafka = fork(tmp_path / "kafka", "3.9.1")
    assert own(kafka) == (True, ["3.9.1"])
    kafka.git("tag", "3.9.7")
    kafka.git("tag", "4.4.0")
    assert own(kafka) == (True, ["3.9.1", "3.9.7", "4.4.0"]), "releases that are not known yet"
    # A history that was written anew has other commits, and the same specs.
    kafka.git("commit", "-q", "--amend", "-m", "Another history")
    kafka.git("tag", "-f", "3.9.1")
    assert own(kafka, "3.9.1")[0]


@pytest.mark.share(3)
@pytest.mark.parametrize("tag", ["0.40", "v20.12.5", "1.7.0", "inkless-release-0.40", "3.9.0", "latest-1"])
def test_tags_that_are_not_kafkas_make_a_fork(tmp_path: Path, tag: str) -> None:
    assert own(fork(tmp_path / "single", tag)) == (False, [])
    beside = fork(tmp_path / "beside", "3.9.1", tag)
    assert own(beside) == (False, ["3.9.1"]), "a fork may keep the tags of Kafka"
    assert own(beside, tag) == (False, [])


def test_a_release_with_other_specs_is_a_forks(tmp_path: Path) -> None:
    repository = Repo(tmp_path / "made")
    repository.write(f"{FOLDER}/ApiVersionsRequest.json", json.dumps(api_versions("request")))
    repository.commit("Release")
    repository.git("tag", "3.9.1")
    assert own(repository) == (False, [])
    changed = fork(tmp_path / "changed", "3.9.1")
    text = api_versions("request", name="OwnRequest", apiKey=901)
    changed.write(f"{FOLDER}/OwnRequest.json", json.dumps(text))
    changed.commit("Own")
    changed.git("tag", "3.9.5")
    assert own(changed) == (False, ["3.9.1"]), "no patch release has an API of its own"
    changed.git("tag", "-f", "3.9.1")
    assert own(changed) == (False, [])


def test_no_release_is_no_evidence(tmp_path: Path) -> None:
    repository = Repo(tmp_path / "empty")
    repository.write("README.md", "# Nothing")
    repository.commit("Nothing")
    assert own(repository) == (False, [])
    repository.git("tag", "3.9.1")
    assert own(repository) == (False, [])


def test_a_protocol_derives_from_the_release_that_has_most_of_its_versions() -> None:
    releases = kafka_releases()
    items = list(releases.of_release["3.8.0"])
    assert str(releases.ancestry(items)) == "derives from Apache Kafka 3.8.0 (100% of its versions)"
    # A library may lack most messages: what it has decides.
    few = [item for item in items if item.place.version in (0, 8)]
    assert releases.ancestry(few).share == 100
    assert "3.8.0" in releases.ancestry(few).releases
    other = [LayoutItem(LayoutKey("api:900", "request", number), "0") for number in range(len(items) + 1)]
    share = 100 * len(items) // (len(items) + 10)
    assert releases.ancestry([*items, *other[:10]]).share == share
    assert releases.ancestry([*items, *other]) == NOT_KAFKA
    assert releases.ancestry([]) == NOT_KAFKA
    assert ancestry_of([]) == NOT_KAFKA


def test_an_ancestry_in_words() -> None:
    def words(*names: str) -> str:
        return str(Ancestry(Lineage.DERIVED, names, StateDifference(199, 1, 0, 7)))

    assert words("3.9.1") == "derives from Apache Kafka 3.9.1 (99% of its versions)"
    assert words("3.9.0", "3.9.1") == "derives from Apache Kafka 3.9.0 or 3.9.1 (99% of its versions)"
    assert words("3.2.0", "3.2.1", "3.2.2") == (
        "derives from Apache Kafka 3.2.0 to 3.2.2 (99% of its versions)"
    )
    assert str(IS_KAFKA) == "is Apache Kafka"
    assert str(NOT_KAFKA) == "does not derive from Apache Kafka"


def test_the_standing_of_a_version() -> None:
    releases = kafka_releases()
    fetch = next(message for message in embedded_protocol() if message.name == "FetchRequest")
    item = items_of_message(fetch)[-1]
    assert releases.standing(item, "Fetch") is Standing.KAFKAS
    changed = item._replace(fingerprint="0" * 32)
    assert releases.standing(changed, "Fetch") is Standing.OTHER
    assert releases.standing(changed, "Otter") is Standing.OWN_MESSAGE, "it has the key of another API"
    longer = fetch._replace(valid_versions=Versions(fetch.valid_versions.lowest, 99))
    assert releases.standing(items_of_message(longer)[-1], "Fetch") is Standing.OWN
    own_key = item._replace(place=LayoutKey("api:900", "request", 0))
    assert releases.standing(own_key, "Own") is Standing.OWN_MESSAGE
