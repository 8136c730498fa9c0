"""What drafts of KIP-35 proposed: specs that are laid out and encoded like any other, and their pages."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.support import ROOT
from wirebook.docgen.render.pages.proposals import (
    FrameExample,
    comparison,
    examples,
    linked,
    proposal_pages,
    proposals,
    specs_of,
)
from wirebook.specs.kafka.registry import FOLDER, embedded_path, embedded_paths
from wirebook.specs.model import Message
from wirebook.specs.reading.reader import read_message
from wirebook.specs.sources.source import open_source
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout, layouts

SLUGS = [proposal.slug for proposal in proposals()]
HEADER = "00000001 0004 626f6f6b"  # correlation id 1, client id "book"
# Written by hand from the words of the drafts: the length of the frame, the header, the body.
BYTES = {
    "The answer to request 7": "00000004 00000007",
    "A request for only the ApiVersion": f"00000012 0003 0001 {HEADER} ffffffff",
    "The answer of a broker of ApiVersion 4": "0000002a 00000001 0004 000a 302e31302e302d495630 "
    "00000001 00000001 0006 6b61666b6131 00002384 00000000",
    "The request": f"0000000e 0012 0000 {HEADER}",
    "The draft's own example": "00000063 00000001 00000003"
    "0000 000e 50726f6475636552657175657374 00000003 0000 0001 0002 00000000"
    "0001 000c 466574636852657175657374 00000002 0000 0001 00000000"
    "0002 000d 4f666673657452657175657374 00000001 0002 00000002 0000 0001",
    "A request for Produce and Fetch": f"00000016 0012 0000 {HEADER} 00000002 0000 0001",
    "A request for all keys": "00000012 0012 0000 00000002 0004 626f6f6b ffffffff",
    "The answer": "00000014 00000001 00000002 0000 0000 0003 0001 0002 0003",
}


def all_specs() -> list[Message]:
    return [message for slug in SLUGS for message in specs_of(slug)]


def test_every_proposal_has_its_specs_and_the_other_way_round() -> None:
    assert sorted(SLUGS) == sorted(path.name for path in (FOLDER / "proposals").iterdir())
    assert all(specs_of(slug) for slug in SLUGS)


def test_specs_are_sound_and_of_the_schema() -> None:
    schema = json.loads((ROOT / "specs" / "schema" / "message.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    for message in all_specs():
        assert message.problems == ()
        text = (ROOT / message.path).read_text(encoding="utf-8")
        bare = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
        assert list(validator.iter_errors(json.loads(bare))) == [], message.name
        assert all(field.about for field in message.fields), message.name


def test_none_of_them_is_part_of_the_embedded_protocol() -> None:
    embedded = {path.name for path in embedded_paths()}
    ours = {message.name for message in all_specs()}
    assert {name for name in ours if f"{name}.json" in embedded} == {"MetadataRequest", "MetadataResponse"}
    # Nor is any read where the folder that holds both is a source: their keys would stand there twice.
    read = {text.path for text in open_source(str(FOLDER)).texts()}
    assert "messages/FetchRequest.json" in read
    assert not [path for path in read if "proposal" in path]


def test_version_0_of_metadata_is_kafkas() -> None:
    brokers = [{"NodeId": 1, "Host": "h", "Port": 9092}]
    partitions = [
        {"ErrorCode": 0, "PartitionIndex": 7, "LeaderId": 1, "ReplicaNodes": [1, 2], "IsrNodes": [1]}
    ]
    topics = [{"ErrorCode": 3, "Name": "t", "Partitions": partitions}]
    filled: dict[str, object] = {"Brokers": brokers, "Topics": topics}
    values: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "MetadataRequest": ({"Topics": ["t"]}, {"Topics": [{"Name": "t"}]}),
        "MetadataResponse": (filled, filled),
    }
    for message in specs_of("metadata-api-version"):
        path = embedded_path(message.name)
        kafka = read_message(path.read_bytes(), path.name)
        ours, theirs = values[message.name]
        assert codec(layout(message, 0)).encode(ours) == codec(layout(kafka, 0)).encode(theirs)
        # The request of version 1 has Kafka's layout and another meaning; the response is another one.
        same = layout(message, 1).fingerprint == layout(kafka, 1).fingerprint
        assert same == (message.type == "request")


@pytest.mark.parametrize("slug", SLUGS)
def test_examples_are_the_bytes_that_the_drafts_describe(slug: str) -> None:
    proposal = next(item for item in proposals() if item.slug == slug)
    for example in examples(proposal):
        assert example.frame.hex() == BYTES[example.title].replace(" ", ""), example.title
        # Every byte is explained once, in order.
        assert "".join(piece.hex.replace(" ", "") for piece in example.pieces) == example.frame.hex()


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_encoded_is_decoded_again(slug: str) -> None:
    proposal = next(item for item in proposals() if item.slug == slug)
    known = {message.name: message for message in specs_of(slug)}
    for item in proposal.examples:
        made = codec(layout(known[item.message], item.version))
        assert made.decode(made.encode(item.value)) == item.value
    for message in specs_of(slug):
        for each in layouts(message):
            value = codec(each).decode(codec(each).encode({}))
            assert codec(each).encode(value) == codec(each).encode({})


def test_pages_say_what_they_promise() -> None:
    pages = {page.path: page for page in proposal_pages()}
    assert set(pages) == {"proposals/", *(f"proposals/{slug}/" for slug in SLUGS)}
    for path, page in pages.items():
        for heading in page.headings:
            assert f'id="{heading.id}"' in page.html, path
        assert "{comparison}" not in page.html
        assert "](" not in page.html
    assert "never part of Kafka" in pages["proposals/empty-response/"].html
    assert "00 00 00 07" in pages["proposals/empty-response/"].html


def test_the_comparison_is_counted() -> None:
    assert comparison().startswith("for the 19 APIs of a 0.10.0 broker the draft's response has ")
    draft, kafka = (int(number.replace(",", "")) for number in re.findall(r"has ([0-9,]+)", comparison())[:2])
    assert kafka == 2 + 4 + 19 * 6  # an error code, a count, and three INT16 for each
    assert draft > 5 * kafka


def test_links_are_written_from_the_root_and_text_stays_text() -> None:
    made = linked("a <b> [c](kip-35/) `d`", "../../")
    assert made == 'a &lt;b&gt; <a href="../../kip-35/">c</a> <code>d</code>'


def test_bytes_are_shown_in_groups_of_four_from_the_front() -> None:
    assert FrameExample("", "", 0, bytes(range(10)), ()).hex == "00010203 04050607 0809"
