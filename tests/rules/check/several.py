"""A repository with two protocols."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, api_versions, request, response

CONFIG = """\
[[protocol]]
name = "otter"
paths = ["proto/messages"]
listeners = ["gateway"]

[[protocol]]
name = "kafka"
paths = ["vendor/kafka/**"]
profile = "kafka"
"""


OTTER, KAFKA = "proto/messages", "vendor/kafka/message"


def dive(kind: str, **changed: object) -> dict[str, object]:
    """A message of the other protocol, with the API key of Kafka's ApiVersions."""
    listeners = {"listeners": ["gateway"]} if kind == "request" else {}
    return {**api_versions(kind), **listeners, "name": f"Dive{kind.capitalize()}", **changed}


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Otter's messages and a copy of Kafka's, with the same API keys, and Fetch in both."""
    repo = Repo(tmp_path / "both")
    for kind in ("request", "response"):
        repo.spec(dive(kind), OTTER)
        repo.spec(api_versions(kind), KAFKA)
    repo.spec(request(listeners=["gateway"]), OTTER)
    repo.spec(response(), OTTER)
    repo.spec(request(), KAFKA)
    repo.spec(response(), KAFKA)
    repo.write("wirebook.toml", CONFIG)
    repo.commit("first")
    repo.git("checkout", "-q", "-b", "feature")
    monkeypatch.chdir(repo.folder)
    return repo
