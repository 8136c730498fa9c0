"""Which specs a site is made of, what they are called, and what their profile names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docgen.site.other_protocol import otter, specs
from tests.docgen.site_requests import gathered
from tests.repositories import FOLDER, Repo
from tests.repositories import request as spec_request
from tests.repositories import response as spec_response
from tests.support import ROOT, history_repo
from wirebook.docgen.pipeline.inputs import gather, label_of
from wirebook.docgen.request import BuildRequest, Sources, sources_of
from wirebook.docgen.site.own_config import is_bright
from wirebook.rules.opened import open_specs
from wirebook.specs.levels import NO_LEVELS
from wirebook.specs.problems import InputError

LEVELS = [
    {"id": 0, "version": "L0", "release": "1.0", "about": "The first."},
    {"id": 1, "version": "L1", "release": "1.1", "about": "The second."},
]


@pytest.fixture
def repository(tmp_path: Path) -> Repo:
    return otter(tmp_path / "otter")


def of(source: str | None, here: Path) -> Sources:
    return sources_of(BuildRequest(source, here=here))


def history_of(
    history: Path, releases: str | None, here: Path, source: str | None = None
) -> Sources:
    return sources_of(BuildRequest(source, str(history), releases, here))


def test_without_specs_of_its_own_a_folder_gets_the_embedded_ones(tmp_path: Path) -> None:
    cases = ((None, tmp_path, True), (None, ROOT, False), ("kafka", tmp_path, False))
    for source, here, is_fallback in cases:
        opened = of(source, here).specs
        assert opened.is_embedded
        assert opened.is_fallback == is_fallback


def test_a_repository_has_its_own_specs_and_releases(repository: Repo) -> None:
    for here in (repository.folder, repository.folder / "protocol"):
        found = of(None, here)
        assert (found.specs.is_here, found.specs.top) == (True, repository.folder)
        assert (found.history, found.pattern) == (repository.folder, "v*")
    assert of("kafka", repository.folder).specs.is_embedded
    named = of("HEAD", repository.folder)
    assert (named.specs.commit is None, named.history) == (False, None)


def test_the_configuration_names_paths_and_releases(repository: Repo) -> None:
    repository.write("other/Cat.json", json.dumps(specs(0)["Den"] | {"name": "Cat"}))
    repository.write("wirebook.toml", 'paths = ["protocol"]\nreleased = ["v1.1*"]\n')
    repository.git("tag", "v1.2-rc1")
    found = of(None, repository.folder)
    assert found.pattern == "v1.1*"
    assert {file.path for file in gather(found).files} == {
        f"protocol/{name}.json" for name in specs(0)
    }


def test_a_history_has_the_tags_that_the_settings_name(repository: Repo) -> None:
    repository.write("wirebook.toml", 'released = ["v*", "rel-*"]\n')
    assert of(None, repository.folder).history == repository.folder
    for tag in repository.git("tag").split():
        repository.git("tag", "-d", tag)
    assert of(None, repository.folder).history is None


def test_specs_outside_a_repository_have_no_releases(tmp_path: Path) -> None:
    for name, spec in specs(0).items():
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
    found = of(None, tmp_path)
    assert (found.specs.is_here, found.history) == (True, None)


def test_a_history_without_a_source_brings_its_own_specs(repository: Repo, tmp_path: Path) -> None:
    made = gather(history_of(repository.folder, "v*", tmp_path))
    assert made.profile.name == "otter"
    assert {text.path for text in made.texts.values()} == {
        f"protocol/{name}.json" for name in specs(0)
    }
    assert (made.errors, made.context.registry) == ((), NO_LEVELS)
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", ".", str(bare))
    opened = history_of(bare, "v*", tmp_path).specs
    assert (opened.top, opened.repository) == (None, bare)


def test_the_embedded_specs_may_have_a_history(tmp_path: Path) -> None:
    found = history_of(history_repo(), "3.9.*", tmp_path, "kafka")
    assert (found.specs.is_embedded, found.pattern) == (True, "3.9.*")


def test_a_history_in_kafkas_folder_has_its_own_specs(tmp_path: Path) -> None:
    history = Repo(tmp_path / "history")
    history.write(f"{FOLDER}/FetchRequest.json", json.dumps(spec_request()))
    history.write(f"{FOLDER}/FetchResponse.json", json.dumps(spec_response()))
    history.commit("Release")
    history.git("tag", "3.9.0")
    history.git("tag", "3.9.1-rc0")
    for glob in ("*", None):
        found = history_of(history.folder, glob, tmp_path)
        assert found.specs.is_here
    assert [each.name for each in gather(found).context.snapshots] == ["3.9.0"], (
        "a pre-release is no release"
    )
    with pytest.raises(InputError, match=r'no tag of .* matches "9"'):
        history_of(history.folder, "9", tmp_path)


def test_levels_are_those_beside_the_specs_or_in_the_profile(repository: Repo) -> None:
    spec = specs(0)["Den"] | {"history": [{"version": 0, "added": "L1", "about": "Dens."}]}
    repository.write("protocol/Den.json", json.dumps(spec))
    source = str(repository.folder)
    assert [item.kind for item in gathered(source).context.snapshots] == ["source"]
    repository.write("protocol/api_versions.json", json.dumps(LEVELS))
    assert [item.name for item in gathered(source).context.snapshots] == ["1.0", "1.1"]
    (repository.folder / "protocol" / "api_versions.json").rename(repository.folder / "steps.json")
    profile = repository.folder / "wirebook.toml"
    profile.write_text(profile.read_text() + '\n[tables]\nlevels = "steps.json"\n')
    assert [item.name for item in gathered(source).context.snapshots] == ["1.0", "1.1"]
    (repository.folder / "steps.json").unlink()
    with pytest.raises(InputError, match=r'no "steps\.json"'):
        gathered(source)


def test_a_label_is_a_tag_and_never_a_path(repository: Repo, tmp_path: Path) -> None:
    def label(source: str | None) -> str:
        return label_of(open_specs(source, repository.folder))

    folder = repository.folder
    assert label(None) == label(f"{folder}@v1.1") == "v1.1"
    assert label(f"{folder}@v1.0:protocol") == "v1.0"
    repository.write("notes.md", "Not a spec.")
    assert label(None) == "v1.1"
    repository.write("protocol/Lair.json", json.dumps(specs(0)["Den"] | {"name": "Lair"}))
    assert label(None) == "unreleased"
    repository.commit("Add lairs")
    assert label(None) == "unreleased"
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "Den.json").write_text(json.dumps(specs(0)["Den"]))
    assert label(str(plain)) == label(str(plain / "Den.json")) == "unreleased"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('logo = "../../logo.svg"', "is outside the repository"),
        ('logo = "/etc/passwd.svg"', "is outside the repository"),
        ('logo = "link.svg"', "is outside the repository"),
        ('logo = "docs/none.svg"', "is not there"),
        ('logo = "wirebook.toml"', "is not one of .svg"),
        ('home = "docs/none.md"', "is not there"),
        ('guides = ["docs/none"]', "is neither a Markdown file nor a folder of them"),
        ('home = "docs/guide/pairing.md"\nguides = ["docs/logo.svg"]', "neither a Markdown file"),
    ],
)
def test_files_of_the_site_are_in_the_repository(repository: Repo, line: str, words: str) -> None:
    (repository.folder.parent / "logo.svg").write_text("<svg/>")
    (repository.folder / "link.svg").symlink_to("../logo.svg")
    repository.write("wirebook.toml", f'name = "otter"\n[site]\n{line}\n')
    with pytest.raises(InputError, match=re.escape(words)):
        gathered(repository.folder)


def test_guides_keep_their_places_beside_the_home_page(repository: Repo) -> None:
    repository.write("docs/start.md", "# Start\n")
    repository.write("docs/guide/index.md", "# Guide\n")
    repository.write("docs/guide/deep/otter.png", "an image")
    repository.write("docs/guide/.hidden.md", "# Hidden\n")
    repository.write(
        "wirebook.toml", 'name = "otter"\n[site]\nhome = "docs/start.md"\nguides = ["docs/guide"]\n'
    )
    repository.commit("Write a guide")
    repository.git("tag", "-f", "v1.1")
    made = gathered(repository.folder)
    record = made.protocol.site
    assert record.home == "index.md"
    assert record.guides == ("guide/index.md", "guide/pairing.md")
    files = {
        name.removeprefix("site/"): content
        for name, content in made.further.items()
        if "site/" in name
    }
    assert files["index.md"] == b"# Start\n"
    assert set(files) == {"index.md", *record.guides, "guide/deep/otter.png"}
    with pytest.raises(InputError, match="check the commit out"):
        gathered(f"{repository.folder}@v1.1")


def test_the_text_of_a_header_is_readable_on_its_colour() -> None:
    assert is_bright("#ffec3d")
    assert not is_bright("#0a5c36")
