"""The house is as tests/layers.toml and CONTRIBUTING describe it: no circles, every package is locked."""

from __future__ import annotations

import ast
import collections.abc
import re
import subprocess
import sys
import tomllib
import typing
from itertools import chain
from pathlib import Path

import pytest

from tests.locks import lock, pins
from tests.support import ROOT
from tools.house import (
    END,
    PACKAGES,
    PAGE,
    arrows,
    circle,
    docstring,
    folders_in,
    imports,
    layers,
    modules,
    ours,
    parsed,
    reached,
    with_drawing,
)
from wirebook.cli.commands import COMMANDS

# What reads specs and rules must start fast and run anywhere, so it may not even lead to one of these.
HEAVY = {"pyspark", "mkdocs", "material", "jinja2", "jsonschema", "pyarrow", "pandas", "yaml", "markdown"}

# A local of these names says how its value came about, not what it is. (`seen` in a walk is idiomatic.)
ACTS = {"asked", "found", "given", "got", "held", "known", "made", "meant", "met", "said", "shown", "taken"}
ACTS |= {"there", "told", "wanted"}
_FROM_TESTS = re.compile(r"^ *(?:from tests\b[\w.]* import (?:\([^)]*\)|.*)|import tests\b.*)$", re.MULTILINE)
# CPython has SHA-256 in one of two modules, depending on its version.
STANDARD = sys.stdlib_module_names | {"_sha2", "_sha256"}
# Modules of the standard library that not every system has.
NOT_EVERYWHERE = {"ctypes", "fcntl", "pwd", "resource"}
# So many lines below its assignment, a reader still sees what a local holds.
NEAR = 3


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
        if name == f"wirebook.{package}" or name.startswith(f"wirebook.{package}.")
    ]


def in_folder(module: str, folder: str) -> bool:
    """Whether a folder holds a module."""
    return f"{module.removeprefix('wirebook.')}.".startswith(f"{folder.replace('/', '.')}.")


def test_nothing_in_a_folder_imports_in_a_circle() -> None:
    circles = {folder: circle(inside) for folder, inside in arrows().items()}
    assert {folder: found for folder, found in circles.items() if found} == {}


def named_for_acts(tree: ast.AST) -> set[tuple[int, str]]:
    """The locals and parameters that are named for an act and used far below, with their lines."""
    far: set[tuple[int, str]] = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        bound: dict[str, list[int]] = {}
        lines: dict[str, list[int]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.arg) and node.arg in ACTS:
                bound.setdefault(node.arg, []).append(node.lineno)
            elif isinstance(node, ast.Name) and node.id in ACTS:
                lines.setdefault(node.id, []).append(node.lineno)
                if isinstance(node.ctx, ast.Store):
                    bound.setdefault(node.id, []).append(node.lineno)
        for name, starts in bound.items():
            if max(lines.get(name, [0])) > min(starts) + NEAR:
                far.add((min(starts), name))
    return far


def test_a_local_is_named_for_the_thing_that_it_holds() -> None:
    wrong: list[tuple[str, int, str]] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            wrong += [(name, *where) for where in sorted(named_for_acts(parsed(path)))]
    assert wrong == []


def test_a_local_that_is_named_for_an_act_may_be_used_nearby() -> None:
    near = "def f():\n    found = g()\n    return found\n"
    far = "def f(held):\n    found = g()\n\n\n\n    return found, held\n"
    assert named_for_acts(ast.parse(near)) == set()
    assert named_for_acts(ast.parse(far)) == {(1, "held"), (2, "found")}


def test_a_circle_is_seen_whatever_it_leads_through() -> None:
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": {"d"}, "d": set()}) == []
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]
    # The arrow from `specs` to `rules` in one of their modules would close a circle of the two.
    inside = arrows()[""]
    assert circle(inside | {"specs": inside["specs"] | {"rules"}}) == ["rules", "specs", "rules"]


def test_the_layers_name_every_folder_once() -> None:
    named = {folder: sorted(chain(*layers)) for folder, layers in layers().items()}
    parents = {path.parent for path in modules().values() if path.name == "__init__.py"} - {ROOT / "wirebook"}
    folders = ["", *(path.relative_to(ROOT).as_posix() for path in parents)]
    inner = {folder: folders_in(folder) for folder in folders}
    # A folder that is the only one in another has no neighbour to be above or below.
    assert named == {folder: list(names) for folder, names in inner.items() if len(names) > 1}


@pytest.mark.parametrize("folder", sorted(layers()))
def test_a_folder_imports_only_layers_below_its_own(folder: str) -> None:
    inside = arrows()[folder]
    wrong: list[str] = []
    above: set[str] = set()
    for layer in layers()[folder]:
        above |= set(layer)
        for name in layer:
            wrong += [f"{name} -> {other}" for other in reached(inside, name) & (above - {name})]
    assert wrong == []


def test_the_packages_of_others_are_imported_where_the_contract_says() -> None:
    importing = {(name, module) for module in modules() for name in tops(imports(module))}
    foreign = {each for each in importing if each[0] not in {*STANDARD, "wirebook"}}
    allowed = tomllib.loads((ROOT / "tests" / "layers.toml").read_text(encoding="utf-8"))["packages"]
    wrong = {
        (name, module)
        for name, module in foreign
        if not any(in_folder(module, folder) for folder in allowed.get(name, ()))
    }
    assert wrong == set()
    unused = {
        (name, folder)
        for name, folders in allowed.items()
        for folder in folders
        if not any(in_folder(module, folder) for other, module in foreign if other == name)
    }
    assert unused == set()


def late_imports(module: str) -> list[ast.Import | ast.ImportFrom]:
    """The imports inside functions."""
    late: list[ast.Import | ast.ImportFrom] = []
    for function in ast.walk(parsed(modules()[module])):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            late += [node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
    return late


def needs_a_package(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import leads to a package of others, or is of a module that some systems lack."""
    names = {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        names = {str(node.module), *(f"{node.module}.{name}" for name in names)}
    reached = names.union(*(reached_at_start(name) for name in names & modules().keys()))
    return bool(tops(frozenset(reached)) - (STANDARD - NOT_EVERYWHERE) - {"wirebook"})


def test_imports_are_at_the_top_except_at_the_seams() -> None:
    contract = tomllib.loads((ROOT / "tests" / "layers.toml").read_text(encoding="utf-8"))["later"]
    listed = [path for paths in contract.values() for path in paths]
    late = {modules()[name].relative_to(ROOT).as_posix() for name in modules() if plain_late_imports(name)}
    assert len(contract) <= 4
    assert sorted(late) == sorted(listed)


def plain_late_imports(module: str) -> list[ast.Import | ast.ImportFrom]:
    """The imports inside functions of what is always there."""
    return [node for node in late_imports(module) if not needs_a_package(node)]


def test_the_drawing_is_that_of_the_code() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    assert with_drawing(page) == page, "run `make house`"


def test_no_command_imports_another() -> None:
    commands = {f"wirebook.cli.{command.module}" for command in COMMANDS.values()}
    assert {name: both for name in sorted(commands) if (both := ours(name) & commands)} == {}


def test_a_command_starts_without_anything_heavy() -> None:
    wrong: dict[tuple[str, str], str] = {}
    for module in ("wirebook.cli.main", "wirebook.cli.command_line", *under("specs", "rules")):
        reached = reached_at_start(module)
        wrong |= {(module, name): reached[name] for name in HEAVY if name in reached}
    assert wrong == {}


def test_the_search_for_imports_sees_them() -> None:
    # The tests above prove nothing if the search is blind.
    assert "wirebook.specs.problems" in ours("wirebook.docgen.pipeline.java")
    assert "subprocess" in reached_at_start("wirebook.docgen.pipeline.java")
    assert under("docgen.render")


def own_files() -> list[Path]:
    """Every Python file that somebody wrote here."""
    folders = [*PACKAGES, "tests", "tools", "bench"]
    top = sorted((ROOT / "wirebook").glob("*.py"))
    return top + [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_every_module_says_in_one_line_what_it_is() -> None:
    wrong = []
    for path in own_files():
        lines = docstring(path).splitlines()
        if not lines and not parsed(path).body:
            continue
        if (
            not lines
            or not lines[0].strip().endswith((".", "…", "…`."))
            or (len(lines) > 1 and lines[1].strip())
        ):
            wrong.append(f"{path.relative_to(ROOT)}: {lines[:1]}")
    assert wrong == []


def test_no_module_imports_a_test_module() -> None:
    # Whoever imports one also gets its imports and its parametrizations, and nobody can rename or delete it.
    tests = {path.stem for path in own_files() if path.name.startswith("test_")}
    wrong = []
    for path in own_files():
        # Not parsed: the tests are three times as long as the rest.
        for match in _FROM_TESTS.finditer(path.read_text(encoding="utf-8")):
            names = re.findall(r"\w+", match[0])
            wrong += [f"{path.relative_to(ROOT)}: {name}" for name in names if name in tests]
    assert wrong == [], "move what they share to a module that is not named test_*"


def test_the_long_tests_are_those_that_the_page_lists() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    table = page.partition("| tests in `make test-long` |")[2].partition("\n\n")[0]
    patterns = [name for row in table.splitlines() for name in re.findall(r"`(tests/[^`]+\.py)`", row)]
    listed = {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"^[^#\n]*pytest\.mark\.long\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert listed == marked


def test_make_runs_every_test() -> None:
    recipes = (ROOT / "Makefile").read_text(encoding="utf-8")
    both = dict(re.findall(r"^(test|test-long):(?:.*\n\t.*)*?-m \"([^\"]+)\"", recipes, re.MULTILINE))
    # What `make test` leaves out is what the other runs, and nothing else is left out by a setting.
    assert both == {"test": "not long", "test-long": "long or hypothesis"}
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
    assert " -m " not in options["ini_options"]["addopts"]


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


# What makes a type of others.
GENERIC = {"dict", "frozenset", "list", "set", "tuple", "type"} | {*typing.__all__, *collections.abc.__all__}


def alias_of(node: ast.stmt) -> str:
    """The name of a type alias, such as `Read = Callable[[str], bytes]`; "" for another statement."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id=generic))):
            return name if generic in GENERIC else ""
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.BitOr())):
            return "" if name.isupper() else name
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
            return name
    return ""


# `Source` is also what the public API takes for one; the others are words of `rules/agreement/`.
NAMED_TWICE = {"Source", "Name", "Value"}


def test_a_class_or_an_alias_of_a_name_is_defined_once() -> None:
    """One word, one type: whoever reads a name outside of its module knows which one it is."""
    defined: dict[str, list[str]] = {}
    for module, path in modules().items():
        tree = parsed(path)
        classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        for name in (*classes, *map(alias_of, tree.body)):
            if name and not name.startswith("_"):
                defined.setdefault(name, []).append(module)
    shared = {name: places for name, places in defined.items() if len(places) > 1}
    assert shared.keys() == NAMED_TWICE, shared


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
    # In the repository LF, and LF wherever it is checked out: golden files are compared by their bytes.
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
    assert {path.name for path in (ROOT / "wirebook").iterdir() if path.is_dir()} - {"__pycache__"} == set(
        PACKAGES
    )


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
        assert asked <= pins(name).keys(), f"run `make lock`: {name} lacks some of the extra {extra}"


def test_what_make_installs_is_locked() -> None:
    tools = {"lock", "fuzz", "mutants", "zensical"}
    assert set(LOCKS) == {f"{name}.txt" for name in ("build", "site", "java", "records", "dev", *tools)}
    recipes = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    installs = [line for line in recipes.splitlines() if "pip install" in line]
    assert len(installs) == 1
    assert [line for line in installs if "--require-hashes" not in line or "--no-deps" not in line] == []
    # `make lock` writes the lock file of its own tool too.
    written = re.findall(r"foreach name,([a-z ]+),", recipes)
    assert set(written[0].split()) == tools
    assert "uv" in pins("lock.txt")


def test_the_lock_files_agree_with_each_other() -> None:
    dev = pins("dev.txt")
    for name in ("site.txt", "java.txt", "records.txt"):
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
    assert {"site", "serve", "test", "lint", "bench", "dist", "clean"} <= listed
    for page in ("README.md", "CONTRIBUTING.md"):
        told = set(re.findall(r"`make ([a-z]+)", (ROOT / page).read_text()))
        assert told <= listed | {"distclean"}, page


def test_the_map_names_only_what_is_there() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    table = text.partition(END)[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    names = {name for row in rows for name in re.findall("`([^`]+)`", row)}
    assert len(names) > 5
    assert [name for name in sorted(names) if not list(ROOT.glob(name))] == []


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inline = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    told = {word for span in re.findall("`([^`]+)`", inline) for word in re.split(r"[ |\\]+", span)}
    assert COMMANDS.keys() - told == set()
