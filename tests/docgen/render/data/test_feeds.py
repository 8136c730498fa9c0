"""The entries of the feed of releases: what they count and list."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, Lifecycle, NewErrorCode, NewsItem, SnapshotRecord
from wirebook.docgen.render.data.feeds import FeedEntry, release_feed
from wirebook.specs.versions import VersionSet


def row(name: str, kind: str, key: int | None) -> IndexRow:
    marks = ("0", "0", 0, "none", "none", "none")
    return IndexRow(name.lower(), name, (), key, kind, "", *marks, Lifecycle(()), (), gone=False)


INDEX = [row("B", "api", 2), row("A", "api", 1), row("R", "data", None), row("Q", "data", None)]


def entry(apis: str, codes: int) -> FeedEntry:
    """The entry of a release in which some APIs and messages are new, and some error codes."""
    news = tuple(NewsItem(name.lower(), name, VersionSet.of([3]), "", event="added") for name in apis)
    errors = tuple(NewErrorCode(number, f"CODE_{number}") for number in range(codes))
    found = SnapshotRecord(
        "1.0 b", "release", None, "1.0", None, "2020-02-29", None, {}, news, (), (), (), (), errors
    )
    feed = release_feed(INDEX, [found], ProtocolRecord(name="otter", product="Otter"))
    assert feed is not None
    (made,) = feed.entries
    return made


@pytest.mark.parametrize(
    ("apis", "codes", "summary"),
    [
        ("", 0, "No changes in the protocol."),
        ("A", 0, "1 API changed."),
        ("AB", 0, "2 APIs changed."),
        ("R", 1, "1 other message changed, 1 new error code."),
        ("BARQ", 2, "2 APIs changed, 2 other messages changed, 2 new error codes."),
    ],
)
def test_a_summary_counts_what_changed(apis: str, codes: int, summary: str) -> None:
    assert entry(apis, codes).summary == summary


def test_an_entry_lists_apis_by_key_and_the_rest_after_them() -> None:
    made = entry("BARQ", 2)
    line = "<li><b>{}</b><ul><li>Added: version 3</li></ul></li>".format
    assert made.html == (
        f"<h2>APIs</h2><ul>{line('A')}{line('B')}</ul>"
        f"<h2>Other messages</h2><ul>{line('Q')}{line('R')}</ul>"
        "<h2>New error codes</h2><ul><li>0 CODE_0</li><li>1 CODE_1</li></ul>"
    )
    assert entry("", 0).html == "<p>No changes in the protocol.</p>"
    assert entry("", 1).html == "<h2>New error codes</h2><ul><li>0 CODE_0</li></ul>"
    assert (made.title, made.place, made.updated) == (
        "Otter 1.0 b",
        "releases/1.0-b/",
        "2020-02-29T00:00:00Z",
    )
