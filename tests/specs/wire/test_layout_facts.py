"""Facts of a layout besides its fields: states of versions, headers, limits, and exact errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wirebook.specs.limits import MAX_VERSIONS
from wirebook.specs.model import Message
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HeaderException, Headers, Profile
from wirebook.specs.reading.reader import read_message
from wirebook.specs.versions import Versions
from wirebook.specs.wire.layout import layout, layouts


def message(path: str = "Foo.json", profile: Profile | None = None, **changes: Any) -> Message:
    spec: dict[str, Any] = {
        "apiKey": 7, "type": "request", "name": "FooRequest", "validVersions": "0-3",
        "flexibleVersions": "2+", "fields": [],
    }  # fmt: skip
    text = json.dumps(spec | changes, indent=1)
    return read_message(text, path, profile=profile or Profile())


def error(made: Message, version: int | None = None) -> str:
    with pytest.raises(InputError) as caught:
        layouts(made) if version is None else layout(made, version)
    return str(caught.value)


def test_only_the_highest_version_is_unstable() -> None:
    made = message(latestVersionUnstable=True)
    assert [each.unstable for each in layouts(made)] == [False, False, False, True]
    assert not any(each.unstable for each in layouts(message()))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"deprecatedVersions": "0-1"}, [0, 1]),
        ({"history": [{"version": 1, "deprecated": "1.0"}]}, [1]),
        ({"history": [{"version": 1, "deprecated": "1.0", "undeprecated": "2.0"}]}, []),
        ({"history": [{"version": 1, "undeprecated": "2.0"}, {"version": 2, "added": "1"}]}, []),
        ({"deprecatedVersions": "0", "history": [{"version": 0, "added": "1.0"}]}, [0]),
    ],
)
def test_a_version_is_deprecated_by_its_range_or_its_history(
    changes: dict[str, Any], found: list[int]
) -> None:
    assert [each.version for each in layouts(message(**changes)) if each.deprecated] == found


@pytest.mark.parametrize(
    ("changes", "headers"),
    [
        ({}, [10, 10, 11, 11]),
        ({"type": "response", "name": "FooResponse"}, [5, 20, 21, 21]),
        ({"type": "data"}, [None] * 4),
        ({"headerVersions": {"0": "3", "1-2": "4"}}, [3, 4, 4, 11]),
        ({"headerVersions": {}}, [10, 10, 11, 11]),
        ({"type": "data", "headerVersions": {"0+": "3"}}, [None] * 4),
    ],
)
def test_the_header_of_each_version(changes: dict[str, Any], headers: list[int | None]) -> None:
    own = HeaderException("response", 7, Versions(0, 0), 5)
    profile = Profile(headers=Headers((10, 11), (20, 21), (own, own._replace(api_key=8, header=6))))
    made = message(profile=profile, **changes)
    assert [each.header_version for each in layouts(made)] == headers
    assert [made.header_of(version) for version in range(4)] == headers


def test_up_to_a_thousand_versions_are_laid_out() -> None:
    assert len(layouts(message(validVersions=f"1-{MAX_VERSIONS}"))) == MAX_VERSIONS
    words = f"FooRequest has {MAX_VERSIONS + 1} valid versions; up to {MAX_VERSIONS} are laid out"
    assert error(message(validVersions=f"0-{MAX_VERSIONS}")) == f"Foo.json:5:19: {words}"
    assert error(message(""), 4) == "FooRequest has no version 4; its valid versions are 0-3"
    assert error(message(), 4) == "Foo.json:5:19: FooRequest has no version 4; its valid versions are 0-3"


@pytest.mark.parametrize(
    ("field", "key", "words"),
    [
        ({"type": "int8", "default": "300"}, "default",
         "the default of A is 300, which does not fit int8 (-128 to 127)"),
        ({"type": "Odd"}, "type", "Odd is neither a type nor a struct here: the type of A"),
        ({"type": "[][]int8"}, "type", "an array of arrays is the type of A"),
        ({"type": "int8", "nullableVersions": "0+"}, "nullableVersions",
         "A is of type int8, which is never null"),
        ({"type": "int8", "taggedVersions": "2+"}, "", "A has taggedVersions but no tag"),
        ({"type": "int8", "taggedVersions": "0+", "tag": 0}, "taggedVersions",
         "A is tagged in version 0, which is not flexible"),
    ],
)  # fmt: skip
def test_an_error_has_the_place_of_its_key(field: dict[str, Any], key: str, words: str) -> None:
    made = message(fields=[{"versions": "0+", **field, "name": "A"}])
    with pytest.raises(InputError) as caught:
        layouts(made)
    assert (caught.value.path, caught.value.message) == ("Foo.json", words)
    assert caught.value.position is not None
    text = made.written.lines.text[made.written.lines.offset(caught.value.position) :]
    assert text.startswith(json.dumps(field[key]) if key else "{")


def test_a_nullable_struct_or_array_may_be_null() -> None:
    inner = [{"name": "B", "type": "int8", "versions": "0+"}]
    kinds = {
        "string": "NULLABLE_STRING", "bytes": "NULLABLE_BYTES", "records": "NULLABLE_RECORDS",
        "[]int8": "NULLABLE_ARRAY", "S": "NULLABLE_STRUCT", "[]S": "NULLABLE_ARRAY",
    }  # fmt: skip
    for kind, found in kinds.items():
        fields = [{"name": "A", "type": kind, "versions": "0+", "nullableVersions": "1+", "fields": inner}]
        if "S" not in kind:
            del fields[0]["fields"]
        made = message(fields=fields, flexibleVersions="none")
        plain, null = layout(made, 0).fields[0], layout(made, 1).fields[0]
        assert (plain.nullable, plain.type) == (False, found.removeprefix("NULLABLE_"))
        assert (null.nullable, null.type) == (True, found)
