"""What the home page counts and links."""

from __future__ import annotations

import dataclasses

from tests.docgen.render.rows import index_row
from tests.docgen.sites import PageReader
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import NewsItem, SnapshotRecord
from wirebook.docgen.render.pages.home import history_extract, home_extract
from wirebook.docgen.render.pages.lists import api_index
from wirebook.specs.versions import VersionSet

API, FRAME, EVENT = index_row("a", "api", 1), index_row("f", "frame", 1), index_row("e", "event", 9)
SNAPSHOT = SnapshotRecord("1.0", "release", None, None, None, None, None, {}, (), (), (), (), (), ())


def test_the_number_of_other_messages_links_to_their_list() -> None:
    html = str(history_extract((API, FRAME, EVENT), (SNAPSHOT,), ProtocolRecord()))
    assert '<a href="./api/#frame"><strong>2</strong> other messages</a>' in html
    assert "frame" in PageReader(str(api_index((API, FRAME, EVENT)).html)).ids
    html = str(history_extract((API, EVENT), (SNAPSHOT,), ProtocolRecord()))
    assert '<a href="./api/#event"><strong>1</strong> other message</a>' in html
    assert "other message" not in str(history_extract((API,), (SNAPSHOT,), ProtocolRecord()))


def test_changes_of_messages_without_an_api_are_among_the_newest_changes_of_an_own_protocol() -> None:
    news = NewsItem("e", "E", VersionSet.parse("0"), "version 0 is added", event="added", whole=True)
    snapshots = (dataclasses.replace(SNAPSHOT, new=(news,)),)
    assert "New message" in str(home_extract((API, EVENT), snapshots, ProtocolRecord()))
    assert "New message" not in str(home_extract((API, EVENT), snapshots, ProtocolRecord(family="kafka")))
