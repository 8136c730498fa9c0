"""What tests of sources share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.repositories import Repo
from wirebook.specs.sources.repository import Repository, find_repository


@pytest.fixture
def opened(repo: Repo) -> Iterator[Repository]:
    """The repository of the fixture `repo`, as a check opens it."""
    found = find_repository(repo.folder)
    assert found is not None
    yield found
    found.close()
