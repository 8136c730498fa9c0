"""Globs agree with slow, plain matching, and take no time that grows with the number of stars."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wirebook.specs.reading.globs import matches


@pytest.mark.parametrize(
    ("glob", "inside", "outside"),
    [
        ("*.json", ["a.json", "x/y/a.json", "a.json/b"], ["a.jso", "ajson", "../a.json"]),
        ("a", ["a", "x/a", "a/b", "x/a/b"], ["b", "ab", "../a"]),
        ("a/", ["a", "a/b", "x/a", "x/a/b"], ["b"]),
        ("/a", ["a", "a/b"], ["x/a"]),
        ("./a/b", ["a/b", "a/b/c"], ["a", "x/a/b"]),
        ("a/b", ["a/b", "a/b/c"], ["a", "b", "a/x/b", "x/a/b"]),
        ("a/*", ["a/b", "a/b/c"], ["a", "x/a/b"]),
        ("a/?", ["a/b", "a/b/c"], ["a", "a/bc"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "x/a/b"]),
        ("a/**/c", ["a/c", "a/b/c", "a/b/b/c", "a/c/d"], ["a", "a/b", "c"]),
        ("**/c", ["c", "a/c", "a/b/c/d"], ["a", "../c"]),
        ("**", ["a", "a/b"], [".."]),
        (".", ["a", "a/b"], ["../a"]),
        ("", ["a", "a/b"], ["../a"]),
        ("/", ["a", "a/b"], ["../a"]),
        ("../a", ["../a", "../a/b"], ["a", "../b", "../../a"]),
        ("../**", ["../a"], ["a", "../.."]),
        ("../../*", ["../../a"], ["../a", "../../.."]),
        ("a[b]", ["a[b]", "x/a[b]"], ["ab"]),
        ("*[b]", ["a[b]", "[b]"], ["ab"]),
        ("a**b/c", ["ab/c", "axb/c"], ["a/b/c"]),
    ],
)
def test_what_a_glob_matches(glob: str, inside: list[str], outside: list[str]) -> None:
    assert [path for path in inside + outside if matches(path, [glob])] == inside
    # One of several is enough.
    assert all(matches(path, ["nothing", glob]) for path in inside)
    assert not matches("a", [])


def slow(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether leading names match, by trying everything."""
    if not parts:
        return True
    if not names:
        return False
    first, *rest = parts
    if first == "**":
        if not rest:
            return names[0] != ".."
        return slow(names, rest) or (names[0] != ".." and slow(names[1:], parts))
    pattern = re.escape(first).replace(r"\*", ".*").replace(r"\?", ".")
    fits = names[0] == first if ".." in (names[0], first) else re.fullmatch(pattern, names[0]) is not None
    return fits and slow(names[1:], rest)


NAMES = st.sampled_from(["a", "b", "ab", "..", "a.b"])
PARTS = st.sampled_from(["a", "b", "a*", "*b", "?", "**", "..", "*"])


@given(st.lists(NAMES, min_size=1, max_size=5), st.lists(PARTS, min_size=2, max_size=5))
@example(["..", "a"], ["**", "a"])
def test_a_glob_with_folders_is_matched_as_by_trying_everything(names: list[str], parts: list[str]) -> None:
    assert matches("/".join(names), ["/".join(parts)]) == slow(names, parts)


def test_many_stars_take_no_time() -> None:
    before = time.process_time()
    assert not matches("a/" * 200 + "a", ["**/a/" * 40 + "b"])
    assert not matches("a" * 5_000, ["*a" * 40 + "b"])
    assert time.process_time() - before < 2
