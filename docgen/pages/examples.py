"""Example messages: a value for each case of a layout, and its bytes by the codec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    "tagged": "Plausible values, with tagged fields",
    "unknown-tag": "Every field with a plausible value, and a tagged field that no version knows, "
    "which readers skip and keep",
}
STRANGER: dict[str, Json] = {"tag": 10_000, "data": "beef"}
_UUID = "6f1e2c3d-8a9b-4c5d-9e0f-a1b2c3d4e5f6"

# For each type, values by the name of a field, by its entity type ("@"), and by how its place such
# as "topics.name" ends, the longest ending first. `chosen` are values of Kafka's messages that
# names do not suggest, by path and versions; those of "NAME tagged" are of the case with tagged
# fields.
_VALUES: dict[str, Any] = shipped("example_values.json")


@dataclass(frozen=True, slots=True)
class Case:
    """One example: its name (of CASES), the value as it is decoded, and the body."""

    name: str
    value: MessageValue
    body: bytes


def cases(layout: Layout) -> Iterator[Case]:
    """The examples of a layout (wirebook/layout/1), none twice. Raises WireError if it has none."""
    filled = _filled(layout, layout.fields)
    values = {"empty": _empty(layout.fields), "filled": filled}
    if any(field.tag is not None for field in layout.walk()):
        values["tagged"] = _filled(layout, layout.fields, tagged=True)
    if layout.flexible and not any(field.tag == STRANGER["tag"] for field in layout.fields):
        values["unknown-tag"] = {**filled, UNKNOWN: [STRANGER]}
    bodies: set[bytes] = set()
    for name, value in values.items():
        body = encode(layout, value)
        if body not in bodies:
            bodies.add(body)
            yield Case(name, decode(layout, body), body)


def fullest(layout: Layout) -> Case:
    """The example that says most; tagged fields that only others send, such as replicas, are not
    in it. Raises WireError if there is none."""
    by_name = {case.name: case for case in cases(layout)}
    if f"{layout.name} tagged" in _VALUES["chosen"]:
        by_name.pop("tagged", None)
    return next(by_name[name] for name in ("tagged", "filled", "empty") if name in by_name)


def header(layout: Layout, case: str, headers: ProtocolHeaders) -> Case | None:
    """The header of an example; None for messages without one, or if it cannot be written."""
    shape = headers.before(layout)
    roles = headers.fields
    if shape is None:
        return None
    facts: MessageValue = {
        roles.api_key: layout.api_key,
        roles.api_version: layout.version,
        roles.correlation_id: 1,
        roles.client_id: None if case == "empty" else "my-client",
    }
    value = _filled(layout, shape.fields)
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


def _filled(layout: Layout, fields: Sequence[LayoutField], tagged: bool = False) -> MessageValue:
    """Plausible values of some fields of a message or its header, and of all inside them."""
    chosen = _chosen(layout.name, layout.version)
    if tagged:
        chosen |= _chosen(f"{layout.name} tagged", layout.version)

    def struct(fields: Sequence[LayoutField], name: str) -> MessageValue:
        present = [field for field in fields if field.tag is None or tagged]
        return {field.name: one(field, name) for field in present}

    def one(field: LayoutField, struct_name: str) -> Json:
        if field.path in chosen:
            return chosen[field.path]
        if field.fields is not None:
            inner = struct(field.fields, field.name)
            return [inner] if field.element else inner
        value = _scalar(field, struct_name)
        if not field.element or isinstance(value, list):
            return value
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return [value, value + 1] if is_number else [value]

    return struct(fields, "")


def _chosen(message: str, version: int) -> dict[str, Json]:
    """The values of a message that are chosen for a version, by path."""
    chosen = {}
    for place, value in _VALUES["chosen"].get(message, {}).items():
        path, _, versions = place.partition(" ")
        if version in Versions.parse(versions or "0+"):
            chosen[path] = value
    return chosen


def _scalar(field: LayoutField, parent: str) -> Any:
    """A value for a field, or for an element of an array; a list is the whole array."""
    kind = (field.element or field.type).removeprefix("COMPACT_").removeprefix("NULLABLE_")
    name = field.name.lower()
    limits = INTEGERS.get(kind)
    otherwise = {"BOOLEAN": True, "STRING": name[:24], "BYTES": name.encode()[:8].hex(),
                 "UUID": _UUID, "FLOAT64": 0.5}  # fmt: skip
    table = _VALUES.get("INT" if limits else kind, {})
    place = f"{parent.lower()}.{name}"
    ending = max((key for key in table if place.endswith(key)), key=len, default="")
    keys = (place, name, f"@{field.entity_type}", ending)
    value: Any = next((table[key] for key in keys if key in table), otherwise.get(kind, 1))
    if limits and isinstance(value, int) and not limits[0] <= value <= limits[1]:
        value = 1
    if value is None and not field.nullable:
        value = ""
    # A tagged field that has its default would not be written.
    is_default = field.tag is not None and value == field.default
    if kind == "BOOLEAN":
        return not value if is_default else value
    return value + 1 if is_default and limits else value
