"""What executors make of one text: its rows, and how its versions stand at each ApiVersion."""

from __future__ import annotations

import json

import pytest

from tests.docgen.histories import Spec, field, request, text_of
from wirebook.docgen.catalog.errors import ErrorCode, described_errors, error_events, error_record, listed
from wirebook.docgen.catalog.fields import anchor_of
from wirebook.docgen.catalog.order import CatalogSnapshot
from wirebook.docgen.catalog.records import Event, Since
from wirebook.docgen.catalog.rows import CatalogLevels, TextRow, slug_of, text_row, unpack
from wirebook.specs.kafka.registry import load_registry
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.reading.reader import read_message
from wirebook.specs.subjects import subject_of

REGISTRY = Registry(tuple(ApiVersion(number, f"1.{number}-IV0", f"1.{number}") for number in range(6)))
# A snapshot for each level.
EACH_LEVEL = CatalogLevels(REGISTRY, {level.id: level.id for level in REGISTRY.api_versions})


def row_of(spec: Spec | str, levels: CatalogLevels | None = None) -> TextRow:
    return text_row("0" * 40, "FooRequest.json", text_of(spec), levels)


def offered(row: TextRow) -> list[tuple[list[int], list[int], list[int]]]:
    """By ApiVersion: the versions that are valid, deprecated and unstable."""
    assert row.states is not None
    assert row.states_at is not None
    states = {state.state: (state.valid, state.deprecated, state.unstable) for state in row.states}
    return [states[number] for _, number in sorted(row.states_at, key=lambda pair: pair[0] or 0)]


def test_a_text_of_a_release_stands_as_it_is_written() -> None:
    spec = request("Foo", 7, "1-3", field("A"), deprecatedVersions="0-1", latestVersionUnstable=True)
    row = row_of(spec)
    assert row.error is None
    assert (row.subject, row.part, row.api, row.api_key) == ("api:7", "request", "Foo", 7)
    assert row.states_at == [(None, 0)]
    assert offered(row) == [([1, 2, 3], [1], [3])]
    assert row.model is not None
    assert unpack(row.model) == read_message(text_of(spec), "FooRequest.json")


def test_a_broken_text_says_where() -> None:
    row = row_of('{\n "name": "FooRequest",\n "type" }')
    assert row.error is not None
    assert row.error.startswith("FooRequest.json:3:")
    assert row.subject is None


def test_a_text_that_cannot_be_laid_out_says_where() -> None:
    row = row_of(request("Foo", 7, "0", field("A", "Nowhere")))
    assert row.error is not None
    assert "Nowhere" in row.error
    assert row.error.startswith("FooRequest.json:")


def test_fields_that_are_laid_out_alike_share_a_row_with_their_versions_and_places() -> None:
    row = row_of(
        request("Foo", 7, "0-2", field("Late", versions="1+"), field("A", "string"), flexibleVersions="2+")
    )
    assert row.fields is not None
    found = {(item.path, item.type): (item.versions, item.places) for item in row.fields}
    assert found == {
        ("A", "STRING"): ([0, 1], [0, 1]),
        ("Late", "INT32"): ([1, 2], [0, 0]),
        ("A", "COMPACT_STRING"): ([2], [1]),
    }


def test_history_says_how_versions_stood_at_each_api_version() -> None:
    history = [
        {
            "version": 0,
            "added": "1.0-IV0",
            "deprecated": "1.1-IV0",
            "removed": "1.3-IV0",
            "returned": "1.4-IV0",
        },
        {"version": 1, "added": "1.2-IV0", "deprecated": "1.3-IV0", "undeprecated": "1.5-IV0"},
    ]
    row = row_of(request("Foo", 7, "0-1", field("A"), history=history), EACH_LEVEL)
    assert offered(row) == [
        ([0], [], []),
        ([0], [0], []),
        ([0, 1], [0], []),
        ([1], [1], []),
        ([0, 1], [0, 1], []),
        ([0, 1], [0], []),
    ]


def test_without_a_history_all_versions_always_were() -> None:
    row = row_of(request("Foo", 7, "0-1", field("A")), EACH_LEVEL)
    assert row.states_at == [(None, 0)]
    assert offered(row) == [([0, 1], [], [])]


def test_an_api_version_that_the_registry_lacks_is_an_error_with_its_place() -> None:
    spec = request("Foo", 7, "0", field("A"), history=[{"version": 0, "added": "9.9-IV9"}])
    row = row_of(json.dumps(spec, indent=1), EACH_LEVEL)
    assert row.error is not None
    assert '"9.9-IV9" is not an ApiVersion of the registry' in row.error
    assert row.error.startswith("FooRequest.json:")


@pytest.mark.parametrize("name", ["A\x1f9\x1f9", "A\0", "A, B", "<b>", "a-b", "../../etc"])
def test_names_that_are_no_identifiers_are_refused_as_by_the_check(name: str) -> None:
    struct = field("In", "[]Thing") | {"fields": [field(name)]}
    typed = field("In", f"[]{name}") | {"fields": [field("A")]}
    common = {"commonStructs": [{"name": name, "versions": "0+", "fields": [field("A")]}]}
    named = request("Foo", 7, "0") | {"name": f"{name}Request"}
    for spec in (request("Foo", 7, "0", field(name)), request("Foo", 7, "0", struct),
                 request("Foo", 7, "0", typed), request("Foo", 7, "0", **common), named):  # fmt: skip
        error = row_of(spec).error
        assert error is not None
        assert error.startswith("FooRequest.json:")
        assert name in error
        assert "identifier" in error or "nor the name of a struct" in error


def test_what_is_the_same_in_another_snapshot() -> None:
    def subject(**more: object) -> str:
        spec = {"name": "ThingValue", "type": "data", "validVersions": "0", "fields": [], **more}
        return subject_of(read_message(text_of(spec), "x.json"))

    assert subject() == subject(type="coordinator-value", apiKey=3) == "message:ThingValue"
    assert subject(type="request", apiKey=3) == subject(type="response", apiKey=3, name="Other") == "api:3"
    assert subject(type="request") == "api:ThingValue"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Fetch", "fetch"),
        ("ListOffsets", "list-offsets"),
        ("ApiVersions", "api-versions"),
        ("SaslHandshake", "sasl-handshake"),
        ("AlterIsr", "alter-isr"),
        ("HTTPServer2Go", "http-server2-go"),
        ("CreateACLs", "create-acls"),
        ("AllocateIDsOfACLsNow", "allocate-ids-of-acls-now"),
        ("HTTPSsl", "http-ssl"),
        ("URLShared", "url-shared"),
        ("DescribeQuorum_v2", "describe-quorum-v2"),
        ("../../etc", "etc"),
        ("<b>", "b"),
        ("!", "unnamed"),
    ],
)
def test_slugs(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_anchors() -> None:
    assert anchor_of("Topics.Partitions.LogStartOffset") == "topics-partitions-logstartoffset"
    assert anchor_of('A"><b>') == "a-b"


CODES = [ErrorCode(-1, "UNKNOWN", None), ErrorCode(0, "NONE", "0.9.0"), ErrorCode(5, "LATE", "1.2")]


def test_every_snapshot_knows_the_error_codes_of_its_release() -> None:
    snapshots = [
        CatalogSnapshot(0, "1.1.0", "release", None, True),
        CatalogSnapshot(1, "1.1.1", "release", 0, False),
        CatalogSnapshot(2, "1.2", "release", 0, True, release="1.2"),
        CatalogSnapshot(3, "1.10.0", "release", 2, True),
    ]
    happened = {(row.part, row.version, row.event, row.ordinal) for row in error_events(CODES, snapshots)}
    assert happened == {("UNKNOWN", -1, "added", 0), ("NONE", 0, "added", 0), ("LATE", 5, "added", 2)}


def test_an_error_code_tells_the_release_that_the_registry_file_names() -> None:
    assert error_record(CODES[2], REGISTRY).events == (Event("added", Since("1.2-IV0", 2, "1.2", False)),)
    assert error_record(CODES[0], REGISTRY).events[0].since.at_or_before is True


def test_the_embedded_error_codes_can_be_read() -> None:
    codes = {code.name: code for code in listed(described_errors())}
    assert codes["NONE"].code == 0
    assert {error.name: error.code for error in described_errors()} == {
        c.name: c.code for c in codes.values()
    }
    assert load_registry().of_release(str(codes["FENCED_LEADER_EPOCH"].first_release)) is not None
