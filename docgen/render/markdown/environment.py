"""The Jinja environment of pages in Markdown: everything except our own markup is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from wirebook.docgen.render.kit.environment import FOLDER, default_word
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.wording import value_notes
from wirebook.docgen.render.markdown.text import block, code, escaped, finalize, link

LinkedParts = Callable[[str], Iterable[tuple[str, str]]]


@cache
def _environment() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(FOLDER / "markdown"),
        # No HTML is written, but this makes the output of a macro Markup, which `finalize` keeps.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    jinja.filters |= {
        "anchor": anchor,
        "default_word": default_word,
        "value_notes": value_notes,
        "code": lambda text: Markup(code(str(text))),
        "block": lambda text: Markup(block(str(text))),
    }
    return jinja


def render_markdown(template: str, parts: LinkedParts, **values: Any) -> str:
    """The Markdown of a template. `parts` splits a sentence into its parts with their addresses."""

    def linked(text: str) -> Markup:
        return joined(parts(text))

    text = _environment().get_template(template).render(link=linked, joined=joined, **values)
    lines = [line.rstrip() for line in text.split("\n")]
    single_spaced = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(single_spaced).strip() + "\n"


def joined(parts: Iterable[tuple[str, str]]) -> Markup:
    """Parts of a sentence with their addresses, as one text."""
    words = "".join(link(_piece(part), href) if href else _piece(part) for part, href in parts)
    return Markup(words.strip())


def _piece(part: str) -> str:
    """A part of a sentence, escaped, with the spaces around it."""
    text = escaped(part)
    if not text:
        return " " if part else ""
    return f"{' ' if part[0].isspace() else ''}{text}{' ' if part[-1].isspace() else ''}"
