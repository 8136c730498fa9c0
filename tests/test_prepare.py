"""Setting up is done once: what is noted is not done again, and what changed is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from tests.support import ROOT
from tools import prepare

Steps = list[str]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Steps:
    """An empty clone in which nothing is really installed; the steps that would be taken, in order."""
    taken: Steps = []
    for name in ("build", "site", "dev", "java"):
        (tmp_path / "requirements").mkdir(exist_ok=True)
        (tmp_path / "requirements" / f"{name}.txt").write_text(f"{name}==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare, "LOCKS", tmp_path / "requirements")
    monkeypatch.setattr(prepare, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(prepare, "DONE", tmp_path / ".venv" / "prepared.json")
    monkeypatch.setattr(prepare, "PROGRAMS", {})

    def make_venv(done: dict[str, str]) -> None:
        taken.append("venv")
        (tmp_path / ".venv").mkdir(exist_ok=True)
        prepare.note(done, "python", "3")

    def pip(*arguments: str) -> None:
        taken.append("project" if "--editable" in arguments else Path(arguments[-1]).stem)

    monkeypatch.setattr(prepare, "make_venv", make_venv)
    monkeypatch.setattr(prepare, "pip", pip)
    monkeypatch.setattr(prepare, "starts", lambda: True)
    monkeypatch.setattr(prepare, "provide_java", lambda: taken.append("look for java"))
    return taken


def again(steps: Steps, goal: str) -> Steps:
    """The steps of one more run."""
    steps.clear()
    assert prepare.main([goal]) == 0
    return list(steps)


def test_a_clean_clone_gets_everything_and_the_second_run_nothing(
    steps: Steps, capsys: pytest.CaptureFixture[str]
) -> None:
    assert again(steps, "site") == ["venv", "build", "site", "project", "look for java"]
    assert "the first time takes some minutes" in capsys.readouterr().out
    assert again(steps, "site") == []
    assert capsys.readouterr().out == ""


def test_what_the_tests_need_is_enough_for_the_site_but_not_the_other_way_round(steps: Steps) -> None:
    assert again(steps, "dev") == ["venv", "build", "dev", "project", "look for java"]
    assert again(steps, "site") == []
    (prepare.LOCKS / "site.txt").write_text("site==2\n")
    assert again(steps, "site") == []
    (prepare.LOCKS / "dev.txt").write_text("dev==2\n")
    assert again(steps, "site") == ["build", "site"]
    assert again(steps, "dev") == ["build", "dev"]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("requirements/build.txt", ["build", "site"]),
        ("requirements/site.txt", ["build", "site"]),
        ("requirements/dev.txt", []),
        ("requirements/java.txt", []),
        ("pyproject.toml", ["project"]),
    ],
)
def test_only_what_changed_is_done_again(steps: Steps, file: str, expected: Steps) -> None:
    again(steps, "site")
    (prepare.ROOT / file).write_text("changed\n")
    assert again(steps, "site") == expected
    assert again(steps, "site") == []


def test_another_java_is_looked_at_anew(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    again(steps, "site")
    monkeypatch.setenv("JAVA_HOME", "/somewhere/else")
    assert again(steps, "site") == ["look for java"]
    assert again(steps, "site") == []


def test_a_venv_that_was_moved_is_made_anew(steps: Steps) -> None:
    again(steps, "site")
    done = json.loads(prepare.DONE.read_text())
    prepare.DONE.write_text(json.dumps({**done, "where": "/before/.venv"}))
    assert again(steps, "site")[0] == "venv"
    prepare.DONE.write_text("{")
    assert again(steps, "site")[0] == "venv"


def test_an_interrupted_run_goes_on_from_there(
    steps: Steps, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise prepare.UnpreparedError("no network")

    with monkeypatch.context() as patch:
        patch.setattr(prepare, "provide_java", broken)
        assert prepare.main(["site"]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == "wirebook: no network"
    assert again(steps, "site") == ["look for java"]


def test_a_missing_lock_file_is_one_line(steps: Steps, capsys: pytest.CaptureFixture[str]) -> None:
    (prepare.LOCKS / "site.txt").unlink()
    assert prepare.main(["site"]) == 2
    assert capsys.readouterr().out.splitlines()[-1].endswith("site.txt: No such file or directory")


def test_programs_are_installed_while_packages_are(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Event()
    monkeypatch.setattr(prepare, "provide_programs", there.set)
    monkeypatch.setattr(prepare, "provide_java", lambda: steps.append(f"java {there.wait(60)}"))
    assert again(steps, "dev")[-1] == "java True"


def test_a_site_needs_no_programs(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "provide_programs", lambda: steps.append("programs"))
    assert "programs" not in again(steps, "site")


def test_an_old_python_is_told_at_once(
    steps: Steps, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prepare, "OLDEST", (99, 0))
    assert prepare.main(["site"]) == 2
    assert "make PYTHON=" in capsys.readouterr().out
    assert steps == []


@pytest.mark.parametrize(("root", "reason"), [(True, "there is no apt-get"), (False, "only root may run")])
def test_a_program_that_cannot_be_had_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    root: bool,
    reason: str,
) -> None:
    if not root:
        apt = tmp_path / "apt-get"
        apt.write_text("#!/bin/sh\nexit 1\n")
        apt.chmod(0o755)
        monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    prepare.provide_programs()
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("wirebook: chromium is not here and was not installed")
    assert reason in line
    assert line.endswith("the tests that open the site in a browser are skipped")


def test_a_failing_apt_says_its_last_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho one\necho 'E: no route' >&2\nexit 100\n")
    apt.chmod(0o755)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    prepare.provide_programs()
    assert "apt-get update failed: E: no route" in capsys.readouterr().out


def test_this_very_clone_is_not_set_up_again() -> None:
    noted = ROOT / ".venv" / "prepared.json"
    if not noted.is_file() or Path(sys.prefix) != ROOT / ".venv":
        pytest.skip("the tests run in a venv that was not made by make")
    before = noted.read_bytes()
    if json.loads(before)["where"] != str(ROOT / ".venv"):
        pytest.skip("the venv is the copy of one that make has made elsewhere")
    packages = [f"dev {prepare.digest(*prepare.locks('dev'))}", prepare.digest(ROOT / "pyproject.toml")]
    if [json.loads(before).get(name) for name in ("packages", "project")] != packages:
        pytest.skip("a lock file or pyproject.toml has changed since the last make")
    # Spark's tests may have set the variable in this process.
    home = json.loads(before)["java"].partition(" ")[0]
    others = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment = others if home == "None" else {**others, "JAVA_HOME": home}
    command = [sys.executable, str(ROOT / "tools" / "prepare.py"), "site"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert noted.read_bytes() == before


def test_what_is_built_is_installed_beside_the_others(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: dict[str, str] = {}

    def pip(*arguments: str) -> None:
        if "-r" in arguments:
            file = Path(arguments[-1])
            texts[file.name] = file.read_text()

    monkeypatch.setattr(prepare, "pip", pip)
    begun = "# written by a program\n"
    spark = "pyspark==4.1 \\\n    --hash=sha256:1\n    # via wirebook\n"
    others = "a==1 \\\n    --hash=sha256:2\nz==2\n"
    (prepare.LOCKS / "site.txt").write_text(begun + spark + others)
    assert again(steps, "site") == ["venv", "look for java"]
    assert texts == {"build.txt": "build==1\n", "built.txt": spark, "site.txt": begun + others}
