"""What changed: sizes, free tags, layouts that differ, and what many APIs have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request, response, started
from tests.rules.review.reviews import reviewed
from wirebook.rules.review.layouts import SHOWN, Sizes
from wirebook.rules.review.patterns import REMOVED
from wirebook.specs.versions import VersionSet


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def sizes(*items: tuple[int, int | None, int]) -> tuple[Sizes, ...]:
    return tuple(Sizes(VersionSet.of([version]), old, new) for version, old, new in items)


def test_sizes_and_tags_of_a_change_in_released_versions(repo: Repo) -> None:
    spec = request()
    spec["fields"][0]["type"] = "int64"
    repo.spec(spec)
    ((message,),) = [api.messages for api in reviewed().apis]
    # Version 0: INT32 and a length of 2 bytes; from 1 on, a length of 1 byte and an empty tagged section.
    first, others = message.layouts
    assert first.sizes == sizes((0, 6, 10))
    assert others.sizes == (Sizes(VersionSet.of([1, 2]), 6, 10),)
    assert (first.versions.text, others.versions.text) == ("0", "1-2")
    assert first.words == ("MaxWaitMs changes its type from int32 to int64",)
    assert message.free_tags == (("", 1),)


def test_a_new_version_is_compared_with_the_one_before(repo: Repo) -> None:
    spec = request(validVersions="0-3")
    spec["fields"].append({"name": "Late", "type": "int16", "versions": "3+", "about": "Late."})
    repo.spec(spec)
    repo.spec(response(validVersions="0-3"))
    asked, answered = reviewed().added
    assert asked.sizes == sizes((3, 6, 8))
    assert answered.sizes == sizes((3, 3, 3))
    assert answered.words == ()


def test_a_tag_of_a_removed_field_is_not_free(repo: Repo) -> None:
    spec = request()
    spec["fields"] = spec["fields"][:2]
    repo.spec(spec)
    ((message,),) = [api.messages for api in reviewed().apis]
    assert message.free_tags == (("", 1),)


def test_of_many_new_versions_the_newest_are_laid_out(repo: Repo) -> None:
    repo.spec(request(validVersions="0-9"))
    repo.spec(response(validVersions="0-9"))
    found = [item.new.version for item in reviewed().added if item.new.type == "request"]
    assert found == [10 - SHOWN + number for number in range(SHOWN)]


def test_fields_of_removed_versions_are_counted(repo: Repo) -> None:
    spec = request()
    spec["fields"].append({"name": "Early", "type": "int8", "versions": "0", "about": "Early."})
    repo.spec(spec)
    repo.commit()
    spec = request(validVersions="1-2")
    repo.spec(spec)
    repo.spec(response(validVersions="1-2"))
    (api,) = reviewed().apis
    assert api.implied == 1
    assert {change.kind for change in api.changes} == {"versions-removed"}


def test_what_many_apis_have_in_common_is_one_pattern(repo: Repo) -> None:
    def api(number: int, versions: str, listeners: list[str]) -> None:
        name = f"Foo{number}"
        repo.spec(
            request(apiKey=900 + number, name=f"{name}Request", validVersions=versions, listeners=listeners)
        )
        repo.spec(response(apiKey=900 + number, name=f"{name}Response", validVersions=versions))

    for number in range(4):
        api(number, "0-2", ["broker", "controller"])
    repo.commit()
    for number in range(4):
        api(number, f"{1 + number % 2}-2", ["broker"])
    spec = request(apiKey=903, name="Foo3Request", validVersions="2-3", listeners=["broker"])
    repo.spec(spec)
    repo.spec(response(apiKey=903, name="Foo3Response", validVersions="2-3"))
    found = reviewed()
    assert {item.words: len(item.apis) for item in found.patterns} == {
        REMOVED: 4,
        "is no longer served on the controller listener": 4,
    }
    assert [api.title for api in found.apis] == ["Foo3 (API key 903)"]
    assert {change.kind for change in found.apis[0].changes} == {"versions-added"}
    assert found.other_apis == 3


def test_three_apis_are_no_pattern(repo: Repo) -> None:
    for number in range(3):
        repo.spec(
            request(apiKey=900 + number, name=f"Foo{number}Request", listeners=["broker", "controller"])
        )
        repo.spec(response(apiKey=900 + number, name=f"Foo{number}Response"))
    repo.commit()
    for number in range(3):
        repo.spec(request(apiKey=900 + number, name=f"Foo{number}Request"))
    found = reviewed()
    assert found.patterns == ()
    assert len(found.apis) == 3


def test_a_removed_version_is_not_said_to_be_undeprecated(repo: Repo) -> None:
    repo.spec(request(deprecatedVersions="0"))
    repo.commit()
    repo.spec(request(validVersions="1-2"))
    repo.spec(response(validVersions="1-2"))
    found = reviewed()
    (change,) = [item for item in found.changes if item.kind == "versions-undeprecated"]
    assert (change.effect, change.versions.text) == ("text", "")
    assert found.text_changes == 1
    repo.spec(request())
    repo.spec(response())
    (change,) = [item for item in reviewed().changes if item.kind == "versions-undeprecated"]
    assert (change.effect, change.versions.text) == ("promise", "0")
