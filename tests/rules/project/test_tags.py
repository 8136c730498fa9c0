"""Which tags of a repository are the releases of its specs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repo, request
from wirebook.rules.project.tags import default_releases, matching_releases
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo


def tagged(folder: Path, *tags: str) -> Repo:
    repository = Repo(folder)
    repository.spec(request())
    repository.commit("Specs")
    for tag in tags:
        repository.git("tag", tag)
    return repository


def defaults(repository: Repo, folder: str = "") -> list[str]:
    with GitRepo(str(repository.folder)) as opened:
        return [release.name for release in default_releases(opened, folder=folder)]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("1.0", "v1.1", "1.2-rc1", "kafka-connect-1.0.0", "src/x/v1.2.0"), ["1.0", "v1.1"]),
        (("release-1.0", "v1.1", "version_1.2"), ["release-1.0", "v1.1", "version_1.2"]),
        (("otter-1.0", "otter-1.1", "src/x/v1.2.0"), ["otter-1.0", "otter-1.1"]),
        (("src/x/v1.2.0",), ["src/x/v1.2.0"]),
        (("v1.0-rc1", "v1.0-dev"), ["v1.0-dev", "v1.0-rc1"]),
        (("latest", "nightly"), []),
        ((), []),
    ],
)
def test_the_main_product_counts(tmp_path: Path, tags: tuple[str, ...], expected: list[str]) -> None:
    assert defaults(tagged(tmp_path / "repo", *tags)) == expected


def test_the_module_of_the_specs_counts(tmp_path: Path) -> None:
    repository = tagged(tmp_path / "repo", "v1.0", "src/x/v1.2.0", "src/x/deep/v3.0.0", "src/xy/v2.0")
    assert defaults(repository, "src/x/specs") == ["src/x/v1.2.0"]
    assert defaults(repository, "src/x/deep") == ["src/x/deep/v3.0.0"]
    assert defaults(repository, "src/other") == ["v1.0"]


def test_a_choice_is_asked_for(tmp_path: Path) -> None:
    repository = tagged(tmp_path / "repo", "a-1.0", "b-1.0", "b-1.1")
    wrong = "of several products: 'a-*' (a-1.0), 'b-*' (2: b-1.0 to b-1.1); choose with --releases GLOB"
    with pytest.raises(InputError) as raised:
        defaults(repository)
    assert str(raised.value).endswith(wrong)
    assert "\n" not in str(raised.value)


def test_a_glob_leaves_pre_releases_out_if_there_are_others(tmp_path: Path) -> None:
    repository = tagged(tmp_path / "repo", "v1.0", "v1.1-rc1", "v1.1-dev")
    with GitRepo(str(repository.folder)) as opened:

        def names(*globs: str, prerelease: list[str] | None = None) -> list[str]:
            return [release.name for release in matching_releases(opened, globs, prerelease)]

        assert names("v*") == names("v1.0", "v1.1-rc1") == ["v1.0"]
        assert names("v1.1-*") == ["v1.1-dev", "v1.1-rc1"]
        assert names("v*", prerelease=["v1.0"]) == ["v1.1-dev", "v1.1-rc1"]
