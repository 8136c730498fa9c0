"""Draws the packages and their imports into CONTRIBUTING.md, and lists all modules. `make house` runs it.

`tests/test_house.py` takes the imports from here as well: it looks for circles among them, and follows those
of a start, which no linter of imports distinguishes from those inside functions.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from pathlib import Path

from wirebook.rules.catalogue import RULES

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("specs", "rules", "live", "docgen", "fleet", "cli")
PAGE = "CONTRIBUTING.md"
BEGIN, END = "<!-- make house -->\n", "<!-- end -->\n"
BEGIN_MODULES, END_MODULES = "<!-- make house: modules -->\n", "<!-- end of modules -->\n"
# What has modules besides the packages.
_BESIDE = ("tools", "bench", "tests")
_WIDTH = 18  # of the column with the names of folders
# The first statement of a module, after comments: a string in triple quotes.
_DOCSTRING = re.compile(r'(?:#[^\n]*\n|\s)*(r?"""(?:[^"\\]|\\.|"(?!""))*""")', re.DOTALL)
_NAMES = 24  # of the column with the names of modules

# By folder, "" for the distribution: the names of the folders in each of its layers, the highest layer first.
Layers = Mapping[str, Sequence[Sequence[str]]]
# What a folder holds (modules and folders by name), each with what it imports from its neighbours there.
Arrows = dict[str, set[str]]


@cache
def modules() -> dict[str, Path]:
    """Every module of the distribution by its dotted name."""
    paths = {f"wirebook.{path.stem}": path for path in sorted((ROOT / "wirebook").glob("*.py"))}
    paths["wirebook"] = paths.pop("wirebook.__init__")
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = ("wirebook", *path.relative_to(ROOT).with_suffix("").parts)
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


@cache
def parsed(path: Path) -> ast.Module:
    """A module as a tree: several tests look at each of a thousand."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def docstring(path: Path) -> str:
    """The docstring of a module, read without parsing what follows; empty if there is none."""
    match = _DOCSTRING.match(path.read_text(encoding="utf-8"))
    return cleandoc(ast.literal_eval(match[1])) if match else ""


@cache
def imports(module: str, *, only_at_start: bool = False) -> frozenset[str]:
    """Dotted names that a module imports: anywhere, or only what runs when it is imported itself.

    Raises ValueError for a relative import, which hides where it points.
    """
    path = modules()[module]
    tree = parsed(path)
    names: set[str] = set()
    for node in _at_start(tree) if only_at_start else ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                raise ValueError(f"{path}:{node.lineno}: a relative import")
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            names.update(members)
            # `from package import module` needs the package only where it takes something else from it.
            if not members <= modules().keys():
                names.add(node.module)
    return frozenset(names)


def _at_start(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not typing_only and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _at_start(child)


@cache
def ours(module: str) -> frozenset[str]:
    """The modules of ours that a module imports anywhere: also in functions, and only for types."""
    return frozenset(name for name in imports(module) if name in modules()) - {module}


@cache
def arrows() -> dict[str, Arrows]:
    """By folder, "" for the distribution: what its modules and folders import from each other.

    An import is an arrow in the innermost folder that holds both modules, between what is directly in that
    folder: `docgen/site/plugin.py` imports `docgen/render/book.py`, which is an arrow from `site` to `render`
    in `docgen`. The `__init__.py` of a folder is a module in it.
    """
    folders: dict[str, Arrows] = {}
    for module in modules():
        for name in ours(module):
            both = _parts(module), _parts(name)
            depth = next(at for at, (one, other) in enumerate(zip(*both, strict=False)) if one != other)
            inside = folders.setdefault("/".join(both[0][:depth]), {})
            inside.setdefault(both[1][depth], set())
            inside.setdefault(both[0][depth], set()).add(both[1][depth])
    return folders


def _parts(module: str) -> tuple[str, ...]:
    """The folders of a module and its own name, without `wirebook`."""
    parts = tuple(module.split(".")[1:])
    return (*parts, "__init__") if modules()[module].name == "__init__.py" else parts


def circle(inside: Arrows) -> list[str]:
    """The names along a circle of arrows, the first one again at the end; empty if there is no circle."""
    done: set[str] = set()

    def search(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        done.add(name)
        circles = (search(other, [*path, name]) for other in sorted(inside.get(name, ())))
        return next(filter(None, circles), [])

    return next(filter(None, (search(name, []) for name in sorted(inside))), [])


def reached(inside: Arrows, name: str) -> set[str]:
    """What a name imports directly or through others."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        new = inside.get(waiting.pop(), set()) - names
        names |= new
        waiting += new
    return names


@cache
def folders_in(folder: str) -> tuple[str, ...]:
    """The names of the packages that are directly in a folder ("" for the distribution), in order."""
    if not folder:
        return tuple(sorted(PACKAGES))
    return tuple(sorted(path.parent.name for path in (ROOT / folder).glob("*/__init__.py")))


def layers() -> Layers:
    """The layers that `tests/layers.toml` names."""
    layers: Layers = tomllib.loads((ROOT / "tests" / "layers.toml").read_text(encoding="utf-8"))["layers"]
    return layers


def drawn(layers: Layers, folder: str = "", indent: str = "") -> Iterator[str]:
    """The lines of the drawing: for each folder, its docstring and the folders beside it that it imports."""
    listed = [name for layer in layers.get(folder, ()) for name in layer] or folders_in(folder)
    for name in listed:
        path = f"{folder}/{name}".strip("/")
        about = _about(ROOT / path / "__init__.py")
        below = arrows().get(folder, {}).get(name, set()) & set(listed)
        targets = f" -> {', '.join(other for other in listed if other in below)}" if below else ""
        yield f"{indent + name + '/':{_WIDTH}}{about}{targets}"
        yield from drawn(layers, path, f"{indent}  ")


def listed() -> Iterator[str]:
    """The lines of the list: each folder with its modules, each with the first line of its docstring.

    Rules are left out: the file of each has its name.
    """
    rules = {f"rules/{topic}/{name}.py" for kind in RULES.values() for topic in kind for name in kind[topic]}
    beside = (path for top in _BESIDE for path in sorted((ROOT / top).rglob("*.py")))
    folders: dict[str, list[str]] = {}
    for path in (*modules().values(), *beside):
        name = path.relative_to(ROOT).as_posix()
        is_listed = name not in rules and not path.name.startswith(("__init__.", "test_"))
        if is_listed and (about := _about(path)):
            folders.setdefault(name.rpartition("/")[0], []).append(f"  {path.name:{_NAMES}}{about}")
    for folder, lines in folders.items():
        yield f"{folder}/"
        yield from lines


def _about(path: Path) -> str:
    """The first line of a module's docstring, without its period."""
    return docstring(path).partition("\n")[0].removesuffix(".")


def with_drawing(page: str) -> str:
    """A page with the drawing and the list, each between its two marks. Raises ValueError if it lacks one."""
    page = _between(page, BEGIN, drawn(layers()), END)
    return _between(page, BEGIN_MODULES, listed(), END_MODULES)


def _between(page: str, begin: str, lines: Iterator[str], end: str) -> str:
    head, first, rest = page.partition(begin)
    _, last, tail = rest.partition(end)
    if not first or not last:
        raise ValueError(f"{PAGE} has no {begin.strip()} or no {end.strip()}")
    return f"{head}{first}```text\n" + "\n".join(lines) + f"\n```\n{last}{tail}"


def main() -> int:
    """Write the drawing into the page."""
    path = ROOT / PAGE
    path.write_text(with_drawing(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
