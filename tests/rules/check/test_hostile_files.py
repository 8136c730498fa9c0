"""Settings, waivers and registries that are no files, or far too large: refused at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rules.check.budgets import Cost, assert_small, measured
from tests.rules.check.hostile import field, spec
from wirebook.specs.limits import MAX_GLOBS, MAX_KEY_PARTS, MAX_SETTINGS

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


_PLAIN: dict[tuple[str, int], Cost] = {}


def plain_cost(sides: Path, name: str, size: int) -> Cost:
    """What a check costs with a file of so many bytes that says nothing."""
    if (name, size) not in _PLAIN:
        (sides / name).write_bytes(b"# a line\n" * (size // 9))
        _PLAIN[name, size] = measured(["check", "--old", "./old", "--new", "./new"], sides)
        assert _PLAIN[name, size].code == 1
    return _PLAIN[name, size]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["waivers.toml", "wirebook.toml"])
@pytest.mark.parametrize("make", [large, long_keys, long_heads, quoted_keys, deep, deep_tables])
def test_a_hostile_file_of_settings(sides: Path, name: str, make: Callable[[Path], None]) -> None:
    make(sides / name)
    size = (sides / name).stat().st_size
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert (found.code, found.text.count("\n")) == (2, 1), found.text[-2000:]
    assert name in found.text
    assert_small(found, plain_cost(sides, name, min(1 << size.bit_length(), MAX_SETTINGS)))
    if make in (long_keys, long_heads, quoted_keys):
        assert f"{name}:2:" in found.text
        assert f"more than {MAX_KEY_PARTS} parts" in found.text


MANY = {
    "wirebook.toml": "[[override]]\nmessages = ['A{n}*']\nseverities.wire = 'info'\n",
    "waivers.toml": "[[waiver]]\nrule = 'type-changed'\nmessage = 'HostileRequest'\nfield = 'F{n}'\n"
    "versions = '0-1'\nchange = 'type: int32 -> int64'\nreason = 'a'\nby = 'b'\n",
}


@pytest.mark.long
@pytest.mark.parametrize("name", MANY)
def test_as_many_settings_as_findings(sides: Path, name: str) -> None:
    for side, kind in (("old", "int32"), ("new", "int64")):
        fields = (field(f"F{n}", kind) for n in range(3000))
        (sides / side / "HostileRequest.json").write_text(spec(fields))
    plain = measured(["check", "--old", "./old", "--new", "./new"], sides)
    count = 3000 if name == "waivers.toml" else MAX_GLOBS
    (sides / name).write_text("".join(MANY[name].format(n=n) for n in range(count)))
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert found.code == (0 if name == "waivers.toml" else 1)
    assert_small(found, plain)


# What opens a file refuses both alike.
no_files = pytest.mark.parametrize("make", [pipe, pytest.param(endless, marks=pytest.mark.long)])


@no_files
def test_waivers_that_are_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "waivers.toml")
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert (found.code, found.text) == (2, "wirebook: waivers.toml: this is not a regular file\n")


@no_files
def test_settings_that_are_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "named.toml")
    found = measured(["check", "--old", "./old", "--new", "./new", "--config", "named.toml"], sides)
    assert (found.code, found.text) == (2, "wirebook: named.toml: this is not a regular file\n")


@pytest.mark.parametrize("make", [endless, pipe])
def test_a_profile_that_is_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    make(sides / "new" / "profile.toml")
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    words = "this is outside the repository, or outside the folder of the specs"
    words = "this is not a regular file" if make is pipe else words
    assert (found.code, found.text) == (2, f"wirebook: profile.toml: {words}\n")


@no_files
def test_a_registry_that_is_no_file(sides: Path, make: Callable[[Path], None]) -> None:
    for side in ("old", "new"):
        make(sides / side / "api_versions.json")
    found = measured(["check", "--old", "./old", "--new", "./new"], sides)
    assert found.code in (1, 2)
    assert found.cpu < 3
