"""The house stands as CONTRIBUTING draws it: arrows point one way, every package is locked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docgen.commands import COMMANDS
from tests.support import ROOT

PACKAGES = ("specs", "rules", "docgen")
# What reads specs and rules must start fast and run anywhere, so it may not even lead to one of these.
HEAVY = {"pyspark", "mkdocs", "material", "jinja2", "jsonschema", "pyarrow", "pandas", "yaml", "markdown"}


@cache
def modules() -> dict[str, Path]:
    """Every module of the distribution by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str, *, only_at_start: bool = False) -> frozenset[str]:
    """Dotted names that a module imports: anywhere, or only what runs when it is imported itself."""
    path = modules()[module]
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    found: set[str] = set()
    for node in _at_start(tree) if only_at_start else ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides where it points"
            assert node.module is not None
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def _at_start(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not typing_only and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _at_start(child)


def tops(names: frozenset[str]) -> set[str]:
    """The first part of each dotted name."""
    return {name.partition(".")[0] for name in names}


def reached_at_start(module: str) -> dict[str, str]:
    """Every name that importing a module brings in, with the module of ours that names it."""
    seen: dict[str, str] = {}
    waiting = [module]
    while waiting:
        current = waiting.pop()
        for name in imports(current, only_at_start=True):
            parents = [name[: match.start()] for match in re.finditer(r"\.", name)]
            for each in [*parents, name]:
                if each not in seen:
                    seen[each] = current
                    if each in modules():
                        waiting.append(each)
    return seen


def under(*packages: str) -> list[str]:
    """Names of the modules in some packages."""
    return [
        name
        for name in modules()
        for package in packages
        if name == package or name.startswith(f"{package}.")
    ]


def test_the_house_has_its_three_packages() -> None:
    assert {name for name in modules() if "." not in name} == set(PACKAGES)


@pytest.mark.parametrize("module", under("specs"))
def test_specs_imports_the_standard_library_alone(module: str) -> None:
    assert tops(imports(module)) - sys.stdlib_module_names <= {"specs"}


@pytest.mark.parametrize("module", under("rules"))
def test_rules_imports_specs_and_the_standard_library_alone(module: str) -> None:
    assert tops(imports(module)) - sys.stdlib_module_names <= {"specs", "rules"}


@pytest.mark.parametrize("module", under("docgen"))
def test_docgen_imports_nothing_of_the_tests(module: str) -> None:
    assert not tops(imports(module)) & {"tests", "tools", "bench"}


@pytest.mark.parametrize("module", under("docgen.render"))
def test_the_renderer_knows_neither_mkdocs_nor_spark(module: str) -> None:
    assert not tops(imports(module)) & {"mkdocs", "material", "pyspark", "py4j"}
    assert not {name for name in imports(module) if name.startswith(("docgen.plugin", "docgen.pipeline"))}
    reached = reached_at_start(module)
    assert {name: reached[name] for name in ("mkdocs", "pyspark") if name in reached} == {}


@pytest.mark.parametrize("module", [name for name in under("docgen") if name not in under("docgen.pipeline")])
def test_only_the_pipeline_imports_spark(module: str) -> None:
    assert not tops(imports(module)) & {"pyspark", "py4j"}


@pytest.mark.parametrize("module", ["docgen.cli", *under("specs", "rules")])
def test_a_command_starts_without_anything_heavy(module: str) -> None:
    reached = reached_at_start(module)
    assert {name: reached[name] for name in HEAVY if name in reached} == {}


def test_the_search_for_imports_sees_them() -> None:
    # The tests above prove nothing if the search is blind.
    assert "specs.problems" in imports("docgen.java")
    assert "subprocess" in reached_at_start("docgen.java")
    assert under("docgen.render")


def own_files() -> list[Path]:
    """Every Python file that somebody wrote here."""
    folders = [*PACKAGES, "tests", "tools", "bench"]
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_every_module_says_in_one_line_what_it_is() -> None:
    wrong = []
    for path in own_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not tree.body:
            continue
        lines = (ast.get_docstring(tree) or "").splitlines()
        if (
            not lines
            or not lines[0].strip().endswith((".", "…", "…`."))
            or (len(lines) > 1 and lines[1].strip())
        ):
            wrong.append(f"{path.relative_to(ROOT)}: {lines[:1]}")
    assert wrong == []


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


def test_no_committed_file_names_this_machine() -> None:
    here = [str(ROOT).encode(), str(ROOT.parent / "shared").encode()]
    wrong = [path for path in tracked() if any(name in path.read_bytes() for name in here)]
    assert wrong == []


def test_nothing_that_is_generated_is_committed() -> None:
    folders = {"site", "build", "dist", "catalog", ".venv", ".cache", "__pycache__"}
    tops_of = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert not tops_of & folders
    assert not [path for path in tracked() if path.suffix in {".pyc", ".parquet", ".whl", ".jar"}]


def lock(name: str) -> str:
    """The text of a lock file."""
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, set[str]]:
    """The packages of a lock file with the versions pinned, one for each kind of Python."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", ["build.txt", "site.txt", "java.txt", "dev.txt"])
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
        ("dev", "dev.txt"),
    ):
        asked = {re.split(r"[<>=\[ ;]", wanted)[0] for wanted in extras[extra]} - {"wirebook"}
        assert asked <= pins(name).keys(), f"run `make lock`: {name} lacks some of the extra {extra}"


def test_the_lock_files_agree_with_each_other() -> None:
    dev = pins("dev.txt")
    for name in ("site.txt", "java.txt"):
        other = pins(name)
        assert {package: dev.get(package) for package in other} == other, f"run `make lock`: {name}"


def test_ci_runs_what_a_user_runs() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_hooks_of_the_project_run_what_lint_runs() -> None:
    recipes = (ROOT / "Makefile").read_text(encoding="utf-8")
    config = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    hooks = re.findall(r"entry: \.venv/bin/(.+)", config)
    assert len(hooks) == config.count("- id: ") == 3
    for hook in hooks:
        # Hooks get file names, which is why they leave out by force what is excluded.
        assert f"$(BIN)/{hook.removesuffix(' --force-exclude')}" in recipes


def test_make_help_lists_every_word_of_the_readme() -> None:
    run = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = set(re.findall(r"^make ([a-z]+)", run.stdout, re.MULTILINE))
    assert {"site", "serve", "test", "lint", "bench", "clean"} <= listed
    for page in ("README.md", "CONTRIBUTING.md"):
        told = set(re.findall(r"`make ([a-z]+)", (ROOT / page).read_text()))
        assert told <= listed | {"distclean"}, page


def test_the_map_of_the_house_shows_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = text.partition("## The map of the house")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in drawn.splitlines() if row.startswith("| `")]
    shown: set[str] = set()
    for row in rows:
        folder = ""
        for name in re.findall("`([^`]+)`", row):
            # The first name of a row says the folder of those that have none.
            folder = name.rpartition("/")[0] if "/" in name else folder
            path = name if "/" in name or not folder else f"{folder}/{name}"
            assert list(ROOT.glob(path)), f"CONTRIBUTING.md: there is no {path}"
            shown.add(path)
    # Beside folders of rules, of which there is one a topic.
    folders = {
        path.relative_to(ROOT).parts for name in ("specs", "docgen") for path in (ROOT / name).iterdir()
    }
    missing = {
        "/".join(parts) for parts in folders if (ROOT.joinpath(*parts)).is_dir() and "_" not in parts[-1][:1]
    }
    assert missing <= {path.removesuffix("/").removesuffix("/*.json") for path in shown}


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inline = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    told = {word for span in re.findall("`([^`]+)`", inline) for word in re.split(r"[ |\\]+", span)}
    assert COMMANDS.keys() - told == set()
