"""One protocol, and every kind of change to it that is known: which break somebody, and which do not.

Kafka's own checker lets 22 of 60 such breaks pass, and refuses 18 of 47 sound changes.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.kafka import read_kafka
from tests.rules.rule_examples import TABLES, tables_of
from wirebook.rules.engine import check
from wirebook.rules.finding import Severity
from wirebook.rules.pairs.tables import Tables, TablesPair
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

Spec = dict[str, Any]
Specs = dict[str, Spec]
Edit = Callable[[Specs], None]


def field(name: str, kind: str, versions: str, **more: Any) -> Spec:
    keys = {"nullable": "nullableVersions", "tagged": "taggedVersions", "flexible": "flexibleVersions"}
    return {"name": name, "type": kind, "versions": versions} | {keys.get(k, k): v for k, v in more.items()}


BASE: Specs = {
    "Foo": {
        "apiKey": 900, "type": "request", "name": "FooRequest", "listeners": ["broker", "controller"],
        "validVersions": "0-5", "deprecatedVersions": "0", "flexibleVersions": "3+",
        "commonStructs": [
            {"name": "Owner", "versions": "0+", "fields": [
                field("OwnerId", "int32", "0+"), field("Zone", "string", "2+")]},
        ],
        "fields": [
            field("Id", "int32", "0+", mapKey=False),
            field("Name", "string", "0+", nullable="2+", entityType="topicName"),
            field("Host", "string", "1-3"),
            field("Port", "uint16", "2+"),
            field("Rack", "string", "0+", nullable="0+", default="null", ignorable=True),
            field("Limit", "int64", "1+", default="7"),
            field("Flags", "[]int16", "0-2"),
            field("Codes", "[]int16", "3+"),
            field("Topics", "[]Topic", "0+", fields=[
                field("TopicName", "string", "0+", mapKey=True),
                field("Parts", "[]int32", "0+"),
                field("Leader", "Node", "1+", nullable="2+", fields=[
                    field("NodeHost", "string", "1+"), field("NodePort", "int32", "1+")]),
                field("Lag", "int64", "3+", tagged="3+", tag=0, default="-1"),
                field("Note", "string", "4+", tagged="4+", tag=1, nullable="4+", default="null"),
            ]),
            field("Raw", "bytes", "0+"),
            field("Data", "records", "1+", nullable="1+"),
            field("First", "Owner", "0+"),
            field("Second", "[]Owner", "0+"),
            field("Epoch", "int32", "3+", tagged="3+", tag=0, default="-1"),
            field("Cluster", "string", "3+", tagged="3+", tag=1, nullable="3+", default="null"),
            field("Mark", "int32", "3+", tagged="5+", tag=2),
            field("Peer", "Place", "4+", tagged="4+", tag=3, fields=[field("Where", "int32", "4+")]),
        ],
    },
    "FooAnswer": {
        "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-5",
        "flexibleVersions": "3+",
        "fields": [field("ThrottleTimeMs", "int32", "1+"), field("ErrorCode", "int16", "0+")],
    },
    "Asked": {
        "apiKey": 18, "type": "request", "name": "ApiVersionsRequest", "listeners": ["broker"],
        "validVersions": "0-2", "flexibleVersions": "none", "fields": [],
    },
    "Answered": {
        "apiKey": 18, "type": "response", "name": "ApiVersionsResponse", "validVersions": "0-2",
        "flexibleVersions": "none", "fields": [],
    },
    "State": {
        "type": "data", "name": "State", "validVersions": "0-1", "flexibleVersions": "1+",
        "fields": [field("Term", "int32", "0+"), field("Voter", "int32", "1+", tagged="1+", tag=0)],
    },
    "errors.json": {
        "errors": [
            {"code": code, "name": name, "retriable": False, "first_release": None, "about": "It."}
            for code, name in enumerate(("NONE", "BUSY", "COLD"))
        ],
    },
    "values.json": {
        "sets": [
            {
                "fields": ["FooRequest.Id", "State.Term"],
                "values": [
                    {"value": value, "name": name, "meaning": "It."}
                    for value, name in enumerate(("first", "last"))
                ],
            },
        ],
    },
}  # fmt: skip


def places(specs: Specs) -> dict[str, tuple[list[Spec], Spec]]:
    """Every field by its name, which is its own, with the list that it stands in."""
    found: dict[str, tuple[list[Spec], Spec]] = {}

    def visit(fields: list[Spec]) -> None:
        for item in fields:
            found[item["name"]] = (fields, item)
            visit(item.get("fields", []))

    for name, spec in specs.items():
        if name in TABLES:
            continue
        visit(spec["fields"])
        for struct in spec.get("commonStructs", []):
            visit(struct["fields"])
    return found


def put(name: str, /, **values: Any) -> Edit:
    """Set keys of a field, or of a message by the name of its file; None takes one out."""

    def edit(specs: Specs) -> None:
        node = specs[name] if name in specs else places(specs)[name][1]
        for key, value in values.items():
            node[key] = value
        for key in [key for key, value in node.items() if value is None and key != "default"]:
            del node[key]

    return edit


def drop(name: str) -> Edit:
    def edit(specs: Specs) -> None:
        fields, item = places(specs)[name]
        fields.remove(item)

    return edit


def add(before: str, item: Spec) -> Edit:
    """Put a new field before another."""

    def edit(specs: Specs) -> None:
        fields, other = places(specs)[before]
        fields.insert(fields.index(other), copy.deepcopy(item))

    return edit


def swap(first: str, second: str) -> Edit:
    def edit(specs: Specs) -> None:
        fields, item = places(specs)[first]
        other = places(specs)[second][1]
        here, there = fields.index(item), fields.index(other)
        fields[here : here + 1], fields[there : there + 1] = [other], [item]

    return edit


def gone(*names: str) -> Edit:
    def edit(specs: Specs) -> None:
        for name in names:
            del specs[name]

    return edit


def entry(number: int, /, **values: Any) -> Edit:
    """Set keys of an error code, or of a value from 100 on; None removes it."""

    def edit(specs: Specs) -> None:
        entries = specs["errors.json"]["errors"]
        if number >= 100:
            entries = specs["values.json"]["sets"][0]["values"]
        if values:
            entries[number % 100].update(values)
        else:
            del entries[number % 100]

    return edit


def both(**values: Any) -> tuple[Edit, Edit]:
    """Set keys of the request and of the response."""
    return put("Foo", **values), put("FooAnswer", **values)


NEW = both(validVersions="0-6")
EXTRA = field("Extra", "int32", "0+")
TAGGED = field("Extra", "int32", "3+", tagged="3+", tag=4)
WRAPPED = [field("Inner", "int16", "0+")]

BREAKING: dict[str, tuple[str, tuple[Edit, ...]]] = {
    # bytes: tags
    "a tag goes to another field": (
        "tag-reused",
        (drop("Epoch"), add("Cluster", TAGGED | {"tag": 0, "type": "string"})),
    ),
    "a tag goes to another field with a new version": (
        "tag-reused",
        (*NEW, drop("Epoch"), add("Cluster", field("Extra", "string", "6+", tagged="6+", tag=0))),
    ),
    "a tag of an inner struct goes to another field": (
        "tag-reused",
        (drop("Lag"), add("Note", field("Extra", "string", "3+", tagged="3+", tag=0))),
    ),
    "a tag changes": ("tag-changed", (put("Epoch", tag=4),)),
    "a tag of an inner struct changes": ("tag-changed", (put("Lag", tag=2),)),
    "two tags are swapped": ("tag-changed", (put("Epoch", tag=1), put("Cluster", tag=0))),
    "a tagged field becomes untagged": ("tagging-changed", (put("Epoch", tag=None, taggedVersions=None),)),
    "an untagged field becomes tagged": ("tagging-changed", (put("Codes", tag=4, taggedVersions="3+"),)),
    "an untagged field becomes tagged in the top version": (
        "tagging-changed",
        (put("Port", tag=4, taggedVersions="5+"),),
    ),
    "tagged versions reach down over untagged ones": ("tagging-changed", (put("Mark", taggedVersions="4+"),)),
    "tagged versions begin later": ("tagging-changed", (*NEW, put("Mark", taggedVersions="6+"))),
    "a tagged field reaches down": (
        "field-versions-changed",
        (put("Note", versions="3+", taggedVersions="3+", nullableVersions="3+"),),
    ),
    "a tagged field leaves a version": (
        "field-versions-changed",
        (put("Cluster", versions="4+", taggedVersions="4+", nullableVersions="4+"),),
    ),
    "a tagged field is removed": ("definition-deleted", (drop("Peer"),)),
    "the last tag of an inner struct is removed": ("definition-deleted", (drop("Note"),)),
    "a tag gets another name": ("tag-reused", (put("Epoch", name="LeaderEpoch"),)),
    "a tagged field joins inflexible versions": (
        "tagged-in-inflexible-version",
        (add("Peer", TAGGED | {"versions": "2+", "taggedVersions": "2+"}),),
    ),
    "a tagged field joins a message that is never flexible": (
        "tagged-in-inflexible-version",
        (lambda specs: specs["Asked"]["fields"].append(field("Extra", "int32", "2+", tagged="2+", tag=0)),),
    ),
    # bytes: types
    "a number loses its sign": ("type-changed", (put("Id", type="uint32"),)),
    "a number gets wider": ("type-changed", (put("Id", type="int64"),)),
    "a number gets narrower": ("type-changed", (put("Limit", type="int32"),)),
    "a number becomes a text": ("type-changed", (put("Id", type="string"),)),
    "a text becomes bytes": ("type-changed", (put("Host", type="bytes"),)),
    "a text becomes a uuid": ("type-changed", (put("Host", type="uuid"),)),
    "a tagged number gets wider": ("type-changed", (put("Epoch", type="int64"),)),
    "elements get another type": ("type-changed", (put("Parts", type="[]int64"),)),
    "a value becomes an array": ("type-changed", (put("Id", type="[]int32"),)),
    "an array becomes a value": ("type-changed", (put("Parts", type="int32"),)),
    "a struct becomes an array of it": ("type-changed", (put("First", type="[]Owner"),)),
    "a struct becomes a number": ("type-changed", (put("First", type="int32"),)),
    "elements become structs in flexible versions": (
        "type-changed",
        (put("Codes", type="[]Wrap", fields=WRAPPED),),
    ),
    "a field of a shared struct gets another type": ("type-changed", (put("OwnerId", type="int64"),)),
    # bytes: null
    "a text becomes nullable": ("nullability-changed", (put("Host", nullableVersions="1+"),)),
    "a text is no longer nullable": ("nullability-changed", (put("Name", nullableVersions=None),)),
    "null begins earlier": ("nullability-changed", (put("Name", nullableVersions="1+"),)),
    "null begins later": ("nullability-changed", (put("Name", nullableVersions="3+"),)),
    "null ends below the top": ("nullability-changed", (put("Name", nullableVersions="2-4"),)),
    "an array becomes nullable": ("nullability-changed", (put("Parts", nullableVersions="0+"),)),
    "records are no longer nullable": ("nullability-changed", (put("Data", nullableVersions=None),)),
    "a struct becomes nullable": ("nullability-changed", (put("First", nullableVersions="0+"),)),
    "a struct is no longer nullable": ("nullability-changed", (put("Leader", nullableVersions=None),)),
    "a tagged field becomes nullable": ("nullability-changed", (put("Peer", nullableVersions="4+"),)),
    # bytes: defaults
    "the default of a tagged field changes": ("default-changed", (put("Epoch", default="0"),)),
    "a tagged field gets a default": ("default-changed", (put("Mark", default="9"),)),
    "the default of an untagged field changes": ("default-changed", (put("Limit", default="8"),)),
    # bytes: fields
    "a field is added at the end": ("field-added-to-released-version", (add("Epoch", EXTRA),)),
    "a field is added at the beginning": ("field-added-to-released-version", (add("Id", EXTRA),)),
    "a field is added to the top version": (
        "field-added-to-released-version",
        (add("Raw", EXTRA | {"versions": "5+"}),),
    ),
    "a field is added to a shared struct": ("field-added-to-released-version", (add("Zone", EXTRA),)),
    "a field in the middle is removed": ("field-removed-from-released-version", (drop("Port"),)),
    "the last field is removed": ("field-removed-from-released-version", (drop("ErrorCode"),)),
    "a field of an inner struct is removed": ("field-removed-from-released-version", (drop("NodePort"),)),
    "two fields trade places": ("field-moved", (swap("Port", "Rack"),)),
    "two fields of one type trade places": ("field-moved", (swap("First", "Second"),)),
    "a field begins earlier": ("field-versions-changed", (put("Port", versions="1+"),)),
    "a field begins later": ("field-versions-changed", (put("Limit", versions="2+"),)),
    "a field ends": ("field-versions-changed", (put("Port", versions="2-4"),)),
    "a field that has ended comes back": ("field-versions-changed", (put("Host", versions="1+"),)),
    # bytes: flexible versions, header, what a message is
    "a version becomes flexible": ("flexible-versions-changed", (put("FooAnswer", flexibleVersions="2+"),)),
    "a version is no longer flexible": (
        "flexible-versions-changed",
        (put("FooAnswer", flexibleVersions="4+"),),
    ),
    "flexible versions go": ("flexible-versions-changed", (put("FooAnswer", flexibleVersions="none"),)),
    "flexible versions come": ("flexible-versions-changed", (put("Asked", flexibleVersions="2+"),)),
    "a length is no longer compact": (
        "field-flexible-versions-changed",
        (put("Name", flexibleVersions="none"),),
    ),
    "an API key changes": ("api-key-changed", both(apiKey=901)),
    "a response becomes data": ("message-type-changed", (put("FooAnswer", type="data"),)),
    # promises
    "ApiVersions is deprecated": ("api-versions-deprecated", (put("Asked", deprecatedVersions="0"),)),
    "ApiVersions is narrowed": ("api-versions-deprecated", (put("Asked", validVersions="1-2"),)),
    "an API is deleted": ("message-deleted", (gone("Foo", "FooAnswer"),)),
    "a record is deleted": ("message-deleted", (gone("State"),)),
    "a version goes that was never deprecated": ("lowest-version-raised", both(validVersions="2-5")),
    "a whole API goes that was never deprecated": ("lowest-version-raised", both(validVersions="none")),
    "the top version is taken back": ("highest-version-lowered", both(validVersions="0-4")),
    "a listener is withdrawn": ("listener-withdrawn", (put("Foo", listeners=["broker"]),)),
    "a request gets a version alone": ("partner-versions-differ", (put("Foo", validVersions="0-6"),)),
    "a response alone turns flexible": (
        "partner-versions-differ",
        (
            put("Asked", validVersions="0-3"),
            put("Answered", validVersions="0-3", flexibleVersions="3+"),
        ),
    ),
    "a stable version is called unstable": (
        "version-made-unstable",
        (put("Foo", latestVersionUnstable=True),),
    ),
}

BREAKING |= {
    "an error code gets another name": ("error-code-reused", (entry(1, name="LATE"),)),
    "two error codes are swapped": ("error-code-reused", (entry(1, code=2), entry(2, code=1))),
    "an error code gets another number": ("error-code-reused", (entry(2, code=9),)),
    "an error code is removed": ("error-code-removed", (entry(1),)),
    "the error codes after a removed one move up": ("error-code-reused", (entry(1), entry(1, code=1))),
    "a value gets another name": ("value-reused", (entry(100, name="next"),)),
    "a value gets another name in the top version": (
        "value-reused",
        (
            entry(100, versions="0-4"),
            lambda specs: specs["values.json"]["sets"][0]["values"].append(
                {"value": 0, "name": "next", "meaning": "It.", "versions": "5+"}
            ),
        ),
    ),
}

SOUND: dict[str, tuple[Edit, ...]] = {
    # a new version
    "a version is added": NEW,
    "two versions are added": both(validVersions="0-7"),
    "a field is added to a new version, at the end": (*NEW, add("Epoch", EXTRA | {"versions": "6+"})),
    "a field is added to a new version, at the beginning": (*NEW, add("Id", EXTRA | {"versions": "6+"})),
    "a field is added to a new version of an inner struct": (*NEW, add("Parts", EXTRA | {"versions": "6+"})),
    "a field is added to a new version of a shared struct": (*NEW, add("Zone", EXTRA | {"versions": "6+"})),
    "a struct is added to a new version": (
        *NEW,
        add("Raw", field("Extra", "[]More", "6+", fields=[field("Inside", "int8", "6+")])),
    ),
    "a field ends below a new version": (*NEW, put("Port", versions="2-5")),
    "a field of another type takes over": (
        *NEW,
        put("Id", versions="0-5"),
        add("Name", field("LongId", "int64", "6+")),
    ),
    "a field becomes nullable in a new version": (*NEW, put("Codes", nullableVersions="6+")),
    "a struct becomes nullable in a new version": (*NEW, put("First", nullableVersions="6+")),
    "a field is no longer nullable in a new version": (*NEW, put("Name", nullableVersions="2-5")),
    "a field becomes tagged in a new version": (*NEW, put("Port", taggedVersions="6+", tag=4)),
    "a message turns flexible with a new version": (
        put("State", validVersions="0-2"),
        put("Asked", validVersions="0-3", flexibleVersions="3+"),
        put("Answered", validVersions="0-3", flexibleVersions="3+"),
    ),
    "a field that ended comes back under another name": (
        *NEW,
        add("Port", field("HostName", "string", "6+")),
    ),
    # tags
    "a tagged field joins released flexible versions": (add("Epoch", TAGGED),),
    "a tagged field joins the top version": (add("Id", TAGGED | {"versions": "5+", "taggedVersions": "5+"}),),
    "a tagged field joins an inner struct": (add("Lag", TAGGED | {"tag": 2}),),
    "a tagged field joins a shared struct": (add("Zone", TAGGED | {"tag": 0}),),
    "a tagged field joins a tagged struct": (
        add("Where", TAGGED | {"tag": 0, "versions": "4+", "taggedVersions": "4+"}),
    ),
    "a tagged struct joins": (
        add("Epoch", TAGGED | {"type": "Extra", "fields": [field("Inside", "int8", "3+")]}),
    ),
    "a tagged field without versions joins": (
        add("Epoch", {k: v for k, v in TAGGED.items() if k != "versions"}),
    ),
    "a nullable tagged field joins": (
        add("Epoch", TAGGED | {"type": "string", "nullableVersions": "3+", "default": "null"}),
    ),
    "tagged fields stand in another order": (swap("Epoch", "Peer"),),
    "a tagged field stands among the others": (
        drop("Epoch"),
        add("Id", field("Epoch", "int32", "3+", tagged="3+", tag=0, default="-1")),
    ),
    # the end of versions
    "a request is deprecated": (put("Foo", deprecatedVersions="0-3"),),
    "a deprecated version goes": both(validVersions="1-5"),
    # the same in other words
    "a default is written as a number": (put("Limit", default=7),),
    "a default is written in hexadecimal": (put("Limit", default="0x7"),),
    "a default of nothing is written out": (put("Id", default="0"),),
    "JSON null is no default": (put("Id", default=None),),
    "a default that is read by nobody changes": (put("ErrorCode", default="-1"),),
    "a range ends at the top": (put("Port", versions="2-5"),),
    "flexible versions end at nothing": (put("Asked", flexibleVersions="9+"),),
    "the versions of what can be null say more": (put("Host", nullableVersions="4+"),),
    "a struct is shared that was not": (
        lambda specs: specs["Foo"]["commonStructs"].append(
            {"name": "Node", "versions": "1+", "fields": places(specs)["Leader"][1].pop("fields")}
        ),
    ),
    "elements become structs in inflexible versions": (
        put("Flags", type="[]Wrap", fields=[field("Inner", "int16", "0-2")]),
    ),
    "fields that share no version trade places": (swap("Flags", "Codes"),),
    "bytes become records": (put("Raw", type="records"),),
    # error codes and values
    "an error code is renamed": (entry(1, name="LATE", former_names=["BUSY"]),),
    "an error code is added": (
        lambda specs: specs["errors.json"]["errors"].append(
            {**specs["errors.json"]["errors"][0], "code": 3, "name": "DARK"}
        ),
    ),
    "an error code is deprecated": (entry(1, deprecated=True),),
    "a value gets another name in a new version": (
        *NEW,
        put("State", validVersions="0-6"),
        entry(100, versions="0-5"),
        lambda specs: specs["values.json"]["sets"][0]["values"].append(
            {"value": 0, "name": "next", "meaning": "It.", "versions": "6+"}
        ),
    ),
    "the description of a value changes": (entry(101, meaning="Something else."),),
    # names and words
    "a field is renamed": (put("Port", name="PortNumber"),),
    "a tagged field changes the case of its name": (put("Epoch", name="epoch"),),
    "a struct is renamed": (put("Topics", type="[]Subject"),),
    "an API is renamed": (
        put("Foo", name="BarRequest"),
        put("FooAnswer", name="BarResponse"),
        lambda specs: specs["values.json"]["sets"][0].update(fields=["BarRequest.Id", "State.Term"]),
    ),
    "a sentence is written": (put("Id", about="The number."),),
    "a field may be ignored": (put("Id", ignorable=True),),
    "an entity type is named": (put("TopicName", entityType="topicName"),),
    "a field is a key of its collection": (put("NodeHost", mapKey=True),),
    # files and messages
    "files are moved": (lambda specs: specs.update({"elsewhere/X": specs.pop("Foo")}),),
    "an API is added": (
        lambda specs: specs.update(
            {
                "Bar": specs["Foo"] | {"apiKey": 901, "name": "BarRequest"},
                "BarAnswer": specs["FooAnswer"] | {"apiKey": 901, "name": "BarResponse"},
            }
        ),
    ),
    "a record is added": (lambda specs: specs.update({"More": specs["State"] | {"name": "More"}}),),
    "ApiVersions gets a version": (put("Asked", validVersions="0-3"), put("Answered", validVersions="0-3")),
    "a listener is added": (put("Asked", listeners=["broker", "controller"]),),
}


def read(specs: Specs) -> Protocol:
    return Protocol.of(
        read_kafka(json.dumps(spec), f"{path}.json", strict=False)
        for path, spec in specs.items()
        if path not in TABLES
    )


def tables(specs: Specs, release: str = "") -> Tables:
    held = {path: json.dumps(spec).encode() for path, spec in specs.items() if path in TABLES}
    return tables_of(held)._replace(release=release)


def errors(*edits: Edit) -> list[tuple[str, str]]:
    """The errors of a change, twice the same: against the old side, and with it as a release."""
    new = copy.deepcopy(BASE)
    for edit in edits:
        edit(new)
    assert new != BASE
    found = [
        [
            item
            for item in check(read(BASE), read(new), baselines, tables=[pair])
            if item.severity is Severity.ERROR
        ]
        for baselines, pair in (
            ((), TablesPair(tables(BASE), tables(new))),
            (
                [Baseline("1.0.0", read(BASE))],
                TablesPair(tables(BASE), tables(new), (tables(BASE, "1.0.0"),)),
            ),
        )
    ]
    assert [item.rule for item in found[0]] == [item.rule for item in found[1]]
    return [(item.rule, item.message) for item in found[0]]


def test_the_protocol_is_right() -> None:
    assert [item.message for item in check(None, read(BASE)) if item.severity is not Severity.INFO] == []


@pytest.mark.share(2)
@pytest.mark.parametrize("change", BREAKING)
def test_a_break_is_refused(change: str) -> None:
    rule, edits = BREAKING[change]
    assert rule in [name for name, _ in errors(*edits)]


@pytest.mark.parametrize("change", SOUND)
def test_a_sound_change_is_accepted(change: str) -> None:
    assert errors(*SOUND[change]) == []


def test_there_are_more_changes_than_were_tried_before() -> None:
    assert len(BREAKING) >= 60
    assert len(SOUND) >= 47
