"""Pages in one file: they have no scripts, fetch nothing, and need no site around them.

The page of a review is not one of them: `wirebook report` needs no package, so Jinja is not there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from wirebook.docgen.pages.environment import render

_STYLE = Path(__file__).with_name("standalone.css")


def standalone(template: str, own_style: Path | None = None, **values: Any) -> str:
    """The page of a template, with the styles of all such pages and its own."""
    style = "".join(
        path.read_text(encoding="utf-8") for path in (_STYLE, own_style) if path is not None
    )
    return f"{render(template, style=Markup(style), **values)}\n"
