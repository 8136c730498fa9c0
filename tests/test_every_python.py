"""`make test-all` finds the Pythons of the machine, tests each by itself, and says what it left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import every_python
from tools.every_python import Interpreter, interpreters, main, named, newest


def fake(folder: Path, name: str, version: str) -> Path:
    """A program that answers as a Python of some version does."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho {version} {program}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with three Pythons on its PATH, one of pyenv's, a shim that leads nowhere and an old one."""
    fake(tmp_path / "bin", "python3", "3 11 2")
    fake(tmp_path / "bin", "python3.12", "3 12 1")
    fake(tmp_path / "bin", "python3.9", "3 9 18")
    fake(tmp_path / "bin", "python3-config", "3 15 0")
    shim = fake(tmp_path / "shims", "python3.13", "")
    shim.write_text("#!/bin/sh\nexit 127\n")
    fake(tmp_path / "pyenv" / "versions" / "3.11.7" / "bin", "python3.11", "3 11 7")
    monkeypatch.setenv("PATH", f"{tmp_path}/missing:{tmp_path}/shims:{tmp_path}/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def test_the_newest_patch_release_of_each_version_is_found(machine: Path) -> None:
    found = newest(interpreters(every_python.candidates()))
    assert [(each.name, Path(each.program).name) for each in found] == [
        ("3.11.7", "python3.11"),
        ("3.12.1", "python3.12"),
    ]


def test_a_python_of_a_venv_leads_to_its_base() -> None:
    (found,) = interpreters([sys.executable])
    assert found.version == sys.version_info[:3]
    assert found.program == getattr(sys, "_base_executable", sys.executable)


def test_named_ones_are_taken_as_they_are(machine: Path) -> None:
    assert [each.name for each in named(["python3.12", str(machine / "bin" / "python3")])] == [
        "3.12.1",
        "3.11.2",
    ]
    with pytest.raises(ValueError, match=r"python3\.13 is not a Python that runs here"):
        named(["python3.13"])
    with pytest.raises(ValueError, match=r"3\.9\.18, and 3\.11 is the oldest"):
        named(["python3.9"])
    assert main(["--python", "python3.9"]) == 2


@pytest.mark.parametrize(
    ("ends", "code", "told"),
    [
        ({}, 0, "3.12.1: passed"),
        ({"pytest": 1}, 1, "3.12.1: failed (exit code 1 of pytest)"),
        ({"prepare.py": 2}, 1, "3.12.1: not tested: its packages could not be installed, see above"),
    ],
)
def test_every_outcome_is_reported(
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ends: dict[str, int],
    code: int,
    told: str,
) -> None:
    calls: list[tuple[list[str], Any]] = []
    real = subprocess.run

    def run(command: list[Any], **given: Any) -> subprocess.CompletedProcess[str]:
        if "-I" in command:
            return real(command, **given)
        calls.append((command, given.get("env", {}).get("WIREBOOK_VENV")))
        names = {Path(part).name for part in command}
        status = sum(ends.get(name, 0) for name in names) if "3.12" in str(command[0]) else 0
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(subprocess, "run", run)
    assert main(["--", "-n", "1", "tests/x.py"]) == code
    said = capsys.readouterr().out.splitlines()
    assert "wirebook: Python 3.11.7: passed" in said
    assert f"wirebook: Python {told}" in said
    assert "wirebook: Python 3.13: skipped: there is no such Python here" in said
    first = [Path(part).name for part in calls[0][0]]
    assert (first, calls[0][1]) == (["python3.11", "prepare.py", "dev"], ".venv-3.11.7")
    assert calls[1][0][1:] == ["-m", "pytest", "-n", "1", "tests/x.py"]
    assert ".venv-3.11.7" in calls[1][0][0]


def test_no_python_at_all_is_no_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert main([]) == 2


def test_an_interpreter_is_named_by_its_version() -> None:
    assert Interpreter((3, 12, 1), "python3").name == "3.12.1"
