"""The pages of a protocol that has a history of levels and no releases, in a golden file.

`WIREBOOK_UPDATE=1` writes the golden file anew; the diff is then what to review.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.docgen.catalog.levels import by_levels
from tests.docgen.pages.agreement import agree, plain
from tests.docgen.pages.marks import ELSEWHERE, marked
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import downloads, pages
from wirebook.docgen.pipeline.run import build


def test_the_pages_of_levels_say_what_they_said(tmp_path: Path) -> None:
    build(by_levels(), tmp_path)
    book = Book.open(tmp_path)
    lines = []
    for page in pages(book):
        if ELSEWHERE.match(page.path) or re.search(r"/v\d+/$", page.path):
            continue
        lines += [f"=== {page.path}: {page.title}", page.description]
        lines += ["; ".join(item.title for item in page.headings), plain(str(page.html))]
        if page.path == "matrix/":
            lines += marked(str(page.html))
    lines += [
        f"{place}\n{text}".replace("\r", "")
        for place, text in downloads(book)
        if place.endswith(".csv")
    ]
    agree("book_of_levels.txt", "\n".join(lines) + "\n")
