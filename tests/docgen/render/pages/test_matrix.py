"""The exceptions of the support matrix: footnotes in the cells of the releases that have them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docgen.histories import field, inputs, own_book, request
from wirebook.docgen.pipeline.run import build
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.pages.matrix import matrix_page
from wirebook.specs.kafka.advisories import all_advisories

pytestmark = pytest.mark.xdist_group("book")


def test_a_cell_has_the_numbers_of_its_exceptions() -> None:
    book = own_book()
    html = str(matrix_page(book.index, book.snapshots, book.protocol, Mentions()).html)
    numbers = re.findall(r'href="#exception-(\d+)"', html)
    assert {*map(int, numbers)} == {*range(1, len(all_advisories()) + 1)}, "each applies to some cell"
    assert re.findall(r'id="exception-(\d+)"', html) == [str(n + 1) for n in range(len(all_advisories()))]
    head = re.findall(r'<th scope="col"><a href="../releases/([^/]+)/', html)
    (row,) = re.findall(r"<tr[^>]*><th[^>]*>(?:(?!</tr>).)*>Produce</a></th>(.*?)</tr>", html, re.DOTALL)
    cells = dict(zip(head, re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL), strict=True))
    produce = [
        n for n, item in enumerate(all_advisories(), 1) if item.api == "Produce" and item.concerns("4.0")
    ]
    assert produce
    assert all(f'href="#exception-{number}"' in cells["4.0"] for number in produce)
    assert "exception" not in cells["1.0"]


def test_neighboring_releases_that_serve_the_same_share_a_column(tmp_path: Path) -> None:
    foo = request("Foo", 3, "0-1", field("A"))
    more = request("Foo", 3, "0-2", field("A"))
    build(inputs({"1.0.0": [foo], "1.1.0": [foo], "1.2.0": [foo], "2.0.0": [more], "3.0.0": [foo]}), tmp_path)
    page = next(str(page.html) for page in Book.of(tmp_path).pages() if page.path == "matrix/")
    heads = re.findall(r'<th scope="col"><a href="[^"]*/([^/]+)/">(.*?)</th>', page)
    assert [(release, re.sub(r"<[^>]*>", "", words)) for release, words in heads] == [
        ("3.0.0", "3.0.0"),
        ("2.0.0", "2.0.0"),
        ("1.2.0", "1.0.0 to 1.2.0"),
    ]
