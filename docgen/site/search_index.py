"""What the searches of a site read: the index of ours, and our entries in that of the theme."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink

from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.render.search.fulltext import IndexEntry
from wirebook.docgen.render.search.typed import TypedIndex
from wirebook.docgen.site.addresses import Addresses

INDEX = Path("search") / "search_index.json"
DATA = "assets/search-data.js"
BYTES = re.compile(r"api/[^/]+/v\d+/")
_TAG = re.compile(r"<[^>]*>")
_SITE = "site:"  # before the address of a page that is not generated


def add_entries(
    site_dir: Path, entries: Iterable[IndexEntry], addresses: Addresses, covered: set[str], *, escaped: bool
) -> None:
    """Add entries to the index, in place of what it has of the pages with the URLs in `covered`.

    Nothing is done with one that was indexed beforehand (`prebuild_index`), since its entries cannot be
    changed. Material's search reads HTML, so its entries are `escaped`; MkDocs escapes.
    """
    path = site_dir / INDEX
    index = json.loads(path.read_text(encoding="utf-8"))
    if "index" in index:
        return
    other_entries = [entry for entry in index["docs"] if entry["location"].partition("#")[0] not in covered]
    index["docs"] = other_entries + [_entry(entry, addresses, escaped) for entry in entries]
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _entry(entry: IndexEntry, addresses: Addresses, escaped: bool) -> IndexEntry:
    address, mark, anchor = entry["location"].partition("#")
    location = addresses.urls[address] + mark + anchor
    if escaped:
        return {**entry, "location": location}
    return {"location": location, "title": unescape(entry["title"]), "text": unescape(entry["text"])}


@dataclass(frozen=True, slots=True)
class Written:
    """A hand-written page as the search finds it: by its title, its headings (title, id) and HTML."""

    url: str
    title: str
    html: str
    headings: tuple[tuple[str, str], ...] = ()
    description: str = ""


def write_search(
    site_dir: Path, folder: str, index: TypedIndex, entries: Iterable[IndexEntry], generated: Iterable[Page],
    written: Iterable[Written], addresses: Addresses,
) -> None:  # fmt: skip
    """Write the index of the search: a script, so that it works in a site that is opened as files.

    Each page can be found by its title and by its words; `entries` have those of generated pages.
    """
    index.add_entries(entries)
    page_urls = index.addresses()
    pages: dict[str, str] = {}
    for page in generated:
        pages[page.path] = page.html
        if page.path not in page_urls and not BYTES.fullmatch(page.path):
            # Those of a page with many like it ("Versions" of each proposal) are no answers.
            headings = [(heading.title, heading.id) for heading in page.headings] if page.boost else []
            text = unescape(_TAG.sub(" ", page.html))
            index.add_page(page.title, page.path, headings, page.description, text)
        if page.boost:
            index.text.add_sections(page.path, page.title, page.html)
    others = {}
    for other in written:
        address = f"{_SITE}{other.url}"
        others[address] = other.url.removeprefix("./")  # the home page is "./"
        pages[address] = other.html
        text = unescape(_TAG.sub(" ", other.html))
        index.add_page(_plain(other.title), address, _headings(other.headings), other.description, text)
        index.text.add_sections(address, _plain(other.title), other.html)
    index.add_subjects(pages)
    data = {"up": "../" * (folder.count("/") + 1)}
    data |= index.as_json({**addresses.urls, **others})
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (site_dir / folder / DATA).write_text(f"wirebookFinder.take({text});\n", encoding="utf-8")


def written_pages(files: Files, generated: Collection[str]) -> Iterator[Written]:
    """The hand-written pages of a site of MkDocs; `generated` are the sources of all others."""
    for file in files.documentation_pages():
        page = file.page
        if file.src_uri in generated or page is None or page.content is None:
            continue
        headings = tuple((heading.title, heading.id) for heading in top_headings(page))
        about = str(page.meta.get("description") or "")
        yield Written(file.url, str(page.title or file.url), page.content, headings, about)


def top_headings(page: SitePage) -> list[AnchorLink]:
    """The headings of a page below its title."""
    first = list(page.toc)
    return [heading for heading in first if heading.level > 1] or [
        below for heading in first for below in heading.children
    ]


def _headings(headings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for title, anchor in headings:
        yield _plain(title), anchor


def _plain(title: str) -> str:
    return " ".join(unescape(_TAG.sub("", title)).split())
