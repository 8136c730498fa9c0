"""Statements of hand-written pages and of incidents about Kafka's specs: they hold in every release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest

from tests.kafka import own_message, read_kafka
from tests.specs.released_specs import release_order, releases, text, texts
from tests.support import ROOT, needs_shared
from wirebook.docgen.catalog.rows import slug_of
from wirebook.docgen.render.bytes.primer import field, tiny
from wirebook.docgen.render.pages.rulebook import incidents
from wirebook.specs.kafka.headers import header_layout
from wirebook.specs.model import Field
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import write_unsigned


def without_versions(fields: Sequence[Field]) -> Iterator[str]:
    """The names of fields whose spec leaves `versions` out."""
    for one in fields:
        if "versions" not in one.written.keys:
            yield one.name
        yield from without_versions(one.fields or ())


@needs_shared
def test_the_page_of_kip_482_lists_every_field_without_versions() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for release in releases():
        for path, digest in texts()[release]:
            try:
                message = read_kafka(text(digest), path)
            except InputError:
                continue
            fields = (
                *message.fields,
                *(field for struct in message.common_structs for field in struct.fields),
            )
            for name in without_versions(fields):
                found.setdefault((message.name, name), []).append(release)
    page = (ROOT / "site_src" / "kip-482.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| `versions` and `taggedVersions`"))
    assert {name: (held[0], held[-1]) for name, held in found.items()} == {
        ("FetchRequest", "ReplicaState"): ("3.5.0", "3.5.2"),
        ("TransactionLogValue", "PreviousProducerId"): ("4.0.0", "4.3.1"),
        ("TransactionLogValue", "NextProducerId"): ("4.0.0", "4.3.1"),
        ("TransactionLogValue", "ClientTransactionVersion"): ("4.0.0", "4.3.1"),
        ("TransactionLogValue", "NextProducerEpoch"): ("4.1.0", "4.3.1"),
        ("StreamsGroupMetadataValue", "LastAssignmentConfigs"): ("4.2.0", "4.3.1"),
    }
    assert "with six exceptions" in row
    for words in (
        "`ReplicaState` without `versions` in 3.5",
        "four fields of TransactionLogValue lack it since 4.0 and 4.1",
        "`LastAssignmentConfigs` of StreamsGroupMetadataValue since 4.2",
    ):
        assert words in row


@needs_shared
def test_the_records_of_the_preview_changed_when_the_incident_says() -> None:
    """Version 0 of each record of consumer groups, release by release, while the protocol was a preview."""
    changed: set[str] = set()
    before: dict[str, str] = {}
    for release in releases():
        if not (3, 5) <= release_order(release)[:2] < (4, 0):
            continue
        for path, digest in texts()[release]:
            name = path.rpartition("/")[2]
            if re.match(r"ConsumerGroup\w+Value\.json", name):
                now = layout(read_kafka(text(digest), path), 0).wire
                if before.setdefault(name, now) != now:
                    changed.add(release)
                before[name] = now
    assert changed == {"3.6.0", "3.8.0"}
    (story,) = (item.story for item in incidents().incidents if item.id == "preview-records")
    assert "added in 3.5, and their version 0 changed in 3.6 and in 3.8" in story


def interleaved(tag: int, length: int) -> bytes:
    """The tag header of a draft of KIP-482: even bits are the length, odd bits the tag."""
    number = sum((length >> bit & 1) << 2 * bit | (tag >> bit & 1) << 2 * bit + 1 for bit in range(31))
    out = bytearray()
    write_unsigned(out, number)
    return bytes(out)


def test_the_bytes_of_ideas_that_kip_482_left_are_right() -> None:
    page = (ROOT / "site_src" / "kip-482.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in page.splitlines()]
    shown = {row[1]: (row[2], row[3]) for row in rows if len(row) == 5}
    tagged = tiny(
        field("Baz", "INT16"), field("Bar", "COMPACT_STRING", tag=0, default=""), flexible=True
    ).encode({"Baz": 7, "Bar": "hi"})
    assert shown["Tagged section first"] == ((tagged[2:] + tagged[:2]).hex(" "), tagged.hex(" "))
    assert interleaved(5, 4).hex() == "32"
    assert "| `32` | `05 04` |" in page
    separate = bytearray()
    write_unsigned(separate, 5)
    write_unsigned(separate, 200)
    assert shown["The same for length 200"] == (interleaved(5, 200).hex(" "), separate.hex(" "))
    value = {"RequestApiKey": 1, "RequestApiVersion": 12, "CorrelationId": 1, "ClientId": "book"}
    header = codec(header_layout("request", 2)).encode(value)
    compact = header[:8] + b"\x05" + header[10:]
    (row,) = (line for line in page.splitlines() if line.startswith("| Request header 1"))
    assert f"| `{compact.hex(' ')}` | `{header.hex(' ')}` (header 2) |" in row


def test_the_tags_that_kip_35_rejected_have_the_bytes_that_the_page_gives() -> None:
    page = (ROOT / "site_src" / "kip-35.md").read_text(encoding="utf-8")
    for tag in ("broker.id=1", "aws.zone=eu-1a"):
        data = tiny(field("Tag", "STRING"), flexible=False).encode({"Tag": tag})
        assert f"`{data[:2].hex()} {data[2:].hex()}`" in page, tag


NOTES = {
    ("DescribeConfigsResponse", 0): ["ThrottleTimeMs", "Results"],
    ("AlterConfigsResponse", 0): ["ThrottleTimeMs", "Responses"],
    ("ListGroupsResponse", 0): ["ErrorCode", "Groups"],
    ("DescribeGroupsRequest", 0): ["Groups"],
    ("MetadataResponse", 2): ["Brokers", "ClusterId", "ControllerId", "Topics"],
    ("CreateTopicsRequest", 0): ["Topics", "timeoutMs"],
    ("CreateTopicsResponse", 0): ["Topics"],
    ("DeleteTopicsResponse", 0): ["Responses"],
    ("ApiVersionsRequest", 0): [],
    ("ApiVersionsResponse", 0): ["ErrorCode", "ApiKeys"],
}


@pytest.mark.parametrize(("message", "version"), NOTES)
def test_the_page_of_early_notes_compares_with_what_kafka_has(message: str, version: int) -> None:
    shown = [item.name for item in layout(own_message(message), version).fields]
    assert [name.lower() for name in shown] == [name.lower() for name in NOTES[message, version]]
    page = (ROOT / "site_src" / "appendix.md").read_text(encoding="utf-8")
    api = own_message(message).api
    assert f"[{api} {version}](api/{slug_of(api)}/index.md#v{version})" in page


def test_nullable_values_of_configurations_are_as_the_page_of_early_notes_says() -> None:
    for name, path in (
        ("DescribeConfigsResponse", "Results.Configs.Value"),
        ("AlterConfigsRequest", "Resources.Configs.Value"),
        ("CreateTopicsRequest", "Topics.Configs.Value"),
        ("DescribeConfigsRequest", "Resources.ConfigurationKeys"),
    ):
        found = {item.path: item for item in layout(own_message(name), 0).walk()}
        assert found[path].nullable, path


def test_the_names_of_the_notes_are_on_their_page() -> None:
    page = (ROOT / "site_src" / "appendix.md").read_text(encoding="utf-8")
    for name in (
        "topic_error_code", "create_topic_requests", "partition_error_code", "topic_error_codes",
        "replica_assignment", "KAFKA-3304", "KAFKA-3307", "KAFKA-2945", "KAFKA-2946", "KIP-4", "KIP-133",
        "KIP-40",
    ):  # fmt: skip
        assert name in page
