"""What a workspace reads of a source: its protocol, its registry, and their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import request, response
from tests.support import lay
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.registry import embedded_protocol, load_registry
from wirebook.specs.load import SourceContents, registry_of
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import embedded_profile
from wirebook.specs.sources.source import open_source

LEVELS = '[{"id": 0, "version": "1.0-IV0", "release": "1.0"}]'


def read_source(source: str | Path) -> SourceContents:
    return Workspace.open(Path(), source).contents


def test_the_embedded_specs_are_those_of_kafka() -> None:
    only = read_source("kafka")
    assert only.description == "the embedded specs"
    assert only.protocol == embedded_protocol()
    assert only.registry == load_registry()


def test_a_folder_is_read_with_its_registry(tmp_path: Path) -> None:
    top = lay(tmp_path / "top", {"a/FetchRequest.json": request(), "a/FetchResponse.json": response()})
    plain = read_source(str(top))
    assert [message.name for message in plain.protocol] == ["FetchRequest", "FetchResponse"]
    assert (plain.protocol.name, plain.description) == (str(top), f"the directory {top}")
    assert (plain.registry, plain.registry_text) == (None, "")
    lay(top, {"api_versions.json": LEVELS})
    found = read_source(top)
    assert found.registry is not None
    assert [level.version for level in found.registry.api_versions] == ["1.0-IV0"]
    assert found.registry_text == LEVELS
    lay(top, {"test/FooRequest.json": request(name="FooRequest", apiKey=9)})
    assert read_source(top).protocol == plain.protocol


def test_the_registry_of_a_profile(tmp_path: Path) -> None:
    folder = lay(tmp_path, {"a/FetchRequest.json": request(), "levels.json": LEVELS})
    source = open_source(str(folder))
    texts = source.texts()
    named = Profile(tables={"levels": "levels.json"}, path="profile.toml")
    found = registry_of(source, texts, named)
    assert found is not None
    assert found.path == "levels.json"
    assert registry_of(source, texts, NEUTRAL) is None
    kafka = embedded_profile(KAFKA)
    # A fork without a registry of its own has that of Kafka.
    for profile in (kafka, kafka._replace(name="fork")):
        assert registry_of(source, texts, profile) == load_registry()
    with pytest.raises(InputError) as caught:
        registry_of(source, texts, Profile(tables={"levels": "x.json"}, path="profile.toml"))
    assert str(caught.value) == 'profile.toml: there is no "x.json", the table of levels of the profile'
    lay(folder, {"a/api_versions.json": LEVELS.replace("1.0", "2.0"), "api_versions.json": LEVELS})
    nearest = registry_of(source, texts, kafka)
    assert nearest is not None
    assert (nearest.path, nearest.api_versions[0].version) == ("a/api_versions.json", "2.0-IV0")
    lay(folder, {"a/api_versions.json": LEVELS.replace('"id": 0', '"id": 1')})
    with pytest.raises(InputError, match=r'the protocol level "1.0-IV0" has id 1; 0 comes here'):
        registry_of(source, texts, NEUTRAL)
