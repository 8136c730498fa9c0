"""Example messages: a value for each case of a layout, and its bytes by the codec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirebook.docgen.pages.headers import ProtocolHeaders
from wirebook.docgen.pages.shipped import shipped
from wirebook.specs.codec import UNKNOWN, decode, encode
from wirebook.specs.defaults import INTEGERS
from wirebook.specs.layout import Layout, LayoutField
from wirebook.specs.model import Json, MessageValue
from wirebook.specs.spans import WireError
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


# `numbers`, `words` and `bytes` are for what a field's name ends with, the longest first; `names`
# for a Name and `within` for a number in a struct; `entities` by entity type; `lists`; and fields
# that are `false`. `chosen` are values of Kafka's messages that names do not suggest, by path and
# versions.
_VALUES: dict[str, Any] = shipped("example_values.json")


@dataclass(frozen=True, slots=True)
class Case:
    """One example: its name (of CASES), the value as it is decoded, and the body."""

    name: str
    value: MessageValue
    body: bytes


def cases(layout: Layout) -> Iterator[Case]:
    """The examples of a layout (wirebook/layout/1), none twice. Raises WireError if it has none."""
    filled = _filled(layout, layout.fields, "", False)
    values = {
        "empty": _empty(layout.fields),
        "filled": filled,
        "tagged": _filled(layout, layout.fields, "", True),
    }
    if layout.flexible and not any(field.tag == STRANGER["tag"] for field in layout.fields):
        values["unknown-tag"] = {**filled, UNKNOWN: [STRANGER]}
    bodies: set[bytes] = set()
    for name, value in values.items():
        body = encode(layout, value)
        if body not in bodies:
            bodies.add(body)
            yield Case(name, decode(layout, body), body)


def header(layout: Layout, case: str, headers: ProtocolHeaders) -> Case | None:
    """The header of an example; None for messages without one, or if it cannot be written."""
    shape, roles = headers.before(layout), headers.fields
    if shape is None:
        return None
    facts: MessageValue = {
        roles.api_key: layout.api_key,
        roles.api_version: layout.version,
        roles.correlation_id: 1,
        roles.client_id: None if case == "empty" else "my-client",
    }
    value = _filled(layout, shape.fields, "", False)
    for field in shape.fields:
        # Headers of other protocols may have constants, too.
        fact = facts.get(field.name)
        if field.name in facts and (fact is not None or field.nullable):
            value[field.name] = fact
        elif field.default and field.tag is None:
            value[field.name] = field.default
    try:
        return Case(case, value, encode(shape, value))
    except WireError:
        return None


def _empty(fields: Sequence[LayoutField]) -> MessageValue:
    return {field.name: _default(field) for field in fields if field.tag is None}


def _default(field: LayoutField) -> Json:
    if field.nullable:
        return None
    if field.element:
        return []
    if field.fields is not None:
        return _empty(field.fields)
    # null may be the default, but not in this version.
    return "" if field.default is None else field.default


def _filled(
    layout: Layout, fields: Sequence[LayoutField], parent: str, tagged: bool
) -> MessageValue:
    return {
        field.name: _full(layout, field, parent, tagged)
        for field in fields
        if field.tag is None or tagged
    }


def _full(layout: Layout, field: LayoutField, parent: str, tagged: bool) -> Json:
    for place, chosen in _VALUES["chosen"].get(layout.name, {}).items():
        path, _, versions = place.partition(" ")
        if path == field.path and layout.version in Versions.parse(versions or "0+"):
            value: Json = chosen
            return value
    name = field.name.lower()
    if field.fields is not None:
        inner = _filled(layout, field.fields, name, tagged)
        return [inner] if field.element else inner
    if not field.element:
        return _scalar(layout, field, field.type, name, parent)
    if field.element == "INT32" and name in _VALUES["lists"]:
        listed: Json = _VALUES["lists"][name]
        return listed
    one = _scalar(layout, field, field.element, name, parent)
    is_number = isinstance(one, int) and not isinstance(one, bool)
    return [one, one + 1] if is_number else [one]  # type: ignore[operator]


def _scalar(layout: Layout, field: LayoutField, type_: str, name: str, parent: str) -> Json:
    kind, values = _kind(type_), _VALUES
    if kind == "BOOLEAN":
        return field.default is not True and (name not in values["false"] or field.tag is not None)
    if kind == "RECORDS":
        first = _FIRST_VERSIONS.get(layout.api, (0, 0))
        record: Json = values["records"][sum(layout.version >= version for version in first)]
        return record
    if kind == "BYTES":
        known: str | None = _by_ending(name, values["bytes"])
        return name.encode()[:8].hex() if known is None else known
    if kind == "STRING":
        return _string(field, name, parent)
    if kind in INTEGERS:
        return _number(field, kind, name, parent)
    return _UUID if kind == "UUID" else 0.5


def _number(field: LayoutField, kind: str, name: str, parent: str) -> int:
    values = _VALUES
    entity = values["entities"].get(field.entity_type)
    number = values["within"].get(f"{parent}.{name}") or values["numbers"].get(name)
    if number is None:
        number = entity if isinstance(entity, int) else _by_ending(name, values["numbers"])
    lowest, highest = INTEGERS[kind]
    if number is None or not lowest <= number <= highest:
        number = 1
    # A tagged field that has its default would not be written.
    return int(number) + (field.tag is not None and number == field.default)


def _string(field: LayoutField, name: str, parent: str) -> Json:
    values = _VALUES
    entity = values["entities"].get(field.entity_type)
    if isinstance(entity, str):
        return entity
    if name.endswith("errormessage") and name not in values["words"]:
        return None if field.nullable else ""
    if name == "name" and not entity:
        word: str = values["names"].get(parent, "orders" if "topic" in parent else "example")
        return word
    return _by_ending(name, values["words"]) or name[:24]


def _by_ending(name: str, table: Mapping[str, Any]) -> Any:
    """The value for the longest of the known words that a name ends with; None if there is none."""
    return table.get(max((word for word in table if name.endswith(word)), key=len, default=""))


def _kind(type_: str) -> str:
    return type_.removeprefix("COMPACT_").removeprefix("NULLABLE_")
