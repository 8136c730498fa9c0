"""The structure of the code is as tests/layers.toml says, and everything that `make` installs is
locked."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.imports import PACKAGES, arrows, imports, modules, reached_at_start
from tests.locks import lock, pins
from tests.support import ROOT
from wirebook.cli.commands import COMMANDS

# What reads specs and rules must start fast and run anywhere, so it may not even lead to one of
# these.
HEAVY = {
    "pyspark",
    "mkdocs",
    "material",
    "jinja2",
    "jsonschema",
    "pyarrow",
    "pandas",
    "yaml",
    "markdown",
}
_FROM_TESTS = re.compile(
    r"^ *(?:from tests\b[\w.]* import (?:\([^)]*\)|.*)|import tests\b.*)$", re.MULTILINE
)
# CPython has SHA-256 in one of two modules, depending on its version.
STANDARD = sys.stdlib_module_names | {"_sha2", "_sha256"}
CONTRACT = tomllib.loads((ROOT / "tests" / "layers.toml").read_text(encoding="utf-8"))


def circle(inside: dict[str, set[str]]) -> list[str]:
    """The names along a circle of arrows, the first one again at the end; empty if there is no
    circle."""
    try:
        TopologicalSorter(inside).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def reached(inside: dict[str, set[str]], name: str) -> set[str]:
    """What a name imports directly or through others."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        new = inside.get(waiting.pop(), set()) - names
        names |= new
        waiting += new
    return names


def test_nothing_in_a_folder_imports_in_a_circle() -> None:
    circles = {folder: circle(inside) for folder, inside in arrows().items()}
    assert {folder: names for folder, names in circles.items() if names} == {}


@pytest.mark.parametrize("folder", sorted(CONTRACT["layers"]))
def test_a_folder_imports_only_layers_below_its_own(folder: str) -> None:
    layers = CONTRACT["layers"][folder]
    inside = arrows()[folder]
    folders = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
    assert sorted(name for layer in layers for name in layer) == sorted(
        folders if folder else PACKAGES
    )
    wrong = []
    above: set[str] = set()
    for layer in layers:
        above |= set(layer)
        wrong += [
            (name, other) for name in layer for other in reached(inside, name) & (above - {name})
        ]
    assert wrong == []


def test_the_packages_of_others_are_imported_where_the_contract_says() -> None:
    wrong = []
    for module in modules():
        folder = module.removeprefix("wirebook.").replace(".", "/") + "/"
        for name in {name.partition(".")[0] for name in imports(module)} - STANDARD - {"wirebook"}:
            if not any(
                folder.startswith(f"{allowed}/") for allowed in CONTRACT["packages"].get(name, ())
            ):
                wrong.append((module, name))
    assert wrong == []


def test_a_command_starts_without_anything_heavy() -> None:
    wrong: dict[tuple[str, str], str] = {}
    core = [name for name in modules() if name.startswith(("wirebook.specs", "wirebook.rules"))]
    for module in ("wirebook.cli.main", *core):
        reached = reached_at_start(module)
        wrong |= {(module, name): reached[name] for name in HEAVY if name in reached}
    assert wrong == {}


def tracked() -> list[Path]:
    """The files that are committed; the test is skipped where there is no git or no clone."""
    try:
        run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs git")
    if run.returncode != 0:
        pytest.skip("needs a clone")
    names = [name for name in run.stdout.decode().split("\0") if name]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_no_module_imports_a_test_module() -> None:
    # Whoever imports one also gets its imports and its parametrizations, and nobody can rename or
    # delete it.
    files = [path for path in tracked() if path.suffix == ".py"]
    tests = {path.stem for path in files if path.name.startswith("test_")}
    wrong = []
    for path in files:
        for match in _FROM_TESTS.finditer(path.read_text(encoding="utf-8")):
            names = re.findall(r"\w+", match[0])
            wrong += [f"{path.relative_to(ROOT)}: {name}" for name in names if name in tests]
    assert wrong == [], "move what they share to a module that is not named test_*"


def test_make_runs_every_test() -> None:
    recipes = (ROOT / "Makefile").read_text(encoding="utf-8")
    both = dict(
        re.findall(r"^(test|test-long):(?:.*\n\t.*)*?-m \"([^\"]+)\"", recipes, re.MULTILINE)
    )
    # What `make test` leaves out is what the other runs, and nothing else is left out by a setting.
    assert both == {"test": "not long", "test-long": "long or hypothesis"}
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
    assert " -m " not in options["ini_options"]["addopts"]


def test_no_committed_file_names_this_machine() -> None:
    here = [str(ROOT).encode(), str(ROOT.parent / "shared").encode()]
    wrong = [path for path in tracked() if any(name in path.read_bytes() for name in here)]
    assert wrong == []


def test_nothing_that_is_generated_is_committed() -> None:
    folders = {"site", "build", "dist", "catalog", ".venv", ".cache", "__pycache__"}
    tops_of = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert not tops_of & folders
    assert not [path for path in tracked() if path.suffix in {".pyc", ".parquet", ".whl", ".jar"}]


def test_committed_texts_have_the_same_line_ends_everywhere() -> None:
    tracked()
    listed = subprocess.run(
        ["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    texts = [line for line in listed if line.split("\t")[0].split()[0] not in ("i/", "i/-text")]
    assert len(texts) > 1000
    # In the repository LF, and LF wherever it is checked out: golden files are compared by their
    # bytes.
    assert [line for line in texts if not line.startswith(("i/lf", "i/none"))] == []
    assert [line for line in texts if "attr/text=auto eol=lf" not in line] == []


def test_the_import_package_links_to_the_folders() -> None:
    links = [ROOT / "wirebook" / name for name in PACKAGES]
    if not all(link.is_symlink() for link in links):
        # git on Windows writes a file with the name of the folder, unless core.symlinks is true.
        texts = [link.read_text() if link.is_file() else "" for link in links]
        assert texts == [f"../{link.name}" for link in links]
        pytest.skip("this checkout has no symbolic links: see CONTRIBUTING.md")
    assert [link.readlink().as_posix() for link in links] == [f"../{link.name}" for link in links]
    assert [link.resolve() for link in links] == [(ROOT / link.name).resolve() for link in links]
    assert {path.name for path in (ROOT / "wirebook").iterdir() if path.is_dir()} - {
        "__pycache__"
    } == set(PACKAGES)


LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_pins_everything_by_hash_and_names_no_host(name: str) -> None:
    for unwanted in ("://", "--index", "--extra-index", "--find-links"):
        assert unwanted not in lock(name)
    entries = [entry for entry in re.split(r"\n(?=\S)", lock(name)) if not entry.startswith("#")]
    assert entries
    assert [entry for entry in entries if not re.match(r"[a-z0-9-]+==\S+", entry)] == []
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_files_hold_what_the_extras_ask_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == [], "the light core needs the standard library alone"
    extras = project["optional-dependencies"]
    for extra, name in (
        ("site", "site.txt"),
        ("spark", "site.txt"),
        ("java", "java.txt"),
        ("records", "records.txt"),
        ("dev", "dev.txt"),
    ):
        asked = {re.split(r"[<>=\[ ;]", wanted)[0] for wanted in extras[extra]} - {"wirebook"}
        assert asked <= pins(name).keys(), (
            f"run `make lock`: {name} lacks some of the extra {extra}"
        )


def test_ci_runs_what_a_user_runs() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_make_help_lists_every_word_of_the_readme() -> None:
    run = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = set(re.findall(r"^make ([a-z]+)", run.stdout, re.MULTILINE))
    assert {"site", "serve", "test", "lint", "bench", "dist", "clean"} <= listed
    named = set(re.findall(r"`make ([a-z]+)", (ROOT / "README.md").read_text()))
    assert named <= listed | {"distclean"}


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inline = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    named = {
        word for span in re.findall("`([^`]+)`", inline) for word in re.split(r"[ |\\]+", span)
    }
    assert COMMANDS.keys() - named == set()
