"""The wheel holds all that the program reads, and its light core runs where nothing else is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support import ROOT

PACKAGES = ("specs", "rules", "live", "docgen", "cli")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that nothing is left in the clone."""
    source = tmp_path_factory.mktemp("source")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    # Without the links, as on a machine that has none.
    (source / "wirebook").mkdir()
    for name in ("wirebook/__init__.py", "wirebook/py.typed"):
        shutil.copy(ROOT / name, source / name)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    target = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    run = subprocess.run([*command, "-w", target, source], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (built,) = target.glob("wirebook-*.whl")
    return built


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a fresh venv that holds the wheel and nothing else."""
    venv = tmp_path_factory.mktemp("light") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    command = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*command, "--no-deps", "--no-index", str(wheel)], check=True)
    return venv / "bin"


def run(program: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of the fresh venv, away from the clone and its variables."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [program, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    here = {
        f"wirebook/{path.relative_to(ROOT).as_posix()}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert "wirebook/specs/kafka/messages/FetchRequest.json" in here
    here |= {"wirebook/__init__.py", "wirebook/py.typed"}
    assert here - packed == set()


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.namelist()
    tops = {name.partition("/")[0] for name in packed}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"wirebook"}
    assert [name for name in packed if name.endswith((".pyc", ".parquet"))] == []
    assert any(name.endswith("/licenses/LICENSE") for name in packed)
    assert any(name.endswith("/licenses/NOTICE") for name in packed)


def test_specs_and_rules_import_where_nothing_is_installed(light: Path, tmp_path: Path) -> None:
    modules = [
        ".".join(("wirebook", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        for package in ("specs", "rules")
        for path in (ROOT / package).rglob("*.py")
    ]
    code = "import importlib, sys\nfor name in sys.argv[1:]: print(importlib.import_module(name).__file__)"
    told = run(light / "python", "-I", "-c", code, *modules, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    files = told.stdout.splitlines()
    assert len(files) == len(modules) > 5
    assert [file for file in files if str(light.parent) not in file] == []


def test_the_command_runs_where_nothing_is_installed(light: Path, tmp_path: Path) -> None:
    told = run(light / "wirebook", "--version", cwd=tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("wirebook ")
    shown = run(light / "wirebook", "show", "Fetch", "--version", "12", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "ClusterId" in shown.stdout
