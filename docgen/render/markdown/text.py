"""Text as Markdown in which nothing is markup."""

from __future__ import annotations

import re

from markupsafe import Markup

from wirebook.specs.printable import visible

# "_" between letters or digits is text. "<" has no escape in some dialects, so that it is an entity.
_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
# What may need an escape: most text has none of these.
_ANY = re.compile(r"[\\`*\[\]|~_&<]")
_ENTITY = re.compile(r"&(?=#|\w+;)")
# What begins a heading, a list or a quotation.
_START = re.compile(r"^(?:[#+>=-]|\d+(?=[.)]))")
_TICKS = re.compile(r"`+")


def escaped(text: str) -> str:
    """A text on one line, so that Markdown shows its characters."""
    words = visible(" ".join(text.split()))
    if _ANY.search(words) is None:
        return words
    return _SPECIAL.sub(r"\\\g<0>", _ENTITY.sub("&amp;", words)).replace("<", "&lt;")


def opening(block: str) -> str:
    """Escaped text as the beginning of a block."""
    match = _START.match(block)
    if match is None:
        return block
    end = match.end()
    return f"{block[:end]}\\{block[end:]}" if block[0].isdigit() else f"\\{block}"


def code(text: str) -> str:
    """A text as code on one line."""
    words = visible(" ".join(text.split())).replace("|", "\\|") or " "
    fence = "`" * (max((len(ticks) for ticks in _TICKS.findall(words)), default=0) + 1)
    pad = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{pad}{words}{pad}{fence}"


def block(text: str, language: str = "") -> str:
    """Lines of text as a block of code."""
    lines = [visible(line) for line in text.rstrip("\n").split("\n")]
    longest = max((len(ticks) for line in lines for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}{language}", *lines, fence))


def link(text: str, href: str) -> str:
    """A link; `text` is escaped already. Only addresses of pages and of the web are linked to."""
    if re.match(r"(?!https?:|mailto:)[a-zA-Z][a-zA-Z0-9+.-]*:", href) or not text:
        return text
    safe = re.sub(r"[\s()<>\\]", lambda found: f"%{ord(found[0]):02X}", href)
    return f"[{text}]({safe})"


def finalize(value: object) -> Markup:
    """What a template of Markdown writes for a value: markup as it is, text escaped."""
    if isinstance(value, Markup):
        return value
    return Markup("" if value is None else escaped(str(value)))
