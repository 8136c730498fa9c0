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

from tests.support import ROOT
from wirebook.cli.commands import COMMANDS

PACKAGES = ("wirebook", "specs", "rules", "live", "docgen", "cli")
# What reads specs and rules must start fast and run anywhere, so it may not even lead to one of these.
HEAVY = {"pyspark", "mkdocs", "material", "jinja2", "jsonschema", "pyarrow", "pandas", "yaml", "markdown"}

# A folder of rules has a module for each rule of its topic.
TOPICS = {"tags", "nullability", "flexible", "fields", "versions", "lifecycle", "validity", "sets", "values"}


@cache
def modules() -> dict[str, Path]:
    """Every module of the distribution by its dotted name."""
    found = {f"wirebook.{path.stem}": path for path in sorted((ROOT / "wirebook").glob("*.py"))}
    found["wirebook"] = found.pop("wirebook.__init__")
    for package in PACKAGES[1:]:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = ("wirebook", *path.relative_to(ROOT).with_suffix("").parts)
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
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            # `from package import module` needs the package only where it takes something else from it.
            found.update(names)
            if not names <= modules().keys():
                found.add(node.module)
    return frozenset(found)


def _at_start(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not typing_only and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _at_start(child)


@cache
def ours(module: str) -> frozenset[str]:
    """The modules of ours that a module imports, anywhere."""
    return frozenset(name for name in imports(module) if name in modules()) - {module}


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


@cache
def arrows() -> dict[str, frozenset[str]]:
    """The table of CONTRIBUTING.md: each package with what its modules may import, besides itself."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = text.partition("## The map")[2].partition("\n## ")[0]
    found = {}
    for row in drawn.splitlines():
        cells = [cell.strip() for cell in row.removeprefix("|").removesuffix("|").split("|")]
        outside = cells[-1] in ("no Python", "not in the package")
        if len(cells) == 3 and not outside and re.fullmatch(r"`[a-z_/]+/`", cells[0]):
            allowed = re.findall("`([^`]+)`", cells[2])
            found[cells[0].strip("`/").replace("/", ".")] = frozenset(
                name.strip("/").replace("/", ".") for name in allowed
            )
    return found


def row_of(module: str) -> str:
    """The row of the table that a module belongs to: the one with the longest name that it begins with."""
    inner = module.removeprefix("wirebook.")
    if modules()[module].parent == ROOT / "wirebook":
        return "wirebook"
    rows = [row for row in arrows() if inner == row or inner.startswith(f"{row}.")]
    assert rows, f"CONTRIBUTING.md: no row for {module}"
    return max(rows, key=len)


def test_the_table_of_arrows_covers_the_packages() -> None:
    assert {row for row in arrows() if "." not in row} == set(PACKAGES)
    assert {row_of(name) for name in modules()} == set(arrows())


@pytest.mark.parametrize("module", sorted(modules()))
def test_arrows_point_where_the_table_says(module: str) -> None:
    row = row_of(module)
    allowed = {row, *arrows()[row]}
    if "everything" in allowed:
        return
    wrong = []
    for name in sorted(ours(module)):
        inner = name.removeprefix("wirebook.")
        in_row = name == "wirebook" or row_of(name) == row
        if not in_row and not any(inner == each or inner.startswith(f"{each}.") for each in allowed):
            wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize("module", sorted(modules()))
def test_only_the_named_packages_are_imported(module: str) -> None:
    allowed = arrows()[row_of(module)]
    foreign = tops(imports(module)) - sys.stdlib_module_names - {"wirebook"}
    assert "everything" in allowed or foreign <= allowed


def test_no_imports_go_round_in_a_circle() -> None:
    state: dict[str, int] = {}
    circles: list[list[str]] = []

    def visit(name: str, above: list[str]) -> None:
        state[name] = 1
        for other in sorted(ours(name)):
            if state.get(other) == 1:
                circles.append([*above[above.index(other) :], other] if other in above else [name, other])
            elif other not in state:
                visit(other, [*above, other])
        state[name] = 2

    for module in sorted(modules()):
        if module not in state:
            visit(module, [module])
    assert circles == []


def test_no_command_imports_another() -> None:
    commands = {f"wirebook.cli.{command.module}" for command in COMMANDS.values()}
    assert {name: both for name in sorted(commands) if (both := ours(name) & commands)} == {}


@pytest.mark.parametrize(
    "module", ["wirebook.cli.main", "wirebook.cli.command_line", *under("specs", "rules")]
)
def test_a_command_starts_without_anything_heavy(module: str) -> None:
    reached = reached_at_start(module)
    assert {name: reached[name] for name in HEAVY if name in reached} == {}


def test_the_search_for_imports_sees_them() -> None:
    # The tests above prove nothing if the search is blind.
    assert "wirebook.specs.problems" in ours("wirebook.docgen.pipeline.java")
    assert "subprocess" in reached_at_start("wirebook.docgen.pipeline.java")
    assert under("docgen.render")


def own_files() -> list[Path]:
    """Every Python file that somebody wrote here."""
    folders = [*PACKAGES[1:], "tests", "tools", "bench"]
    top = sorted((ROOT / "wirebook").glob("*.py"))
    return top + [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


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
    links = [ROOT / "wirebook" / name for name in PACKAGES[1:]]
    if not all(link.is_symlink() for link in links):
        # git on Windows writes a file with the name of the folder, unless core.symlinks is true.
        texts = [link.read_text() if link.is_file() else "" for link in links]
        assert texts == [f"../{link.name}" for link in links]
        pytest.skip("this checkout has no symbolic links: see CONTRIBUTING.md")
    assert [link.readlink().as_posix() for link in links] == [f"../{link.name}" for link in links]
    assert [link.resolve() for link in links] == [(ROOT / link.name).resolve() for link in links]
    assert {path.name for path in (ROOT / "wirebook").iterdir() if path.is_dir()} - {"__pycache__"} == set(
        PACKAGES[1:]
    )


def lock(name: str) -> str:
    """The text of a lock file."""
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def pins(name: str) -> dict[str, set[str]]:
    """The packages of a lock file with the versions pinned, one for each kind of Python."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", lock(name), re.MULTILINE):
        found.setdefault(package, set()).add(version)
    return found


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
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = text.partition("## The map")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in drawn.splitlines() if row.startswith("| `")]
    shown = {name for row in rows for name in re.findall("`([^`]+)`", row)}
    assert [name for name in sorted(shown) if not list(ROOT.glob(name))] == []
    folders = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES[1:]
        for path in (ROOT / package).iterdir()
        if path.is_dir() and path.name != "__pycache__" and path.name not in TOPICS
    }
    assert folders <= {name.rstrip("/") for name in shown}


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    inline = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    told = {word for span in re.findall("`([^`]+)`", inline) for word in re.split(r"[ |\\]+", span)}
    assert COMMANDS.keys() - told == set()
