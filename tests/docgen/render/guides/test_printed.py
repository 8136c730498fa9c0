"""The pages for print: which releases have one, and that each has every API in its newest version."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.docgen.histories import own_book
from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.render.guides.printed import print_pages, printed

pytestmark = pytest.mark.xdist_group("book")


def snapshot(name: str) -> SnapshotRecord:
    return SnapshotRecord(name, "release", None, name, None, None, None, {}, (), (), (), (), (), ())


def test_the_newest_release_and_the_last_of_each_major_line_are_printed() -> None:
    names = ["0.11.0", "1.0.0", "1.1.0", "2.0.0", "1.1.1", "2.1.0"]
    assert [item.name for item in printed([snapshot(name) for name in names])] == ["0.11.0", "1.1.1", "2.1.0"]
    assert [item.name for item in printed([snapshot("one"), snapshot("two")])] == ["two"]
    assert printed([]) == []


def test_a_page_has_every_api_in_the_newest_version_that_the_release_serves() -> None:
    book = own_book()
    pages = {page.path: page for page in print_pages(book.documents, book.snapshots, book.protocol)}
    assert list(pages)[-1] == f"releases/{book.snapshots[-1].name}/print/"
    assert len(pages) == 5
    level = next(item for item in book.snapshots if item.name == "3.9")
    page = pages["releases/3.9/print/"]
    wanted = {
        (row.api, there.served.rpartition("-")[2].rpartition(" ")[2])
        for row in book.index
        if row.is_api and (there := level.apis.get(row.slug)) and there.served != "none"
    }
    found = re.findall(r'<h2 id="[^"]+"><a href="\.\./\.\./\.\./api/[^"]+">(\w+)</a> (\d+)', page.html)
    assert set(found) == wanted
    assert not page.listed
    assert page.markdown.count("\n## ") == len(wanted)
    assert "| Topics.Partitions.FetchOffset | INT64 |  | 0 |  |" in page.markdown
    assert max(len(page.html) for page in pages.values()) < 300_000


def test_an_api_is_introduced_by_the_first_sentence_of_its_purpose_if_it_has_one() -> None:
    book = own_book()
    slugs = {item.slug: item for item in book.documents}
    documents = [
        replace(slugs["produce"], purpose="Writes.\n\nThen waits. Again."),
        replace(slugs["fetch"], purpose=""),
    ]
    (page,) = print_pages(documents, book.snapshots[-1:], book.protocol)
    served = [book.snapshots[-1].apis[item.slug].served for item in documents]
    assert re.findall(r"<p>Serves ([^<]*)</p>", page.html) == [f"{served[0]}. Writes.", f"{served[1]}."]
