"""Entries of the reference in the search index that the site's search plugin has written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from wirebook.docgen.render.pages.search import Entry
from wirebook.docgen.site.addresses import Addresses

INDEX = Path("search") / "search_index.json"


def add_entries(
    site_dir: Path, entries: Iterable[Entry], addresses: Addresses, covered: set[str], *, escaped: bool
) -> None:
    """Add entries to the index, in place of what it has of the pages with the URLs in `covered`.

    Without an index, nothing is done; nor with one that was indexed beforehand (`prebuild_index`), since its
    entries cannot be changed. Material's search reads HTML, so its entries are `escaped`; MkDocs escapes.
    """
    path = site_dir / INDEX
    if not path.is_file():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    if "index" in index:
        return
    kept = [entry for entry in index["docs"] if entry["location"].partition("#")[0] not in covered]
    index["docs"] = kept + [_entry(entry, addresses, escaped) for entry in entries]
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _entry(entry: Entry, addresses: Addresses, escaped: bool) -> Entry:
    address, mark, anchor = entry["location"].partition("#")
    location = addresses.urls[address] + mark + anchor
    if escaped:
        return {**entry, "location": location}
    return {"location": location, "title": unescape(entry["title"]), "text": unescape(entry["text"])}
