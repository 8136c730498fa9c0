"""The tags and texts of HTML that a site is read by again, for its search.

html.parser takes three times as long for a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

# A "<" that begins none of the others is text.
_TOKEN = re.compile(
    r"<!--.*?-->|<[!?][^>]*>"
    r"|<(?P<hidden>script|style|svg)\b.*?</(?P=hidden)\s*>"
    r"|<(?P<tag>/?[a-z][^\s/>]*)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>"
    r"|(?P<text>[^<]+|<)",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


def tokens(html: str) -> Iterator[tuple[str, str]]:
    """Start tags as ("a", attributes as written), end tags as ("/a", ""), and texts as ("", text).

    Comments, scripts, styles and pictures are left out.
    """
    for match in _TOKEN.finditer(html):
        _, tag, attributes, text = match.groups()
        if text is not None:
            yield "", unescape(text)
        elif tag is not None:
            name = tag.lower()
            if name[0] == "/":
                yield name, ""
                continue
            yield name, attributes
            if attributes.endswith("/"):
                yield f"/{name}", ""


def attributes_of(written: str) -> dict[str, str]:
    """The attributes of a start tag; one without a value has ""."""
    return {
        name.lower(): unescape("".join(values)) for name, *values in _ATTRIBUTE.findall(written)
    }
