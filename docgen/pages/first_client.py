"""The code of the guide "Your first client", by the names of functions and methods."""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from pathlib import Path

from markupsafe import Markup

# Beside mkdocs.yml, so that the site publishes it: in a checkout and in a wheel.
CLIENT = Path(__file__).resolve().parents[2] / "site_src" / "assets" / "first_client.py"


def code(names: str) -> Markup:
    """The source of functions and methods ("murmur2 Client.fetch"), not indented."""
    parts = [textwrap.dedent(source_of(name)) for name in names.split()]
    opening = Markup(
        '<pre class="wb-source" data-search-exclude tabindex="0" aria-label="Python"><code>'
    )
    return opening + "\n\n".join(parts) + Markup("</code></pre>")


@cache
def source_of(name: str) -> str:
    """The lines of a function, or of a method of a class ("Class.method"). Raises StopIteration."""
    text = CLIENT.read_text(encoding="utf-8")
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        node = next(
            inner for inner in ast.iter_child_nodes(node) if getattr(inner, "name", "") == part
        )
    assert isinstance(node, ast.FunctionDef)
    return "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])
