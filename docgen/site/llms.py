"""The list of a site's pages for language models: llms.txt (https://llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape

from wirebook.specs.printable import visible

LLMS = "llms.txt"
_TAG = re.compile(r"<[^>]*>")
# "_" between letters or digits is text. "<" has no escape in some dialects, so that it is an entity.
_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#|\w+;)")


def llms_text(
    title: str, about: str, sections: Mapping[str, Iterable[tuple[str, str, str, str]]], base: str
) -> str:
    """The list as Markdown.

    `sections` hold the (title, URL, description, URL of the data or "") of pages; with a `base`, links are
    absolute.
    """
    content = [f"# {_plain(title)}"]
    if about:
        content.append(f"> {_plain(about)}")
    content.append("Versions are those of an API; a field table is of one version.")
    for name, pages in sections.items():
        lines = []
        for head, url, words, data in pages:
            as_data = f", [JSON]({_address(base + data)})" if data else ""
            short = f": {_plain(words)}" if words else ""
            lines.append(f"- [{_plain(head)}]({_address(base + url)}){as_data}{short}")
        if lines:
            content += [f"## {_plain(name)}", "\n".join(lines)]
    return "\n\n".join(content) + "\n"


def _plain(html: str) -> str:
    """The text of HTML on one line, so that Markdown shows its characters."""
    words = visible(" ".join(unescape(_TAG.sub("", html)).split()))
    return _SPECIAL.sub(r"\\\g<0>", _ENTITY.sub("&amp;", words)).replace("<", "&lt;")


def _address(url: str) -> str:
    return re.sub(r"[\s()<>\\]", lambda found: f"%{ord(found[0]):02X}", url)
