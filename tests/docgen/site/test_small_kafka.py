"""Sites of repositories in Kafka's layout that have a few of its specs: the guide of Kafka is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docgen.site.other_protocol import build
from tests.docgen.sites import broken_links
from tests.repositories import Repo, api_versions, request, response


@pytest.mark.parametrize(
    "names",
    [
        "own",
        pytest.param("fetch", marks=pytest.mark.long),
        pytest.param("versions", marks=pytest.mark.long),
    ],
)
def test_a_small_repository_in_the_layout_of_kafka_builds(names: str, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "small")
    if names == "own":
        repo.spec(request(name="FooRequest", apiKey=700))
        repo.spec(response(name="FooResponse", apiKey=700))
    elif names == "fetch":
        repo.spec(request())
        repo.spec(response())
    else:
        repo.spec(api_versions("request"))
        repo.spec(api_versions("response"))
    repo.commit("the specs")
    done = build(repo.folder)
    assert done.returncode == 0, done.stderr
    site = repo.folder / "site"
    assert broken_links(site) == []
    assert not [name for name in ("kip-35", "kips", "negotiate", "tutorial") if (site / name).exists()]
