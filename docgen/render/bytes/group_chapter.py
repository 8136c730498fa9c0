"""The worked bytes of the page on consumer groups, each computed by the codec when the site is built."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from markupsafe import Markup

from wirebook.docgen.catalog.bnf import bnf_lines, bnf_title
from wirebook.docgen.render.bytes import record_vectors
from wirebook.docgen.render.bytes.batches import TIMESTAMP
from wirebook.docgen.render.bytes.examples import cases
from wirebook.docgen.render.bytes.hexview import HexPart, Keys, grammar_block
from wirebook.docgen.render.bytes.worked import explained, page_link, table
from wirebook.docgen.render.kit.environment import breakable
from wirebook.docgen.render.kit.links import anchor
from wirebook.specs.kafka.registry import embedded_path, embedded_protocol, read_embedded
from wirebook.specs.model import Message, MessageValue
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.embedded import EmbeddedMessages
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.spans import Span

GROUP = "billing"
_MEMBER = "my-client-1"
_PARTITIONS = 50  # of __consumer_offsets, unless offsets.topic.num.partitions changes it


def inserts() -> dict[str, str]:
    """HTML for the placeholders of the page, by name."""
    parts: dict[str, Callable[[], Markup]] = {
        "groups-subscription-versions": lambda: _versions("ConsumerProtocolSubscription"),
        "groups-subscription": lambda: _embedded("ConsumerProtocolSubscription", 3),
        "groups-assignment": lambda: _embedded("ConsumerProtocolAssignment", 3),
        "groups-join": _join,
        "groups-join-response": _join_response,
        "groups-sync": _sync,
        "groups-sync-response": _sync_response,
        "groups-partition": _partition,
        "groups-records": _records,
        "groups-offset-commit": lambda: _record("OffsetCommit", 3, _OFFSET_KEY, _OFFSET),
        "groups-group-metadata": lambda: _record("GroupMetadata", 3, {"group": GROUP}, _metadata()),
        "groups-current-assignment": _current_assignment,
    }
    return {name: str(make()) for name, make in parts.items()}


@cache
def spec(name: str) -> Message:
    """An embedded spec."""
    return read_embedded(embedded_path(name))


def _layout(name: str, version: int) -> Layout:
    return layout(spec(name), version)


def prefixed(version: int, of: Layout, value: MessageValue) -> bytes:
    """A message preceded by an INT16, as in fields of type bytes and in records."""
    return version.to_bytes(2, "big") + codec(of).encode(value)


# The embedded protocol


def _subscription() -> bytes:
    return record_vectors.message("ConsumerProtocolSubscription 3")


def _assignment() -> bytes:
    return record_vectors.message("ConsumerProtocolAssignment 3")


def _inner(data: bytes, of: Layout, word: str, path: str = "") -> Iterator[Span]:
    """The spans of a message preceded by an INT16, which is called `word`; paths begin with `path`."""
    dot = "." if path else ""
    number = int.from_bytes(data[:2], "big", signed=True)
    yield Span(0, 2, f"{path}{dot}{word}", f"{path}{dot}{word}", "value", "INT16", number)
    for span in codec(of).explain(data[2:]):
        moved = span.moved(2)
        name, field = (f"{path}{dot}{inner}".rstrip(".") for inner in (moved.path, moved.field))
        yield Span(moved.start, moved.end, name, field, moved.kind, moved.type, moved.value)


def _embedded(name: str, version: int) -> Markup:
    data = record_vectors.message(f"{name} {version}")
    of = _layout(name, version)
    prefix = f"grp-{anchor(name)}"
    part = HexPart(
        "body", f"{name} after its version, {len(data)} bytes", data, list(_inner(data, of, "Version"))
    )
    grammar = grammar_block(
        bnf_lines(bnf_title(name, "data", name, version), of.fields, False), "body", Keys(prefix)
    )
    return explained(prefix, f"{name} {version}, byte by byte", [part], grammar)


def _versions(name: str) -> Markup:
    message = spec(name)
    entries = {entry.version: entry for entry in message.history}
    rows: list[tuple[object, ...]] = []
    before: set[str] = set()
    for version in message.valid_versions:
        paths = [field.path for field in _layout(name, version).walk() if "." not in field.path]
        added = [path for path in paths if path not in before]
        before.update(paths)
        entry = entries.get(version)
        size = len(record_vectors.message(f"{name} {version}"))
        rows.append((version, entry.added if entry else "", ", ".join(added), size))
    return table(
        "Versions of the subscription", ("Version", "Since", "New fields", "Bytes of one subscription"), rows
    )


def _carrying(prefix: str, name: str, version: int, value: MessageValue) -> Markup:
    """A message, with the bytes of the messages in its fields explained."""
    of = _layout(name, version)
    data = codec(of).encode(value)
    spans = list(EmbeddedMessages(of.message, embedded_protocol()).explained(codec(of).explain(data)))
    part = HexPart("body", f"{name} {version}, the body: {len(data)} bytes", data, spans)
    return explained(prefix, f"{name} {version}, byte by byte", [part])


def _join() -> Markup:
    value: MessageValue = {
        "GroupId": GROUP,
        "SessionTimeoutMs": 45_000,
        "RebalanceTimeoutMs": 300_000,
        "MemberId": _MEMBER,
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": _subscription().hex()}],
    }
    return _carrying("grp-join", "JoinGroupRequest", 7, value)


def _join_response() -> Markup:
    value: MessageValue = {
        "GenerationId": 8,
        "ProtocolType": "consumer",
        "ProtocolName": "range",
        "Leader": _MEMBER,
        "MemberId": _MEMBER,
        "Members": [{"MemberId": _MEMBER, "Metadata": _subscription().hex()}],
    }
    return _carrying("grp-joined", "JoinGroupResponse", 7, value)


def _sync() -> Markup:
    value: MessageValue = {
        "GroupId": GROUP,
        "GenerationId": 8,
        "MemberId": _MEMBER,
        "ProtocolType": "consumer",
        "ProtocolName": "range",
        "Assignments": [{"MemberId": _MEMBER, "Assignment": _assignment().hex()}],
    }
    return _carrying("grp-sync", "SyncGroupRequest", 5, value)


def _sync_response() -> Markup:
    value: MessageValue = {
        "ProtocolType": "consumer",
        "ProtocolName": "range",
        "Assignment": _assignment().hex(),
    }
    return _carrying("grp-synced", "SyncGroupResponse", 5, value)


# What the coordinator stores


def java_hash(text: str) -> int:
    """What String.hashCode of Java returns."""
    number = 0
    units = text.encode("utf-16-be")
    for at in range(0, len(units), 2):
        number = (number * 31 + int.from_bytes(units[at : at + 2], "big")) & 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def partition_of(group: str) -> int:
    """The partition of __consumer_offsets that has a group: the coordinator is its leader."""
    hashed = java_hash(group)
    return (0 if hashed == -(1 << 31) else abs(hashed)) % _PARTITIONS


def _partition() -> Markup:
    rows = [
        (f'"{group}"', java_hash(group), partition_of(group)) for group in (GROUP, "payments", "my-group")
    ]
    return table(f"Of {_PARTITIONS} partitions", ("Group", "hashCode", "Partition"), rows)


@cache
def texts() -> dict[str, dict[str, str]]:
    """What each record of a coordinator is for, by the topic that it is in and its name."""
    path = Path(__file__).resolve().parent / "group_records.json"
    document: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _records() -> Markup:
    markup = Markup("")
    columns = ("Type", "Record", "Key", "Value", "What it is")
    for topic, records in texts().items():
        rows: list[tuple[int, Markup, Markup, Markup, str]] = []
        for name, about in records.items():
            key = spec(f"{name}Key")
            [version] = key.valid_versions
            fields = ", ".join(field.name for field in layout(key, version).fields)
            versions = str(spec(f"{name}Value").valid_versions)
            links = page_link(key.name, fields), page_link(f"{name}Value", f"version {versions}")
            rows.append((record_type(key), breakable(name), *links, about))
        markup += table(f"Records of {topic}", columns, sorted(rows), cards=True)
    return markup


def record_type(key: Message) -> int:
    """What the key of a record begins with: its API key; in specs from before there was one, its version."""
    [version] = key.valid_versions
    return version if key.api_key is None else key.api_key


_OFFSET_KEY: MessageValue = {"group": GROUP, "topic": "orders", "partition": 0}
_OFFSET: MessageValue = {"offset": 1045, "leaderEpoch": 5, "metadata": "", "commitTimestamp": TIMESTAMP}


def _metadata() -> MessageValue:
    member: MessageValue = {
        "memberId": _MEMBER,
        "clientId": "my-client",
        "clientHost": "/192.0.2.7",
        "rebalanceTimeout": 300_000,
        "sessionTimeout": 45_000,
        "subscription": _subscription().hex(),
        "assignment": _assignment().hex(),
    }
    return {
        "protocolType": "consumer",
        "generation": 8,
        "protocol": "range",
        "leader": _MEMBER,
        "currentStateTimestamp": TIMESTAMP,
        "members": [member],
    }


def _record(name: str, version: int, key: MessageValue, value: MessageValue) -> Markup:
    """The key and the value of a record, each preceded by its INT16."""
    key_of, value_of = _layout(f"{name}Key", 0), _layout(f"{name}Value", version)
    number_of = record_type(spec(f"{name}Key"))
    parts = []
    for title, part, of, number, example_value, word in (
        ("Key", "header", key_of, number_of, key, "type of the record"),
        ("Value", "body", value_of, version, value, "version of the value"),
    ):
        data = prefixed(number, of, example_value)
        parts.append(HexPart(part, f"{title}, {len(data)} bytes", data, list(_inner(data, of, word))))
    return explained(f"grp-{anchor(name)}", f"{name}, version {version} of the value", parts)


def _current_assignment() -> Markup:
    name = "ConsumerGroupCurrentMemberAssignment"
    [key] = [case.value for case in cases(_layout(f"{name}Key", 0).exported()) if case.name == "filled"]
    [value] = [case.value for case in cases(_layout(f"{name}Value", 0).exported()) if case.name == "filled"]
    return _record(name, 0, key, value)
