"""The Markdown subset of docstrings as HTML: paragraphs, diffs, `code` and *emphasis*; the rest is
text."""

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
    markup = Markup("")
    for line in lines:
        if line.startswith("```"):
            continue
        kind = {"-": "gd", "+": "gi", "@": "gu"}.get(line[:1])
        text = visible(line)
        markup += (
            Markup('<span class="{}">{}</span>\n').format(kind, text)
            if kind
            else Markup("{}\n").format(text)
        )
    return Markup('<div class="highlight"><pre><code>{}</code></pre></div>').format(markup)


def inline(text: str) -> Markup:
    """A line of text with its code and emphasis marked."""
    markup = Markup("")
    for number, part in enumerate(_CODE.split(str(visible(text)))):
        if number % 2:
            markup += Markup("<code>{}</code>").format(part)
        else:
            markup += Markup(_EMPHASIS.sub(r"<em>\1</em>", str(escape(part))))
    return markup
