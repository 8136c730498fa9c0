"""The page on consumer groups: its marks are filled, its bytes are those of Java and of the specs."""

from __future__ import annotations

import re

import pytest

from tests.support import ROOT
from wirebook.docgen.render.bytes import group_chapter, record_vectors
from wirebook.docgen.render.bytes.batches import assignment, subscription
from wirebook.docgen.render.bytes.group_chapter import (
    java_hash,
    partition_of,
    prefixed,
    record_type,
    spec,
    texts,
)
from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import layout

PAGE = (ROOT / "site_src" / "groups.md").read_text(encoding="utf-8")

SUBSCRIPTION = {
    "Topics": ["orders", "payments"],
    "UserData": "01",
    "OwnedPartitions": [{"Topic": "orders", "Partitions": [0, 2]}],
    "GenerationId": 7,
    "RackId": "rack-a",
}
ASSIGNMENT = {"AssignedPartitions": [{"Topic": "orders", "Partitions": [0, 1]}]}


def test_every_mark_is_filled_and_every_insert_used() -> None:
    inserts = group_chapter.inserts()
    assert set(re.findall(r"<!-- wirebook: ([\w-]+) -->", PAGE)) == set(inserts)
    assert all(inserts.values())


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize(
    ("name", "value"),
    [("ConsumerProtocolSubscription", SUBSCRIPTION), ("ConsumerProtocolAssignment", ASSIGNMENT)],
)
def test_subscriptions_and_assignments_are_those_of_java(
    name: str, value: dict[str, object], version: int
) -> None:
    of = layout(spec(name), version)
    data = record_vectors.message(f"{name} {version}")
    assert prefixed(version, of, value) == data
    read = codec(of).decode(data[2:])
    assert read == {field.name: value.get(field.name) for field in of.fields}


def test_the_bytes_of_examples_are_a_subscription_and_an_assignment() -> None:
    first = layout(spec("ConsumerProtocolSubscription"), 0)
    assert codec(first).decode(subscription("orders")[2:]) == {"Topics": ["orders"], "UserData": None}
    second = layout(spec("ConsumerProtocolAssignment"), 0)
    read = codec(second).decode(assignment("orders")[2:])
    assert read["AssignedPartitions"] == [{"Topic": "orders", "Partitions": [0]}]


def test_an_older_reader_reads_the_beginning_of_a_newer_subscription() -> None:
    newest = record_vectors.message("ConsumerProtocolSubscription 3")[2:]
    for version in range(4):
        of = layout(spec("ConsumerProtocolSubscription"), version)
        value, end = codec(of).decode_from(newest)
        assert value == {field.name: SUBSCRIPTION[field.name] for field in of.fields}
        assert (end == len(newest)) == (version == 3)


# As String.hashCode of Java prints them.
@pytest.mark.parametrize(
    ("text", "hashed"),
    [("", 0), ("a", 97), ("hello", 99162322), ("polygenelubricants", -(2**31)), ("é😀", 1996812)],
)
def test_the_hash_is_that_of_java(text: str, hashed: int) -> None:
    assert java_hash(text) == hashed


def test_the_smallest_number_has_no_absolute_value() -> None:
    assert partition_of("polygenelubricants") == 0
    assert partition_of("hello") == 99162322 % 50


def test_every_record_of_a_coordinator_is_on_the_page_by_its_number() -> None:
    specs = {path.stem.removesuffix("Key") for path in embedded_source().rglob("*Key.json")}
    assert {name for records in texts().values() for name in records} == specs
    for records in texts().values():
        numbers = [record_type(spec(f"{name}Key")) for name in records]
        assert len(numbers) == len(set(numbers))


def test_the_table_of_versions_says_what_each_adds() -> None:
    html = str(group_chapter._versions("ConsumerProtocolSubscription"))
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)[1:]
    found = [
        [re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in rows
    ]
    assert [(row[0], row[2]) for row in found] == [
        ("0", "Topics, UserData"),
        ("1", "OwnedPartitions"),
        ("2", "GenerationId"),
        ("3", "RackId"),
    ]
