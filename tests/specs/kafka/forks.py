"""Repositories that have the specs of a release of Kafka, as forks do."""

from __future__ import annotations

from pathlib import Path

from tests.repositories import Repo
from tests.support import history_repo
from wirebook.specs.sources.git import GitRepo


def fork(folder: Path, *tags: str, release: str = "3.9.1") -> Repo:
    """A repository with the specs of a release of Kafka, and tags for them."""
    repository = Repo(folder)
    with GitRepo(str(history_repo())) as kafka:
        for path, digest in kafka.entries(release):
            repository.write(path, kafka.read(digest).decode())
    repository.commit("Release")
    for tag in tags:
        repository.git("tag", tag)
    return repository
