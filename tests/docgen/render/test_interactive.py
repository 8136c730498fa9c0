"""Pages that work from the published JSON: what they offer, and the headers as data."""

from __future__ import annotations

import json

import jsonschema

from tests.docgen.render.byte_pages import document, embedded
from tests.docgen.sites import PageReader
from tests.support import ROOT
from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, Lifecycle, SnapshotRecord
from wirebook.docgen.render.bytes.headers import EMBEDDED, ProtocolHeaders
from wirebook.docgen.render.interactive.compare import compare_page
from wirebook.docgen.render.interactive.decode import decode_page, headers_text
from wirebook.docgen.render.interactive.encode import encode_page
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.pages.home import home_extract
from wirebook.docgen.render.pages.levels import level_page
from wirebook.docgen.render.pages.lists import api_index
from wirebook.docgen.schemas import SCHEMAS
from wirebook.specs.kafka import KAFKA
from wirebook.specs.wire.layout import layouts


def row(slug: str, name: str, key: int | None, kind: str) -> IndexRow:
    """A row of an index, as far as the pages look at it."""
    return IndexRow(
        slug, name, (), key, kind, "", "0-1", "0-1", 1, "none", "none", "none", Lifecycle(()), (), False
    )


INDEX = (
    row("fetch", "Fetch", 1, "api"),
    row("produce", "Produce", 0, "api"),
    row("den", "Den<b>", None, "data"),
)

NEWEST = [
    SnapshotRecord(name, "release", None, name, None, None, None, {}, (), (), (), (), (), ())
    for name in ("v1", "v2")
]


def test_the_headers_are_of_the_schema() -> None:
    schema = json.loads((ROOT / SCHEMAS["headers"]).read_text(encoding="utf-8"))
    given = json.loads(headers_text(ProtocolRecord(frame_length=2), EMBEDDED))
    jsonschema.validate(given, schema)
    assert given["frame_length"] == 2
    assert [layout["version"] for layout in given["response"]] == [0, 1]
    for side in ("Request", "Response"):
        (message,) = embedded(f"{side}Header")
        assert given[side.lower()] == json.loads(
            json.dumps([layout.to_json() for layout in layouts(message)])
        )
    none = json.loads(headers_text(ProtocolRecord(frame_length=0), ProtocolHeaders({})))
    jsonschema.validate(none, schema)
    assert (none["request"], none["response"], none["frame_length"]) == ([], [], 0)
    assert not jsonschema.Draft202012Validator(schema).is_valid(none | {"request": [{"version": "1"}]})


def test_the_headers_of_another_protocol_are_those_of_its_specs() -> None:
    (hello,) = embedded("ApiVersionsRequest")
    layout = document([hello]).messages[0].versions[3].layout
    own = ProtocolHeaders({("request", 2): layout, ("request", 1): layout})
    assert list(own.layouts("request")) == [layout, layout]
    assert list(own.layouts("response")) == []


def test_the_page_offers_every_message_by_key_and_kind() -> None:
    page = decode_page(INDEX, ProtocolRecord(frame_length=0), EMBEDDED)
    html = str(page.html)
    assert html.index(">Produce<") < html.index(">Fetch<") < html.index(">Den&lt;b&gt;<")
    assert 'data-slug="fetch" data-key="1"' in html
    assert 'data-slug="den">' in html
    assert 'name="frame"' not in html
    assert 'name="frame"' in str(decode_page(INDEX, ProtocolRecord(frame_length=4), EMBEDDED).html)
    assert {heading.id for heading in page.headings} <= set(PageReader(html).ids)


def test_the_encode_page_has_no_field_of_kafka_on_the_site_of_another_protocol() -> None:
    path = "Topics[0].Partitions[1].FetchOffset"
    assert path in str(encode_page(INDEX, ProtocolRecord(family=KAFKA)).html)
    html = str(encode_page(INDEX, ProtocolRecord()).html)
    assert path not in html
    assert "An error names its field as a path." in html


def test_the_compare_page_names_what_is_no_api_and_whether_there_are_error_codes() -> None:
    html = str(compare_page(INDEX, NEWEST, ProtocolRecord(), has_errors=False).html)
    assert 'data-others="Other messages"></p>' in html
    html = str(compare_page(INDEX, NEWEST, ProtocolRecord(family=KAFKA), has_errors=True).html)
    assert 'data-others="Records, headers and other data" data-errors></p>' in html


def test_a_protocol_of_events_has_no_list_of_apis() -> None:
    events = (row("moved", "Moved", 0, "event"),)
    page = api_index(events)
    assert [heading.id for heading in page.headings] == ["event"]
    assert 'id="apis"' not in page.html
    assert '<td>0</td><th scope="row"><a href="../api/moved/">' in page.html
    home = home_extract(events, NEWEST, ProtocolRecord())
    assert "All messages" in home
    assert 'href="./api/moved/"' in home


def test_levels_are_called_what_the_profile_calls_them() -> None:
    protocol = ProtocolRecord(level="epoch")
    level = LevelRecord(0, "1.0-IV0", "1.0", None, "", None, before_history=False)
    (page,) = level_page([level], (), protocol, Mentions())
    assert "An epoch is one step of the protocol." in page.html
    assert "protocol level" not in page.html
    assert page.title == "Epochs"
