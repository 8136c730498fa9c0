"""Writes what the search of a site reads: the catalog, and all other pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from mkdocs.structure.files import Files

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.search import search_data
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.menu import plain

DATA = "assets/search-data.js"


def write_search(
    site_dir: Path, folder: str, book: Book, generated: Mapping[str, Page], files: Files,
    addresses: Addresses,
) -> None:  # fmt: skip
    """Write the index of the search: a script, so that it works in a site that is opened as files.
    `generated` are the generated pages by their source; the addresses of all others begin with
    "site:"."""
    pages = [*generated.values()]
    urls = dict(addresses.urls)
    for file in files.documentation_pages():
        page = file.page
        if file.src_uri not in generated and page is not None and page.content is not None:
            title = plain(str(page.title or file.url))
            about = str(page.meta.get("description") or "")
            address = f"site:{file.url}"
            pages.append(Page(address, title, page.content, about))
            urls[address] = file.url.removeprefix("./")  # the home page is "./"
    data = {"up": "../" * (folder.count("/") + 1), **search_data(book, pages, urls)}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (site_dir / DATA).write_text(f"wirebookFinder.take({text});\n", encoding="utf-8")
