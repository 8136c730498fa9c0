"""What is missing: the JSON to paste, which then settles the finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, request, response, started
from tests.rules.review.reviews import reviewed

LEVELS = [
    {"id": 0, "version": "1.0-IV0", "release": "1.0"},
    {"id": 1, "version": "1.0-IV1", "release": "1.0"},
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def with_history(spec: dict[str, Any]) -> dict[str, Any]:
    entries = [{"version": number, "added": "1.0-IV0", "about": f"The {number}."} for number in range(3)]
    return {**spec, "history": entries}


def test_nothing_is_missing_of_a_whole_change(repo: Repo) -> None:
    repo.spec(request(validVersions="0-3"))
    repo.spec(response(validVersions="0-3"))
    assert reviewed().missing == ()


def test_a_level_and_an_entry_of_each_history(repo: Repo) -> None:
    repo.write(f"{FOLDER}/api_versions.json", json.dumps(LEVELS))
    for spec in (request(), response()):
        repo.spec(with_history(spec))
    repo.commit()
    for spec in (request(validVersions="0-3"), response(validVersions="0-3")):
        repo.spec(with_history(spec))
    found = reviewed().missing
    entries = [item for item in found if "history" in item.words]
    assert [item.path for item in entries] == [
        f"{FOLDER}/FetchRequest.json",
        f"{FOLDER}/FetchResponse.json",
    ]
    assert all(item.line for item in entries)
    assert [json.loads(item.text) for item in entries] == [
        {"version": 3, "added": "1.0-IV2", "about": "…"}
    ] * 2
    (level,) = [item for item in found if item not in entries]
    assert level.path == f"{FOLDER}/api_versions.json"
    pasted = json.loads(level.text)
    assert pasted == {"id": 2, "version": "1.0-IV2", "release": "1.0", "about": "…"}
    # What it asks for is what the check wants.
    repo.write(f"{FOLDER}/api_versions.json", json.dumps([*LEVELS, pasted]))
    for spec in (request(validVersions="0-3"), response(validVersions="0-3")):
        whole = with_history(spec)
        whole["history"].append({**json.loads(entries[0].text), "about": "The fourth."})
        repo.spec(whole)
    after = reviewed()
    assert after.missing == ()
    assert after.report.summary["error"] == 0


def test_a_request_without_a_response(repo: Repo) -> None:
    repo.spec(request(apiKey=900, name="FooRequest"))
    (item,) = reviewed().missing
    assert (item.path, item.line) == (f"{FOLDER}/FooResponse.json", None)
    repo.write(item.path, item.text)
    assert reviewed().missing == ()


def test_what_is_accepted_is_not_missing(repo: Repo) -> None:
    repo.spec(request(apiKey=900, name="FooRequest"))
    keys = '[[waiver]]\nrule = "missing-partner"\nmessage = "FooRequest"\nreason = "r"\nby = "b"\n'
    repo.write("waivers.toml", keys)
    assert reviewed().missing == ()
