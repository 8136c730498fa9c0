"""The registry of protocol levels: ids from 0, each one more, and which a release shipped with."""

from __future__ import annotations

import json

import pytest

from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.problems import InputError

ITEMS = [
    {"id": 0, "version": "0.8.0", "release": "0.8.0"},
    {"id": 1, "version": "0.10.0-IV0", "release": "0.10.0"},
    {"id": 2, "version": "0.10.0-IV1", "release": "0.10.0", "about": "words"},
    {"id": 3, "version": "4.0-IV0", "release": "4.0", "date": "2025-03-18"},
]


def read(value: object) -> Registry:
    return read_registry(json.dumps(value).encode(), "levels.json")


def test_levels_are_found_by_name_and_by_release() -> None:
    registry = read(ITEMS)
    found = registry.by_version.get("0.10.0-IV1")
    assert found is not None
    assert (found.id, found.about) == (2, "words")
    assert registry.by_version.get("9.9") is None
    newest = {
        name: registry.of_release(name)
        for name in ("0.10.0.1", "0.10.0", "4.0.1", "4.0.0-rc1", "5.0.0")
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
        ("x", "this must have an array of objects"),
        ({key: GOOD[key] for key in ("version", "release")}, '"id" is missing'),
        ({key: GOOD[key] for key in ("id", "release")}, '"version" is missing'),
        (GOOD | {"id": "0"}, "'0' is not of the type int"),
        (GOOD | {"id": False}, "False is not of the type int"),
        (GOOD | {"date": 2013}, "2013 is not of the type str"),
        (GOOD | {"about": None}, "None is not of the type str"),
        (GOOD | {"dat": ""}, 'there is no key "dat"; did you mean "date"?'),
    ],
)
def test_an_entry_that_is_wrong_is_refused_with_the_reason(item: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read([item])
    assert str(caught.value).startswith("levels.json:1:")
    assert caught.value.message == words


def test_when_something_happened_is_ordered() -> None:
    registry = read(ITEMS)
    names = [
        "0.8.0",
        "0.10.0-IV0",
        "0.10.0-IV1",
        "0.10.0",
        "0.10.0.0",
        "0.10.0.1",
        "4.0-IV0",
        "4.0",
        "4.0.1",
    ]
    names.append("4.0.1.2")
    found = {name: registry.moment(name) for name in names}
    assert {
        name: (each.level, each.patch, each.release) for name, each in found.items() if each
    } == {
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
    assert read(ITEMS[:2]).described == registry.api_versions[:2]
    assert read([]).described == ()
