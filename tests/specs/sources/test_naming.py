"""What the name of a source says about its kind."""

from __future__ import annotations

import pytest

from wirebook.specs.sources.naming import explicit_kind, is_path_like


@pytest.mark.parametrize(
    ("name", "kind", "rest"),
    [
        ("git:x", "git", "x"),
        ("dir:x:y", "dir", "x:y"),
        ("archive:", "archive", ""),
        ("git", "", "git"),
        ("http:x", "", "http:x"),
        (":git", "", ":git"),
    ],
)
def test_only_known_kinds_are_a_prefix(name: str, kind: str, rest: str) -> None:
    assert explicit_kind(name) == (kind, rest)


@pytest.mark.parametrize(
    "name", [".", "./a", "../a", "/a", "~/a", "\\a", "C:/a", "c:\\a", "a.json", "a\n.gz"]
)
def test_a_name_that_is_written_as_a_path(name: str) -> None:
    assert is_path_like(name)


@pytest.mark.parametrize("name", ["", "main", "v1.0", "a/b", "C:a", "CC:/a", "a.json2", "ajson", "a~"])
def test_a_name_that_may_be_a_ref(name: str) -> None:
    assert not is_path_like(name)
