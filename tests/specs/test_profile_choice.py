"""The profile of the specs of a source: the one beside them, or that of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import api_versions, request
from tests.support import lay
from wirebook.specs.kafka import KAFKA
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import embedded_profile, profile_of
from wirebook.specs.sources.source import open_source

SPEC = "a/FetchRequest.json"


def of(folder: Path, files: dict[str, Any]) -> Profile:
    source = open_source(str(lay(folder, {SPEC: request(), **files})))
    return profile_of(source, [text.path for text in source.texts()])


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({}, ""),
        ({"a/profile.toml": 'name = "own"'}, "own"),
        ({"profile.toml": 'name = "own"'}, "own"),
        ({"a/profile.toml": 'name = "own"', "profile.toml": 'name = "far"'}, "own"),
        ({"wirebook.toml": '[protocol]\nname = "own"'}, "own"),
        ({"pyproject.toml": '[tool.wirebook.protocol]\nname = "own"'}, "own"),
        # A profile counts before a configuration, wherever it is.
        ({"profile.toml": 'name = "own"', "a/wirebook.toml": '[protocol]\nname = "other"'}, "own"),
        ({"a/wirebook.toml": "x = 1", "wirebook.toml": '[protocol]\nname = "own"'}, "own"),
        ({"a/wirebook.toml": "# protocol", "b/profile.toml": 'name = "other"'}, ""),
        ({"a/ApiVersionsRequest.json": api_versions("request")}, ""),
        ({"profile.toml": 'name = "fork"\nextends = "kafka"'}, "fork"),
        ({"profile.toml": 'extends = "b/base.toml"', "b/base.toml": 'name = "base"'}, "base"),
    ],
)
def test_the_nearest_profile_counts(files: dict[str, Any], name: str, tmp_path: Path) -> None:
    assert of(tmp_path, files).name == name


def test_a_profile_of_the_family_of_kafka(tmp_path: Path) -> None:
    assert of(tmp_path / "one", {}) is NEUTRAL
    fork = of(tmp_path / "two", {"profile.toml": 'name = "fork"\nextends = "kafka"'})
    assert (fork.family, fork.path) == (KAFKA, "profile.toml")
    # In a checkout of wirebook, the profile beside the specs is the embedded one.
    own = of(tmp_path / "three", {"profile.toml": 'name = "kafka"'})
    assert (own.family, of(tmp_path / "four", {"profile.toml": 'name = "own"'}).family) == (KAFKA, "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kafak", 'there is no profile "kafak" to extend; did you mean "kafka"?'),
        ("otter", 'there is no profile "otter" to extend; there is kafka'),
    ],
)
def test_a_profile_that_is_not_built_in(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        embedded_profile(name)
    assert str(caught.value) == words
