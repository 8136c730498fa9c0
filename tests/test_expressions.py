"""A pattern that a file or a command line gives costs little, whatever text it is tried on."""

from __future__ import annotations

import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from wirebook.fleet.owners import read_owners
from wirebook.specs.link_pattern import compiled
from wirebook.specs.reading.globs import matches


def owned(pattern: str, text: str, folder: Path) -> None:
    file = folder / "owners.toml"
    file.write_text(f'[[owner]]\nteam = "t"\nclient_id = "{pattern}"\n')
    assert read_owners(file).names("", text)[2] == ""


@pytest.mark.parametrize(
    ("search", "size"),
    [
        (lambda text, _: fnmatchcase(text, "a*" * 30 + "b"), 1 << 11),
        (lambda text, _: matches(text, ["a*" * 30 + "b"]), 1 << 11),
        (lambda text, _: matches("/".join(text[:500]), ["**/a/" * 30 + "b"]), 1 << 11),
        (lambda text, folder: owned("a*" * 30 + "b", text, folder), 1 << 11),
        (lambda text, _: compiled("a{word}-{word}!b").search(text), 1 << 17),
        (lambda text, _: compiled("-{word}" * 25 + "!").search(text.replace("aa", "a-")), 1 << 15),
        (lambda text, _: compiled("a" * 150 + "b{number}").search(text), 1 << 15),
    ],
    ids=["fnmatch", "glob", "folders", "owners", "words", "dashes", "literal"],
)
def test_the_time_of_a_pattern_is_a_small_power_of_the_text(
    search: Callable[[str, Path], object], size: int, tmp_path: Path
) -> None:
    """Of text that fits until its end, eight times as much takes at most eight squared as long."""

    def took(count: int) -> float:
        begun = time.process_time()
        assert not search("a" * count, tmp_path)
        return time.process_time() - begun

    took(8)
    assert took(size * 8) <= 64 * 2 * max(took(size), 0.005)
