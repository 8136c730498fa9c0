"""Pages of bytes: the examples, the test vectors, and what the hex of a page is joined to.

`WIREBOOK_UPDATE=1` writes the golden file anew; the diff is then what to review.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.docgen.pages.byte_pages import KAFKA_PROTOCOL, document, embedded, foo, version_pages_of
from tests.docgen.sites import own_site, read_pages
from tests.support import ROOT
from wirebook.docgen.pages.examples import CASES, STRANGER, cases, fullest
from wirebook.docgen.pages.headers import embedded_headers
from wirebook.docgen.pages.schemas import read_schema
from wirebook.docgen.pages.vectors import vectors, vectors_text
from wirebook.docgen.pages.worked import worked
from wirebook.docgen.site.plugin import PLACE
from wirebook.specs.codec import UNKNOWN, decode, encode
from wirebook.specs.kafka.registry import header_layout
from wirebook.specs.layout import Layout, layouts
from wirebook.specs.model import Json
from wirebook.specs.spans import WireError

GOLDEN = Path(__file__).parent / "golden" / "foo_9.html"

# Bytes of Kafka's Java client.
# Requests with fields that exclude each other, or that no broker supports yet.
EXCLUDING = {"MetadataRequest", "DeleteTopicsRequest", "StreamsGroupHeartbeatRequest"}


@cache
def all_layouts() -> tuple[Layout, ...]:
    return tuple(of for message in embedded() for of in layouts(message))


def nulls(value: Json) -> list[str]:
    """The names of what is null in a value."""
    if isinstance(value, list):
        return [name for item in value for name in nulls(item)]
    if not isinstance(value, dict):
        return []
    return [name for name, inner in value.items() if inner is None] + [
        name for inner in value.values() for name in nulls(inner)
    ]


def has_tags(fields: Any) -> bool:
    return any(field.tag is not None or has_tags(field.fields or ()) for field in fields)


# The examples.


def test_every_version_has_its_examples_and_the_codec_of_its_spec_reads_them() -> None:
    assert len(all_layouts()) > 200
    for of in all_layouts():
        exported = of
        found = {case.name: case for case in cases(exported)}
        assert "empty" in found, of
        assert ("unknown-tag" in found) == of.flexible, of
        assert ("tagged" in found) == has_tags(exported.fields), of
        for case in found.values():
            assert decode(of, case.body) == case.value
            assert encode(of, case.value) == case.body


def test_an_empty_one_is_at_its_defaults_and_a_filled_one_is_full() -> None:
    for of in all_layouts():
        found = {case.name: case.value for case in cases(of)}
        for field in of.fields:
            if field.tag is None:
                assert found["empty"][field.name] == (
                    None if field.nullable else found["empty"][field.name]
                )
                assert found["empty"][field.name] != [{}]
        full = found.get("filled", {})
        # Nobody sends the message of an error that has not happened, nor what excludes another
        # field.
        absent = [name for name in nulls(full) if not name.endswith("ErrorMessage")]
        assert not absent or of.name in EXCLUDING, (of, absent)
        assert UNKNOWN not in full
        assert not {field.name for field in of.fields if field.tag is not None} & full.keys(), of
    fetch = next(of for of in all_layouts() if (of.name, of.version) == ("FetchRequest", 12))
    found = {case.name: case.value for case in cases(fetch)}
    assert "ClusterId" not in found["filled"]
    assert found["tagged"]["ClusterId"] == "cluster-1"
    assert found["unknown-tag"][UNKNOWN] == [STRANGER]
    assert fullest(fetch).name == "filled"
    answer = next(of for of in all_layouts() if (of.name, of.version) == ("FetchResponse", 12))
    for case in cases(answer):
        for topic in json.loads(json.dumps(case.value))["Responses"]:
            (partition,) = topic["Partitions"]
            assert not {"DivergingEpoch", "SnapshotId"} & partition.keys()
            assert bool(partition["Records"]) == ("CurrentLeader" not in partition)
    topics = found["filled"]["Topics"]
    assert isinstance(topics, list)
    assert isinstance(topics[0], dict)
    assert topics[0]["Topic"] == "orders"


# Records, against those who made the checksums and against another reader.


# The test vectors.


@pytest.mark.parametrize("api", ["Fetch", "ApiVersions", "Produce", "Metadata"])
def test_vectors_are_of_the_schema_and_the_codec_reads_them(api: str) -> None:
    specs = embedded(f"{api}Request", f"{api}Response")
    shown = document(specs)
    given = json.loads(vectors_text(shown, embedded_headers()))
    schema = read_schema("vectors")
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(given)) == []
    assert given["vectors"] == json.loads(json.dumps(list(vectors(shown, embedded_headers()))))
    by_version = {(of.name, of.version): of for spec in specs for of in layouts(spec)}
    assert {(item["message"], item["version"]) for item in given["vectors"]} == set(by_version)
    assert len({item["id"] for item in given["vectors"]}) == len(given["vectors"])
    for item in given["vectors"]:
        of = by_version[item["message"], item["version"]]
        assert item["case"] in CASES
        assert decode(of, bytes.fromhex(item["body"])) == item["value"], item["id"]
        head = header_layout(item["type"], item["header_version"])
        assert of.header_version == item["header_version"]
        assert decode(head, bytes.fromhex(item["header"])) == item["header_value"], item["id"]


# The pages.


def foo_page() -> str:
    html = next(
        page.html
        for page in version_pages_of(document(foo()), KAFKA_PROTOCOL)
        if page.path == "api/foo/v9/"
    )
    return str(html)


def test_golden() -> None:
    html = foo_page()
    if os.environ.get("WIREBOOK_UPDATE"):
        GOLDEN.write_text(html + "\n", encoding="utf-8")
    assert html + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_each_byte_has_its_row_its_field_and_its_word_of_the_grammar() -> None:
    for page in version_pages_of(
        document(embedded("FetchRequest", "FetchResponse")), KAFKA_PROTOCOL
    ):
        html = str(page.html)
        ids = set(re.findall(r' id="([^"]+)"', html))
        grammar = "".join(re.findall(r'<pre class="wb-bnf" tabindex.*?</pre>', html, re.DOTALL))
        words = set(re.findall(r'data-f="(\w+)"', grammar))
        meanings = "".join(re.findall(r'<table class="wb-fields">.*?</table>', html, re.DOTALL))
        fields = set(re.findall(r'data-f="(\w+)"', meanings))
        ranges = re.findall(r'<a href="#([^"]+)" data-f="(\w+)" class="wb-p-(\w+)', html)
        assert len(ranges) > 20
        for row, key, part in ranges:
            assert row in ids
            assert f'<tr id="{row}" data-f="{key}">' in html
            row_html = html.partition(f'<tr id="{row}" ')[2].partition("</tr>")[0]
            inside = "Records.[" in row_html.replace("<wbr>", "") or "Records[" in row_html.replace(
                "<wbr>", ""
            )
            assert key in words or part == "frame" or inside, (page.path, row)
            assert key in fields or part != "body" or inside, (page.path, row)


def test_what_a_row_says_is_what_the_bytes_are() -> None:
    rows = re.findall(r'<tr id="request-\d+"[^>]*>(.*?)</tr>', foo_page())
    shown = [
        " ".join(unescape(re.sub(r"<[^>]+>", " ", row.replace("<wbr>", ""))).split())
        for row in rows
    ]
    assert shown[0] == "0 00 00 00 2b length INT32 43"
    assert shown[4:] == [
        "12 00 09 ClientId length, INT16 9",
        '14 6d 79 2d 63 6c 69 65 6e 74 ClientId NULLABLE_STRING "my-client"',
        "23 00 tagged fields number of tagged fields 0",
        "24 02 Foos count, UNSIGNED_VARINT 1 written as 2",
        "25 00 01 Foos[0].Baz INT16 1",
        "27 01 tagged fields of Foos[0] number of tagged fields 1",
        "28 00 Foos[0].Bar tag 0",
        "29 04 Foos[0].Bar size of the tagged field 4",
        "30 04 Foos[0].Bar length, UNSIGNED_VARINT 3 written as 4",
        '31 62 61 72 Foos[0].Bar COMPACT_STRING "bar"',
        "34 01 tagged fields number of tagged fields 1",
        "35 00 UserAgent tag 0",
        "36 0a UserAgent size of the tagged field 10",
        "37 0a UserAgent length, UNSIGNED_VARINT 9 written as 10",
        '38 6d 79 2d 63 6c 69 65 6e 74 UserAgent COMPACT_STRING "my-client"',
    ]


# The pages that explain, and the whole site.


def test_every_example_of_a_guide_is_what_its_heading_says() -> None:
    """The codec of the named message reads exactly these bytes; every range has its row."""
    heads = []
    for path in sorted((ROOT / "site_src").glob("*.md")):
        for number, found in enumerate(PLACE.finditer(path.read_text(encoding="utf-8"))):
            kind, head, text = found.groups()
            if kind != "bytes":
                continue
            data = bytes.fromhex(text)
            html = worked(head, data, f"x{number}")
            shown = re.search(r'<span class="wb-run">(.*?)</span>', html, re.DOTALL)
            assert shown is not None
            assert bytes.fromhex(re.sub(r"<[^>]+>", "", shown[1])) == data, (path.name, head)
            heads.append(head)
    assert len(heads) >= 25
    with pytest.raises(WireError):
        worked("FooRequest 9 frame", bytes.fromhex("00000003232800"), "x")


@pytest.mark.xdist_group("site")
def test_the_site_has_a_page_and_vectors_for_every_version() -> None:
    site = own_site()
    pages = read_pages(site)
    index = json.loads((site / "data" / "index.json").read_text(encoding="utf-8"))["apis"]
    for item in index:
        shown = json.loads(
            (site / "data" / "api" / f"{item['slug']}.json").read_text(encoding="utf-8")
        )
        for version in shown["versions"]:
            # The others have vectors only.
            is_api = item["kind"] == "api"
            assert (f"api/{item['slug']}/v{version['version']}/" in pages) is is_api
            if item["kind"] != "coordinator-key":
                assert (f"v{version['version']}/" in pages[f"api/{item['slug']}/"].links) is is_api
        given = json.loads(
            (site / "api" / item["slug"] / "vectors.json").read_text(encoding="utf-8")
        )
        assert given["schema"] == "wirebook/vectors/1"
        assert {vector["version"] for vector in given["vectors"]} == {
            version["version"] for version in shown["versions"]
        }
