"""Example messages: a value for each case of a layout, and its bytes by the codec."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wirebook.docgen.pages.headers import EMBEDDED, ProtocolHeaders
from wirebook.docgen.pages.links import anchor
from wirebook.specs.codec import UNKNOWN, Codec, WireError, codec
from wirebook.specs.defaults import INTEGERS, ZERO_UUID
from wirebook.specs.exported import ExportedField, ExportedLayout
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.versions import Versions

CASES = {
    "empty": "Every field at its default, arrays empty, null wherever it is allowed",
    "filled": "Every field with a plausible value, without tagged fields",
    "tagged": "The same with its tagged fields",
    "unknown-tag": "The same with a tagged field that no version knows, which readers skip and "
    "keep",
}
STRANGER: dict[str, Json] = {"tag": 10_000, "data": "beef"}
_UUID = "6f1e2c3d-8a9b-4c5d-9e0f-a1b2c3d4e5f6"

# The first version whose records have magic 1, and the first one with magic 2 (KIP-32, KIP-98).
_FIRST_VERSIONS = {"Produce": (2, 3), "Fetch": (2, 4)}
_HOST = "server-1.example.org"


@cache
def _values() -> dict[str, Any]:
    """example_values.json.

    `numbers` and `words` are for what a field's name ends with, the longest first; `names` for a
    Name and `within` for a number in a struct; `entities` by entity type; `lists`; and fields that
    are `false`. `chosen` are values of Kafka's messages that names do not suggest, by path and
    versions.
    """
    path = Path(__file__).with_name("example_values.json")
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


@dataclass(frozen=True, slots=True)
class Case:
    """One example: its name (of CASES), the value as the codec gives it back, and the bytes of the
    body."""

    name: str
    value: MessageValue
    body: bytes


@dataclass(frozen=True, slots=True)
class ExampleHeader:
    """The header of an example; its codec explains its bytes."""

    version: int
    value: MessageValue
    data: bytes
    codec: Codec


def cases(
    layout: ExportedLayout, of: Codec | None = None, *, server: str = "server"
) -> Iterator[Case]:
    """The examples of a layout (wirebook/layout/1), none twice; `server` is the word for that side.

    Raises WireError if it has none.
    """
    of = of or codec(layout)
    bodies: set[bytes] = set()
    for name in CASES:
        value = _value(layout, name)
        if value is None:
            continue
        body = of.encode(_renamed(value, f"{anchor(server)}-1.example.org"))
        if body not in bodies:
            bodies.add(body)
            yield Case(name, of.decode(body), body)


def _renamed(value: Any, host: str) -> Any:
    """The value, with the host of a server named by the protocol's word for servers."""
    if isinstance(value, dict):
        return {key: _renamed(inner, host) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, host) for inner in value]
    return host if value == _HOST else value


def header(
    layout: ExportedLayout, name: str, headers: ProtocolHeaders = EMBEDDED
) -> ExampleHeader | None:
    """The header of an example; None for messages that have none, or one of which no layout is
    known."""
    shape = headers.shape(layout.type, layout.header_version)
    if shape is None:
        return None
    roles = headers.fields
    values: MessageValue = {
        roles.api_key: layout.api_key,
        roles.api_version: layout.version,
        roles.correlation_id: 1,
        roles.client_id: None if name == "empty" else "my-client",
    }
    if headers is EMBEDDED:
        names = {field.name for field in shape.codec.fields}
        values = {field: value for field, value in values.items() if field in names}
        return ExampleHeader(shape.version, values, shape.codec.encode(values), shape.codec)
    own = _filled(layout, shape.fields, "", False)
    for field in shape.fields:
        # Headers of other protocols may have constants, too.
        value = values.get(field.name)
        if field.name in values and (value is not None or field.nullable):
            own[field.name] = value
        elif field.default and field.name in own:
            own[field.name] = field.default
    try:
        return ExampleHeader(shape.version, own, shape.codec.encode(own), shape.codec)
    except WireError:
        return None


def _value(layout: ExportedLayout, case: str) -> MessageValue | None:
    """The value of a case; None if the layout has nothing for it to show."""
    fields = layout.fields
    if case == "empty":
        return _empty(fields)
    if case == "unknown-tag":
        if not layout.flexible or any(field.tag == STRANGER["tag"] for field in fields):
            return None
        return _filled(layout, fields, "", False) | {UNKNOWN: [STRANGER]}
    return _filled(layout, fields, "", case == "tagged")


def _empty(fields: Sequence[ExportedField]) -> MessageValue:
    return {field.name: _default(field) for field in fields if field.tag is None}


def _default(field: ExportedField) -> Json:
    if field.nullable:
        return None
    if field.element:
        return []
    if field.fields is not None:
        return _empty(field.fields)
    if field.default is None:
        return ""  # null is its default, but not in this version
    return field.default


def _filled(
    layout: ExportedLayout, fields: Sequence[ExportedField], parent: str, tagged: bool
) -> MessageValue:
    return {
        field.name: _full(layout, field, parent, tagged)
        for field in fields
        if field.tag is None or tagged
    }


def _full(layout: ExportedLayout, field: ExportedField, parent: str, tagged: bool) -> Json:
    for place, value in _values()["chosen"].get(layout.message, {}).items():
        path, _, versions = place.partition(" ")
        known = path == field.path and layout.version in Versions.parse(versions or "0+")
        # A message of another protocol may have the same name.
        if known and _fits(field, value):
            chosen: Json = value
            return chosen
    name = field.name.lower()
    if field.fields is not None:
        inner = _filled(layout, field.fields, name, tagged)
        return [inner] if field.element else inner
    if name in _values()["lists"] and field.element == "INT32":
        listed: Json = _values()["lists"][name]
        return listed
    if not field.element:
        return _scalar(layout, field, field.type, name, parent)
    one = _scalar(layout, field, field.element, name, parent)
    if isinstance(one, bool) or not isinstance(one, int):
        return [one]
    return [one, one + 1]


def _scalar(
    layout: ExportedLayout, field: ExportedField, type_: str, name: str, parent: str
) -> Json:
    kind = type_.removeprefix("COMPACT_").removeprefix("NULLABLE_")
    if kind == "BOOLEAN":
        return field.default is not True and (
            name not in _values()["false"] or field.tag is not None
        )
    if kind == "UUID":
        return _UUID
    if kind == "RECORDS":
        record: Json = _values()["records"][_magic(layout)]
        return record
    if kind == "BYTES":
        return _bytes(layout, name)
    if kind == "STRING":
        return _string(field, name, parent)
    if kind == "FLOAT64":
        return 0.5
    return _number(field, kind, name, parent)


def _number(field: ExportedField, kind: str, name: str, parent: str) -> Json:
    numbers = _values()["numbers"]
    entity = _values()["entities"].get(field.entity_type or "")
    number: Json = _values()["within"].get(f"{parent}.{name}") or numbers.get(
        name, entity if isinstance(entity, int) else None
    )
    if number is None:
        number = numbers.get(_ending(name, numbers), 1)
    if name == "replicaid" and not parent:
        number = -1  # a client that fetches is not a replica
    assert isinstance(number, int)
    lowest, highest = INTEGERS[kind]
    if not lowest <= number <= highest:
        number = 1
    # A tagged field that has its default would not be written.
    return number if field.tag is None or number != field.default else number + 1


def _string(field: ExportedField, name: str, parent: str) -> Json:
    entity = _values()["entities"].get(field.entity_type or "")
    if isinstance(entity, str):
        return entity
    if name.endswith("errormessage") and name not in _values()["words"]:
        return None if field.nullable else ""
    if name == "name" and not entity:
        return _values()["names"].get(parent, "orders" if "topic" in parent else "example")
    return _values()["words"].get(_ending(name, _values()["words"])) or name[:24]


def _bytes(layout: ExportedLayout, name: str) -> str:
    """Bytes in hex; members of groups exchange the subscription and the assignment of a topic."""
    if name == "authbytes":
        return b"\0alice\0secret".hex() if layout.type == "request" else ""
    if name.endswith(("assignment", "metadata")):
        return str(_values()["assignment" if name.endswith("assignment") else "subscription"])
    return name.encode()[:8].hex()


def _fits(field: ExportedField, value: Json) -> bool:
    """Whether a field can have a value, by its type."""
    if value is None:
        return field.nullable
    if isinstance(value, list):
        return field.element is not None and all(_fits_type(field.element, each) for each in value)
    return field.element is None and _fits_type(field.type, value)


def _fits_type(wire_type: str, value: Json) -> bool:
    kind = wire_type.removeprefix("COMPACT_").removeprefix("NULLABLE_")
    if isinstance(value, bool):
        return kind == "BOOLEAN"
    if isinstance(value, int):
        return kind in INTEGERS and INTEGERS[kind][0] <= value <= INTEGERS[kind][1]
    return kind == {ZERO_UUID: "UUID", "0a00": "BYTES"}.get(str(value), "STRING")


def _ending(name: str, words: Mapping[str, Any]) -> str:
    """The longest of the known words that a name ends with; "" if none."""
    return max((word for word in words if name.endswith(word)), key=len, default="")


def _magic(layout: ExportedLayout) -> int:
    """The format of the records that a version carries (KIP-32, KIP-98)."""
    first = _FIRST_VERSIONS.get(layout.api, (0, 0))
    return sum(layout.version >= version for version in first)


__all__ = ["CASES", "Case", "ExampleHeader", "WireError", "cases", "header"]
