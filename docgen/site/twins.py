"""The Markdown twin of each page: index.md beside index.html; and llms.txt, which lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

from mkdocs.utils import get_relative_url

from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.render.markdown.from_html import markdown
from wirebook.docgen.render.markdown.text import escaped, link

LLMS = "llms.txt"
# A Markdown link of our own: in other text, brackets are escaped.
_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\\n]|\\.)*)\]\(([^)\s]+)\)")
_TAG = re.compile(r"<[^>]*>")
_SITE = "http://site/"


def twin_of(url: str) -> str:
    """The URL of the Markdown of a page: "api/fetch/index.md" for "api/fetch/", "a.md" for "a.html"."""
    return f"{url.removesuffix('.html')}.md" if url.endswith(".html") else f"{url.removeprefix('./')}index.md"


class Twins:
    """Writes the twins of a site; `pages` are the URLs of all its pages, whose links lead to other twins."""

    def __init__(self, site_dir: Path, pages: Iterable[str]) -> None:
        self.site_dir = site_dir
        self.pages = {url.removeprefix("./") for url in pages}

    def write(self, url: str, html: str) -> None:
        """Write the twin of the page with this URL and HTML."""
        self._write(url, markdown(html, cache(lambda href: self._moved(href, url))))

    def write_made(self, url: str, page: Page, links: Mapping[str, str]) -> None:
        """Write the Markdown of a generated page; `links` are the URLs of the reference by address there."""

        def fitted(match: re.Match[str]) -> str:
            text, href = match[1], match[2]
            if re.match(r"[a-z]+:", href):
                return match[0]
            address, mark, anchor = href.partition("#")
            target = links.get(unquote(urljoin(_SITE + page.path, address).removeprefix(_SITE)))
            return text if target is None else link(text, self._moved(f"/{target}{mark}{anchor}", url))

        self._write(url, _LINK.sub(fitted, page.markdown))

    def _moved(self, href: str, url: str) -> str:
        """The address of what a link leads to, from the twin of a page: the twin of a page, or a file."""
        full = urljoin(_SITE + url.removeprefix("./"), href)
        if not full.startswith(_SITE):
            return href
        address, mark, anchor = full.removeprefix(_SITE).partition("#")
        path = address.partition("?")[0]
        if path in self.pages:
            return get_relative_url(twin_of(path), twin_of(url)) + mark + anchor
        return get_relative_url(address, twin_of(url)) + mark + anchor

    def _write(self, url: str, text: str) -> None:
        target = self.site_dir / unquote(twin_of(url))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="backslashreplace")


def llms_text(
    title: str, about: str, sections: Mapping[str, Iterable[tuple[str, str, str]]], base: str
) -> str:
    """The list of the twins for language models (https://llmstxt.org).

    `sections` hold the (title, URL, description) of pages; with a `base`, links are absolute.
    """
    content = [f"# {_plain(title)}"]
    if about:
        content.append(f"> {_plain(about)}")
    content.append(
        "Every page of this site is also available as Markdown, at the same address with index.md at its "
        "end. Versions are those of an API; a field table is of one version."
    )
    for name, pages in sections.items():
        lines = []
        for head, url, words in pages:
            short = f": {_plain(words)}" if words else ""
            lines.append(f"- {link(_plain(head), base + twin_of(url))}{short}")
        if lines:
            content += [f"## {_plain(name)}", "\n".join(lines)]
    return "\n\n".join(content) + "\n"


def _plain(text: str) -> str:
    return escaped(unescape(_TAG.sub("", text)))
