"""Which specs a site is made of, what they are called, and what their profile names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docgen.site.other_protocol import otter, specs
from tests.docgen.site_requests import site_request
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.docgen.pipeline.inputs import gather
from wirebook.docgen.request import BuildRequest
from wirebook.rules.project.workspace import SpecOrigin
from wirebook.specs.problems import InputError

LEVELS = [
    {"id": 0, "version": "L0", "release": "1.0", "about": "The first."},
    {"id": 1, "version": "L1", "release": "1.1", "about": "The second."},
]


@pytest.fixture
def repository(tmp_path: Path) -> Repo:
    return otter(tmp_path / "otter")


def of(source: str | None, here: Path) -> BuildRequest:
    return BuildRequest.of(source, here=here)


def test_without_specs_of_its_own_a_folder_gets_the_embedded_ones(tmp_path: Path) -> None:
    cases = ((None, tmp_path, True), (None, ROOT, False), ("kafka", tmp_path, False))
    for source, here, is_fallback in cases:
        workspace = of(source, here).workspace
        assert workspace.is_embedded
        assert workspace.is_fallback == is_fallback


def test_a_repository_has_its_own_specs_and_releases(repository: Repo) -> None:
    for here in (repository.folder, repository.folder / "protocol"):
        request = of(None, here)
        assert (request.workspace.origin, request.workspace.folder) == (SpecOrigin.HERE, repository.folder)
        assert (request.history, request.releases) == (str(repository.folder), ("v1.0", "v1.1"))
    assert of("kafka", repository.folder).workspace.is_embedded
    named = of("HEAD", repository.folder)
    assert (named.workspace.source.kind, named.history) == ("git", None)


def test_the_configuration_names_paths_and_releases(repository: Repo) -> None:
    repository.write("other/Cat.json", json.dumps(specs(0)["Den"] | {"name": "Cat"}))
    repository.write("wirebook.toml", 'paths = ["protocol"]\nreleased = ["v1.1*"]\n')
    repository.git("tag", "v1.2-rc1")
    request = of(None, repository.folder)
    assert request.releases == ("v1.1",)
    assert {path for _, path, _ in gather(request).files} == {f"protocol/{name}.json" for name in specs(0)}


def test_a_history_without_a_source_brings_its_own_specs(repository: Repo, tmp_path: Path) -> None:
    made = gather(BuildRequest.of(None, str(repository.folder), "v*", here=tmp_path))
    assert made.profile.name == "otter"
    assert {path for path, _ in made.texts.values()} == {f"protocol/{name}.json" for name in specs(0)}
    assert (made.errors, made.registry) == ((), None)
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", ".", str(bare))
    workspace = BuildRequest.of(None, str(bare), "v*", here=tmp_path).workspace
    assert (workspace.source.kind, workspace.source.path) == ("git", str(bare))


def test_levels_are_those_beside_the_specs_or_in_the_profile(repository: Repo) -> None:
    spec = specs(0)["Den"] | {"history": [{"version": 0, "added": "L1", "about": "Dens."}]}
    repository.write("protocol/Den.json", json.dumps(spec))
    source = str(repository.folder)
    assert [item.kind for item in gather(site_request(source)).snapshots] == ["source"]
    repository.write("protocol/api_versions.json", json.dumps(LEVELS))
    assert [item.name for item in gather(site_request(source)).snapshots] == ["1.0", "1.1"]
    (repository.folder / "protocol" / "api_versions.json").rename(repository.folder / "steps.json")
    profile = repository.folder / "profile.toml"
    profile.write_text(profile.read_text() + '\n[tables]\nlevels = "steps.json"\n')
    assert [item.name for item in gather(site_request(source)).snapshots] == ["1.0", "1.1"]
    (repository.folder / "steps.json").write_text(json.dumps(LEVELS[1:]))
    with pytest.raises(InputError, match=r"steps\.json:1:2: .*has id 1; 0 comes here"):
        gather(site_request(source))
    (repository.folder / "steps.json").unlink()
    with pytest.raises(InputError, match=r'no "steps\.json"'):
        gather(site_request(source))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('logo = "../../logo.svg"', "is outside the repository"),
        ('logo = "/etc/passwd.svg"', "is outside the repository"),
        ('logo = "link.svg"', "is outside the repository"),
        ('logo = "docs/none.svg"', "is not there"),
        ('logo = "profile.toml"', "is not one of .svg"),
        ('home = "docs/none.md"', "is not there"),
        ('guides = ["docs/none"]', "is neither a Markdown file nor a folder of them"),
        ('home = "docs/guide/pairing.md"\nguides = ["docs/logo.svg"]', "neither a Markdown file"),
    ],
)
def test_files_of_the_site_are_in_the_repository(repository: Repo, line: str, words: str) -> None:
    (repository.folder.parent / "logo.svg").write_text("<svg/>")
    (repository.folder / "link.svg").symlink_to("../logo.svg")
    repository.write("profile.toml", f'name = "otter"\n[site]\n{line}\n')
    with pytest.raises(InputError, match=re.escape(words)):
        gather(site_request(repository.folder))
