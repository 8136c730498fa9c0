"""The Markdown subset of docstrings as HTML: paragraphs, diffs, `code` and *emphasis*; the rest is text."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from wirebook.specs.printable import visible

_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"\*([^\s*][^*]*)\*")


def prose(text: str) -> Markup:
    """A text as paragraphs; one that is fenced is a diff."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    return Markup("\n").join(
        _diff(part.strip().split("\n"))
        if part.lstrip().startswith("```")
        else Markup("<p>{}</p>").format(inline(" ".join(part.split())))
        for part in parts
    )


def _diff(lines: list[str]) -> Markup:
    """The lines between two fences, removed and added ones marked as the theme highlights them."""
    made = Markup("")
    for line in lines:
        if line.startswith("```"):
            continue
        kind = {"-": "gd", "+": "gi", "@": "gu"}.get(line[:1])
        shown = visible(line)
        made += (
            Markup('<span class="{}">{}</span>\n').format(kind, shown)
            if kind
            else Markup("{}\n").format(shown)
        )
    return Markup('<div class="highlight"><pre><code>{}</code></pre></div>').format(made)


def inline(text: str) -> Markup:
    """A line of text with its code and emphasis marked."""
    made = Markup("")
    for place, part in enumerate(_CODE.split(str(visible(text)))):
        if place % 2:
            made += Markup("<code>{}</code>").format(part)
        else:
            made += Markup(_EMPHASIS.sub(r"<em>\1</em>", str(escape(part))))
    return made
