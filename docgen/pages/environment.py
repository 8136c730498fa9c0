"""The Jinja environment of all pages: everything except our own markup is escaped."""

from __future__ import annotations

import json
import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from wirebook.docgen.catalog.addresses import slug_of
from wirebook.docgen.pages.links import anchor, release_page
from wirebook.docgen.pages.terminal import default_word
from wirebook.docgen.pages.wording import event_words, value_notes
from wirebook.specs.printable import number_of, visible
from wirebook.specs.versions import counted

_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[._])(?=.)")
FOLDER = Path(__file__).resolve().parent


def shown(value: object) -> object:
    """What a template writes: markup unchanged, text with visible control characters."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) else value


def preformatted(text: str) -> Markup:
    """Text for <pre>, escaped line by line so that line breaks stay."""
    return Markup("\n").join(visible(line) for line in text.rstrip("\n").split("\n"))


def breakable(name: str) -> Markup:
    """A name that may break between its words: at humps, dots and underscores."""
    # No joint is inside an entity.
    return Markup(_JOINTS.sub("<wbr>", escape(visible(name))))


def with_article(word: str) -> str:
    """A word with its indefinite article by its first letter: "a broker", "an edge"."""
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


@cache
def _environment() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    for each in (
        anchor, breakable, counted, preformatted, default_word, event_words, value_notes,
        with_article, number_of, release_page,
    ):  # fmt: skip
        jinja.filters[each.__name__] = each
    jinja.filters |= {
        "slug": slug_of,
        "thousands": "{:,}".format,
        "json": partial(json.dumps, ensure_ascii=False),
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
    }
    return jinja


def render(template: str, **values: Any) -> Markup:
    """The text of a template, as markup."""
    return Markup(_environment().get_template(template).render(**values))
