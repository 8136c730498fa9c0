"""The distributions of this checkout, built once for all tests, and environments that hold one of
them."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from functools import cache
from pathlib import Path

from tests.shared import temporary
from tests.support import ROOT


def run(
    program: Path | str, *arguments: object, cwd: Path, given: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program away from the checkout: in `cwd`, and without variables that lead Python
    there."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MYPY"))
    }
    kept.pop("VIRTUAL_ENV", None)
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd=cwd,
        env={**kept, **environment},
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def _built(source: Path, kind: str) -> Path:
    target = temporary(kind)
    done = run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target, cwd=source)
    assert done.returncode == 0, done.stderr
    (built,) = target.iterdir()
    return built


@cache
def wheel() -> Path:
    """The wheel of the checkout."""
    return _built(ROOT, "wheel")


@cache
def sdist() -> Path:
    """The source archive of the checkout."""
    return _built(ROOT, "sdist")


def contents(path: Path) -> dict[str, int]:
    """The files of a wheel, each with its checksum."""
    with zipfile.ZipFile(path) as archive:
        return {item.filename: item.CRC for item in archive.infolist()}


@cache
def environment(distribution: Path, *, packages: bool = False, without: str = "") -> Path:
    """The folder of programs of a fresh venv that holds a distribution and nothing else.

    With `packages`, what is installed where the tests run can be imported too, except wirebook and
    `without`: by links, so that no .pth file puts the checkout on the path.
    """
    venv = temporary("venv") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    if packages:
        linked = venv / "linked"
        linked.mkdir()
        left_out = ("wirebook", "_wirebook", *filter(None, [without]))
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if path.suffix != ".pth" and not path.name.startswith(left_out):
                (linked / path.name).symlink_to(path)
        (purelib,) = (venv / "lib").glob("python*/site-packages")
        (purelib / "linked.pth").write_text(f"{linked}\n", encoding="utf-8")
    programs = venv / "bin"
    pip = (
        "-m",
        "pip",
        "--python",
        programs / "python",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    )
    done = run(sys.executable, *pip, distribution, cwd=venv)
    assert done.returncode == 0, done.stderr
    return programs
