"""What each module imports, as the tests of the structure see it: in the whole, and when it is
imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support import ROOT

PACKAGES = ("specs", "rules", "peers", "docgen", "fleet", "cli")


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
def imports(module: str, *, only_at_start: bool = False) -> frozenset[str]:
    """Dotted names that a module imports: anywhere, or only what runs when it is imported itself.

    Raises ValueError for a relative import, which hides where it points.
    """
    path = modules()[module]
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    names: set[str] = set()
    for node in _at_start(tree) if only_at_start else ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                raise ValueError(f"{path}:{node.lineno}: a relative import")
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            names.update(members)
            # `from package import module` needs the package only where it takes something else from
            # it.
            if not members <= modules().keys():
                names.add(node.module)
    return frozenset(names)


def _at_start(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not typing_only and not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ):
            yield child
            yield from _at_start(child)


def ours(module: str) -> set[str]:
    """The modules of ours that a module imports anywhere: also in functions, and only for types."""
    return {name for name in imports(module) if name in modules()} - {module}


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


@cache
def arrows() -> dict[str, dict[str, set[str]]]:
    """By folder, "" for the distribution: what its modules and folders import from each other.

    An import is an arrow in the innermost folder that holds both modules, between what is directly
    in that folder: `docgen/site/plugin.py` imports `docgen/pages/book.py`, which is an arrow from
    `site` to `render` in `docgen`. The `__init__.py` of a folder is a module in it.
    """
    folders: dict[str, dict[str, set[str]]] = {}
    for module in modules():
        for name in ours(module):
            both = _parts(module), _parts(name)
            depth = next(
                at for at, (one, other) in enumerate(zip(*both, strict=False)) if one != other
            )
            inside = folders.setdefault("/".join(both[0][:depth]), {})
            inside.setdefault(both[0][depth], set()).add(both[1][depth])
    return folders


def _parts(module: str) -> tuple[str, ...]:
    """The folders of a module and its own name, without `wirebook`."""
    parts = tuple(module.split(".")[1:])
    return (*parts, "__init__") if modules()[module].name == "__init__.py" else parts
