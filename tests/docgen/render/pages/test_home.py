"""What the home page counts and links."""

from __future__ import annotations

from tests.docgen.render.rows import index_row
from tests.docgen.sites import PageReader
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import SnapshotRecord
from wirebook.docgen.render.pages.home import history_extract
from wirebook.docgen.render.pages.lists import api_index

API, FRAME, EVENT = index_row("a", "api", 1), index_row("f", "frame", 1), index_row("e", "event", 9)
SNAPSHOT = SnapshotRecord("1.0", "release", None, None, None, None, None, {}, (), (), (), (), (), ())


def test_the_number_of_other_messages_links_to_their_list() -> None:
    html = str(history_extract((API, FRAME, EVENT), (SNAPSHOT,), ProtocolRecord()))
    assert '<a href="./api/#frame"><strong>2</strong> other messages</a>' in html
    assert "frame" in PageReader(str(api_index((API, FRAME, EVENT)).html)).ids
    html = str(history_extract((API, EVENT), (SNAPSHOT,), ProtocolRecord()))
    assert '<a href="./api/#event"><strong>1</strong> other message</a>' in html
    assert "other message" not in str(history_extract((API,), (SNAPSHOT,), ProtocolRecord()))
