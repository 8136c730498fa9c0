"""Writes what the search of a site reads: the entries of the catalog, and all other pages by their
words."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from html import unescape
from pathlib import Path

from mkdocs.structure.files import Files

from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.search import SearchIndex
from wirebook.docgen.site.addresses import Addresses

DATA = "assets/search-data.js"
_BYTES = re.compile(r"api/[^/]+/v\d+/")
_TAG = re.compile(r"<[^>]*>")
_SITE = "site:"  # before the address of a page that is not generated


def write_search(
    site_dir: Path, folder: str, index: SearchIndex, generated: Iterable[Page],
    written: Iterable[tuple[str, str, str, str]], addresses: Addresses,
) -> None:  # fmt: skip
    """Write the index of the search: a script, so that it works in a site that is opened as files.

    `written` are the hand-written pages as (URL, title, description, HTML).
    """
    known = index.pages()
    html: dict[str, str] = {}
    urls = dict(addresses.urls)
    for page in generated:
        html[page.path] = page.html
        if page.path not in known and not _BYTES.fullmatch(page.path):
            index.add_sections(page.path, page.title, page.description, page.html, page.words)
    for url, title, description, text in written:
        address = f"{_SITE}{url}"
        html[address] = text
        urls[address] = url.removeprefix("./")  # the home page is "./"
        index.add_sections(address, title, description, text)
    index.add_subjects(html)
    data = {"up": "../" * (folder.count("/") + 1), **index.to_json(urls)}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (site_dir / folder / DATA).write_text(f"wirebookFinder.take({text});\n", encoding="utf-8")


def written_pages(files: Files, generated: Collection[str]) -> Iterator[tuple[str, str, str, str]]:
    """The hand-written pages of a site of MkDocs; `generated` are the sources of all others."""
    for file in files.documentation_pages():
        page = file.page
        if file.src_uri not in generated and page is not None and page.content is not None:
            title = " ".join(unescape(_TAG.sub("", str(page.title or file.url))).split())
            yield file.url, title, str(page.meta.get("description") or ""), page.content
