"""The registry of protocol levels: ids from 0, each one more, and which a release shipped with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirebook.specs.levels import open_registry, read_registry
from wirebook.specs.problems import InputError

ITEMS = [
    {"id": 0, "version": "0.8.0", "release": "0.8.0"},
    {"id": 1, "version": "0.10.0-IV0", "release": "0.10.0"},
    {"id": 2, "version": "0.10.0-IV1", "release": "0.10.0", "about": "words"},
    {"id": 3, "version": "4.0-IV0", "release": "4.0", "date": "2025-03-18"},
]


def write(folder: Path, value: object) -> Path:
    path = folder / "api_versions.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_levels_are_found_by_name_and_by_release(tmp_path: Path) -> None:
    registry = open_registry(write(tmp_path, ITEMS))
    found = registry.by_version("0.10.0-IV1")
    assert found is not None
    assert (found.id, found.about) == (2, "words")
    assert registry.by_version("9.9") is None
    newest = {
        name: registry.of_release(name) for name in ("0.10.0.1", "0.10.0", "4.0.1", "4.0.0-rc1", "5.0.0")
    }
    assert {name: item.id if item else None for name, item in newest.items()} == {
        "0.10.0.1": 2,
        "0.10.0": 2,
        "4.0.1": 3,
        "4.0.0-rc1": 3,
        "5.0.0": None,
    }


GOOD = {"id": 0, "version": "3.7-IV4", "release": "3.7"}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("x", "an entry is not an object"),
        ({key: GOOD[key] for key in ("version", "release")}, 'an entry has no "id"'),
        ({key: GOOD[key] for key in ("id", "release")}, 'an entry has no "version"'),
        ({key: GOOD[key] for key in ("id", "version")}, 'an entry has no "release"'),
        (GOOD | {"id": "0"}, 'an id must be an integer, not "0"'),
        (GOOD | {"id": False}, "an id must be an integer, not false"),
        (GOOD | {"version": 3}, "the version of id 0 is not a string"),
        (GOOD | {"version": ""}, "the version of id 0 is not a string"),
        (GOOD | {"release": 3}, "the release of 3.7-IV4 does not begin with a number"),
        (GOOD | {"release": ""}, "the release of 3.7-IV4 does not begin with a number"),
        (GOOD | {"release": "v3.7"}, "the release of 3.7-IV4 does not begin with a number"),
        (GOOD | {"date": 2013}, "the date of 3.7-IV4 is not like 2013-12-03"),
        (GOOD | {"date": "2013-12-3"}, "the date of 3.7-IV4 is not like 2013-12-03"),
        (GOOD | {"date": "2013-02-29"}, "the date of 3.7-IV4 is not like 2013-12-03"),
        (GOOD | {"date": "20131203"}, "the date of 3.7-IV4 is not like 2013-12-03"),
        (GOOD | {"about": None}, "the description of 3.7-IV4 is not a string"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_with_the_reason(item: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_registry(json.dumps([item]).encode(), "levels.json")
    assert str(caught.value) == f"levels.json:1:1: this is not a registry of protocol levels ({words})"


def test_when_something_happened_is_ordered(tmp_path: Path) -> None:
    registry = open_registry(write(tmp_path, ITEMS))
    names = ["0.8.0", "0.10.0-IV0", "0.10.0-IV1", "0.10.0", "0.10.0.0", "0.10.0.1", "4.0-IV0", "4.0", "4.0.1"]
    names.append("4.0.1.2")
    found = {name: registry.moment(name) for name in names}
    assert {name: (each.level, each.patch, each.release) for name, each in found.items() if each} == {
        "0.8.0": (0, 0, ""),
        "0.10.0-IV0": (1, 0, ""),
        "0.10.0-IV1": (2, 0, ""),
        "0.10.0": (2, 0, "0.10.0"),
        "0.10.0.0": (2, 0, "0.10.0.0"),
        "0.10.0.1": (2, 1, "0.10.0.1"),
        "4.0-IV0": (3, 0, ""),
        "4.0": (3, 0, "4.0"),
        "4.0.1": (3, 1, "4.0.1"),
        "4.0.1.2": (3, 1, "4.0.1.2"),
    }
    for name in ("5.0", "v4.0", "4.0.0-rc1", "latest", "0.9.0"):
        assert registry.moment(name) is None
    assert registry.of_release("latest") is None
    assert open_registry(write(tmp_path, ITEMS[:2])).described == registry.api_versions[:2]
    assert open_registry(write(tmp_path, [])).described == ()
