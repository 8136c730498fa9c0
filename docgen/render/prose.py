"""The little Markdown of docstrings as HTML: paragraphs, `code` and *emphasis*; all else stays text."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from specs.printable import visible

_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"\*([^\s*][^*]*)\*")


def prose(text: str) -> Markup:
    """A text as paragraphs."""
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(part)) for part in parts if part)


def inline(text: str) -> Markup:
    """A line of text with its code and emphasis marked."""
    made = Markup("")
    for place, part in enumerate(_CODE.split(str(visible(text)))):
        if place % 2:
            made += Markup("<code>{}</code>").format(part)
        else:
            made += Markup(_EMPHASIS.sub(r"<em>\1</em>", str(escape(part))))
    return made
