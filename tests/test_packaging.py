"""The distributions hold all that the program reads, in whichever way they are built."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import pytest

from tests import distributions
from tests.distributions import contents, environment, run
from tests.support import ROOT

pytestmark = [pytest.mark.xdist_group("distributions"), pytest.mark.long]

PACKAGES = ("specs", "rules", "peers", "docgen", "fleet", "cli")


def test_the_wheel_holds_every_file_of_the_packages() -> None:
    here = {
        f"wirebook/{path.relative_to(ROOT).as_posix()}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert "wirebook/specs/kafka/messages/FetchRequest.json" in here
    top = [*(ROOT / "wirebook").glob("*.py"), ROOT / "wirebook" / "py.typed"]
    here |= {f"wirebook/{path.name}" for path in top}
    assert {"wirebook/api.py", "wirebook/__init__.py"} <= here
    assert here - contents(distributions.wheel()).keys() == set()


def test_the_wheel_holds_nothing_else() -> None:
    packed = contents(distributions.wheel())
    tops = {name.partition("/")[0] for name in packed}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"wirebook"}
    assert [name for name in packed if name.endswith((".pyc", ".parquet"))] == []
    assert any(name.endswith("/licenses/LICENSE") for name in packed)
    assert any(name.endswith("/licenses/NOTICE") for name in packed)


def test_the_source_archive_holds_what_the_wheel_is_built_from_and_no_link() -> None:
    with tarfile.open(distributions.sdist()) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", "wirebook/py.typed"} <= names
    assert [member.name for member in members if not member.isfile()] == []
    assert {
        name for name in names if name.startswith((".venv", ".cache", "build/", "dist/", "site/"))
    } == set()


def test_what_is_uploaded_is_accepted_by_twine(tmp_path: Path) -> None:
    files = (distributions.wheel(), distributions.sdist())
    done = run(
        sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files, cwd=tmp_path
    )
    assert (done.returncode, done.stdout.count(": PASSED")) == (0, 2), done.stdout + done.stderr


def test_specs_and_rules_import_where_nothing_is_installed(tmp_path: Path) -> None:
    modules = [
        ".".join(("wirebook", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for package in ("specs", "rules")
        for path in (ROOT / package).rglob("*.py")
    ]
    light = environment(distributions.wheel())
    code = "import importlib, sys\nfor name in sys.argv[1:]: print(importlib.import_module(name).__file__)"
    done = run(light / "python", "-I", "-c", code, *modules, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    files = done.stdout.splitlines()
    assert len(files) == len(modules) > 5
    assert [file for file in files if str(light.parent) not in file] == []


def test_a_program_that_uses_the_api_is_type_checked_by_the_wheel(tmp_path: Path) -> None:
    light = environment(distributions.wheel())
    (tmp_path / "program.py").write_text(PROGRAM)
    mypy = ("-m", "mypy", "--strict", "--python-executable", light / "python", "program.py")
    done = run(sys.executable, *mypy, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    found = [line.partition(": ")[2] for line in done.stdout.splitlines() if ": error: " in line]
    assert len(found) == PROGRAM.count("# wrong") == 3
    assert 'has incompatible type "int"; expected "Message | str"' in found[0]
    assert 'Module has no attribute "lod"' in found[1]
    assert 'has incompatible type "str"; expected "int | None"' in found[2]
    ran = run(light / "python", "-c", PROGRAM.partition("def wrong")[0], cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "HeartbeatRequest 4\n3\nFalse\n[]\n"), ran.stderr


PROGRAM = '''"""A program that uses the public API."""
import wirebook

kafka: wirebook.Protocol = wirebook.load()
heartbeat: wirebook.Layout = wirebook.layout("HeartbeatRequest", 4)
print(heartbeat.name, heartbeat.version)
data: bytes = wirebook.encode(heartbeat, {"GroupId": "g", "GenerationId": 3})
value: dict[str, object] = wirebook.decode("HeartbeatRequest", data, 4)
print(value["GenerationId"])
result: wirebook.CheckResult = wirebook.check(kafka, kafka)
print(result.failed)
print([change.kind for change in wirebook.diff(kafka, kafka)])


def wrong() -> None:
    wirebook.layout(12, 4)  # wrong
    wirebook.lod("specs")  # wrong
    wirebook.encode("HeartbeatRequest", {}, "4")  # wrong
'''
