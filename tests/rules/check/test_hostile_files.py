"""Settings, waivers, registries and custom rules that are no files, or far too large: refused at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.check.hostile import field, spec
from tests.rules.check.test_budgets import measured
from wirebook.specs.limits import MAX_KEY_PARTS, MAX_SETTINGS

WAIVERS = "[[waiver]]\nrule = 'type-changed'\nreason = 'none'\n"


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def large(path: Path) -> None:
    path.write_bytes(b"#" * (MAX_SETTINGS + 1))


def long_keys(path: Path) -> None:
    path.write_text(f"# one\n{'.'.join('a' * 100_000)} = 1\n")


def long_heads(path: Path) -> None:
    path.write_text(f"# one\n[{'.'.join(['a'] * 40_000)}]\n")


def quoted_keys(path: Path) -> None:
    path.write_text("# one\n" + " . ".join(['"a b"'] * 40_000) + " = 1\n")


def deep(path: Path) -> None:
    path.write_text("a = " + "[" * 100_000 + "]" * 100_000)


def deep_tables(path: Path) -> None:
    path.write_text("a = " + "{a=" * 100_000 + "1" + "}" * 100_000)


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    for side, kind in (("old", "int32"), ("new", "int64")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "HostileRequest.json").write_text(spec([field("A", kind)]))
    return tmp_path


@pytest.mark.parametrize("name", ["waivers.toml", "wirebook.toml"])
@pytest.mark.parametrize("make", [large, long_keys, long_heads, quoted_keys, deep, deep_tables])
def test_a_hostile_file_of_settings(sides: Path, name: str, make: Callable[[Path], None]) -> None:
    make(sides / name)
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert (found.code, found.text.count("\n")) == (2, 1), found.text[-2000:]
    assert name in found.text
    assert (found.cpu < 3, found.mib < 200) == (True, True)
    if make in (long_keys, long_heads, quoted_keys):
        assert f"{name}:2:" in found.text
        assert f"more than {MAX_KEY_PARTS} parts" in found.text


@pytest.mark.parametrize("make", [endless, pipe])
def test_waivers_that_are_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "waivers.toml")
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert (found.code, found.text) == (2, "wirebook: waivers.toml: this is no regular file\n")


@pytest.mark.parametrize("make", [endless, pipe])
def test_settings_that_are_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "named.toml")
    found = measured(["check", "--old", "./old", "--new", "./new", "--config", "named.toml"], sides)
    assert (found.code, found.text) == (2, "wirebook: named.toml: this is no regular file\n")


@pytest.mark.parametrize("make", [endless, pipe])
def test_custom_rules_that_are_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    (sides / "own").mkdir()
    make(sides / "own" / "mine.py")
    found = measured(["check", "--old", "./old", "--new", "./new", "--plugins", "own"], sides)
    assert (found.code, found.text) == (2, "wirebook: own/mine.py: this is no regular file\n")


@pytest.mark.parametrize("make", [endless, pipe])
def test_a_registry_that_is_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    for side in ("old", "new"):
        make(sides / side / "api_versions.json")
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert found.code in (1, 2)
    assert found.cpu < 3


@pytest.mark.parametrize("make", [endless, pipe])
def test_a_frozen_baseline_that_is_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "released.wirebook")
    found = measured(["check", "--old", "./old", "--new", "./new", "--released", "released.wirebook"], sides)
    assert (found.code, found.text.count("\n")) == (2, 1), found.text
    assert found.cpu < 3
