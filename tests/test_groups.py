"""Tests of one group run in one process, so that what they share is made once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import built_once, is_shared

TESTS = """\
import pytest

@pytest.mark.parametrize("number", range(8))
def test_number(number: int) -> None:
    pass
"""
NAMED = TESTS.replace("import pytest\n", 'import pytest\n\npytestmark = pytest.mark.xdist_group("both")\n')


def plain_environment() -> dict[str, str]:
    """The environment without the variables of a pytest-xdist worker: a pytest that inherits them hangs."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


@pytest.mark.long
def test_the_tests_of_a_file_or_a_named_group_run_in_one_process(tmp_path: Path) -> None:
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text(TESTS)
        (tmp_path / name.replace("test_", "test_named_")).write_text(NAMED)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-n", "2", "--dist", "loadgroup", "-v"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=plain_environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran: dict[str, set[str]] = {}
    for process, name in re.findall(r"^\[(gw\d)\].* PASSED (\S+\.py)::", done.stdout, re.MULTILINE):
        ran.setdefault("both" if "named" in name else name, set()).add(process)
    assert len(ran) == 3
    assert {name: len(processes) for name, processes in ran.items()} == dict.fromkeys(ran, 1)


def test_a_run_within_a_run_leaves_what_the_outer_one_shares(tmp_path: Path) -> None:
    shared = built_once("outer-run", lambda folder: (folder / "file").touch())
    assert is_shared(shared)
    (tmp_path / "test_inner.py").write_text("def test_nothing() -> None:\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, check=False, env=plain_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (shared / "file").is_file()
