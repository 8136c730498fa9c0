"""Fits the links of generated HTML to a site: no link leads to a page that the site lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote, urljoin

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

# Templates escape every value, so that neither ">" nor a quote is part of an attribute's value.
_LINK = re.compile(r' (?:href|src)="([^"#?][^"]*)"')
_ANCHOR = re.compile(r'<a\b([^>]*?) href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_END = re.compile(r"[?#]")  # what follows the path of a link
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)
_SITE = "http://site/"


@dataclass(frozen=True)
class Addresses:
    """The URL of every page and file below the folder of the reference, by its address there. The
    address of a page is what generated HTML links to: "types/" for types.md and for types/index.md,
    with directory URLs and without."""

    urls: dict[str, str]

    @classmethod
    def of(cls, files: Iterable[File], folder: str) -> Addresses:
        """The addresses of a site's files; `folder` is "" or ends with a slash."""
        urls = {}
        for file in files:
            path = file.dest_uri
            if file.is_documentation_page():
                is_index = path.split("/")[-1] == "index.html"
                path = path.removesuffix("index.html") if is_index else f"{path[:-5]}/"
            if path.startswith(folder):
                urls[path.removeprefix(folder)] = file.url
        return cls(urls)

    def fit(self, html: str, base: str, url: str) -> str:
        """HTML that was written for the page with the address `base`, as part of the page with this
        URL.

        A link to a page that the site does not have becomes its text.
        """
        new = {link: self._link(link, base, url) for link in set(_LINK.findall(html))}
        if None in new.values():
            html = _ANCHOR.sub(lambda a: a[0] if new.get(a[2], "") is not None else _bare(a), html)
        return _LINK.sub(lambda a: a[0].replace(a[1], new[a[1]] or a[1]), html)

    def _link(self, link: str, base: str, url: str) -> str | None:
        if _OUTSIDE.match(link):
            return link
        path = _END.split(link)[0]
        target = urljoin(_SITE + base, unescape(path)).removeprefix(_SITE)
        page_url = self.urls.get(unquote(target))
        if page_url is None:
            return None
        if urljoin(_SITE + url, unescape(path)) == _SITE + page_url:
            return link
        # What is a part of a page has no other anchors.
        return get_relative_url(page_url, url) + ("" if "#" in page_url else link[len(path) :])


def _bare(match: re.Match[str]) -> str:
    attributes = (match[1] + match[3]).replace(" download", "")
    return f"<span{attributes}>{match[4]}</span>"
