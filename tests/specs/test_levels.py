"""The registry of protocol levels: ids from 0, each one more, and which a release shipped with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirebook.specs.levels import open_registry
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


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "not a registry of protocol levels"),
        ([1], "not a registry of protocol levels"),
        ([{"id": 0}], "not a registry of protocol levels"),
        (ITEMS[1:], 'the protocol level "0.10.0-IV0" has id 1; 0 comes here'),
        ([ITEMS[0], ITEMS[2]], "has id 2; 1 comes here"),
        ([ITEMS[0], ITEMS[0]], "has id 0; 1 comes here"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, value: object, words: str) -> None:
    path = write(tmp_path, value)
    with pytest.raises(InputError, match=words) as caught:
        open_registry(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        open_registry(tmp_path / "none.json")


def test_levels_of_which_nothing_is_told_yet_are_not_described(tmp_path: Path) -> None:
    assert [item.id for item in open_registry(write(tmp_path, ITEMS)).described] == [0, 1, 2]
    assert len(open_registry(write(tmp_path, ITEMS[:2])).described) == 2
