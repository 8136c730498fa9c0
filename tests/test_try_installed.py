"""What CI tries on each system: the installed program answers, and a wrong answer is noticed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import distributions
from tests.distributions import environment, run
from tests.support import ROOT

pytestmark = pytest.mark.xdist_group("distributions")
TRY = ROOT / "tools" / "try_installed.py"


@pytest.mark.long
def test_the_wheel_passes(tmp_path: Path) -> None:
    programs = environment(distributions.wheel())
    # A git of a person who signs commits and begins with another branch.
    settings = tmp_path / "gitconfig"
    settings.write_text("[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgSign = true\n", encoding="utf-8")
    done = run(programs / "python", TRY, cwd=tmp_path, GIT_CONFIG_GLOBAL=str(settings))
    assert (done.returncode, done.stderr) == (0, "")
    commands = [line.split()[:3] for line in done.stdout.splitlines()]
    assert [words[1] for words in commands].count("wirebook") == 10
    assert ["ok:", "wirebook", "check"] in commands
    assert ["ok:", "wirebook", "report"] in commands


def test_a_python_without_the_program_is_reported(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty", cwd=tmp_path)
    done = run(tmp_path / "empty" / "bin" / "python", TRY, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "wirebook is not installed\n")


@pytest.mark.long
@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        ("--version) exit 3;;", "wirebook --version: expected exit code 0 and wirebook , got 3"),
        ("encode) echo 00;;", "wirebook encode HeartbeatRequest 4: expected exit code 0 and 0267"),
        (
            "check) echo '{}';;",
            "wirebook check --against HEAD --released * --format json: expected exit code 1",
        ),
        (
            "report) ;;",
            "wirebook report --against HEAD --released *: expected exit code 0 and type-changed, got 0",
        ),
    ],
)
def test_a_wrong_answer_is_noticed(tmp_path: Path, wrong: str, reported: str) -> None:
    programs = environment(distributions.wheel())
    program = tmp_path / "wirebook"
    otherwise = f'*) exec {programs / "wirebook"} "$@";;'
    program.write_text(f'#!/bin/sh\ncase "$1" in {wrong} {otherwise} esac\n', encoding="utf-8")
    program.chmod(0o755)
    done = run(programs / "python", TRY, "--wirebook", program, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(reported)


@pytest.mark.long
def test_the_checkout_does_not_pass_for_what_is_installed(tmp_path: Path) -> None:
    """As with an editable install: the program is there, and what it imports is the checkout."""
    programs = environment(distributions.wheel())
    done = run(programs / "python", TRY, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert done.returncode == 1
    assert done.stderr.startswith("the checkout is imported, not what is installed: ")
