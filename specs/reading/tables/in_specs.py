"""Reads the values and flags that a spec lists beside a field."""

from __future__ import annotations

import re

from wirebook.specs.jsontext import JsonObject, SourcePositions
from wirebook.specs.model import SourceNode, Value
from wirebook.specs.reading.tables.entries import TableEntry, refuse_repeated
from wirebook.specs.versions import Versions

VALUES, FLAGS = "values", "flags"
_KEYS = ("name", "about", "versions", "deprecatedVersions", "formerNames")
_INTEGER = r"(?:\[\])?(u?)int(8|16|32|64)"


def read_field_values(
    node: JsonObject,
    path: str,
    lines: SourcePositions,
    kind: str,
    present: Versions,
    valid: Versions,
) -> tuple[Value, ...]:
    """The values of a field, or its flags, from its object in the spec at a path.

    `kind` is its type, `present` its versions, `valid` those of the message. Raises InputError,
    with line and column, for a field that is no integer, for a number that does not fit its type,
    for versions that the field does not have, and for a number or a name that appears twice in one
    version.
    """
    field = TableEntry(lines, path, node, lines.object(lines.base + node.number).offset)
    key = VALUES if VALUES in node else FLAGS
    if VALUES in node and FLAGS in node:
        raise field.error('a field has either "values" or "flags"', field.places.keys_at[FLAGS])
    integer = re.fullmatch(_INTEGER, kind)
    if integer is None:
        raise field.error(
            f'"{key}" lists what an integer means, or the integers of an array: the type is '
            f"{kind[:40]}",
            field.places.keys_at[key],
        )
    entries = field.entries(key)
    if not entries:
        field.fail(f'"{key}" must have at least one entry', key)
    values = [_value(entry, key, bool(integer[1]), int(integer[2]), present) for entry in entries]
    placed = [(entry, value.versions) for entry, value in zip(entries, values, strict=True)]
    for entry, versions in placed:
        if present & valid and not versions & present & valid:
            entry.fail(f'"versions" are {versions}, none of which the message has', "versions")
    refuse_repeated(placed, key, ("bit" if key == FLAGS else "value", "name"))
    return tuple(values)


def _value(entry: TableEntry, key: str, unsigned: bool, bits: int, present: Versions) -> Value:
    bit = None
    if key == FLAGS:
        entry.known(("bit", *_KEYS))
        bit = entry.number("bit", 0, bits - 1)
        number = 1 << bit
    else:
        entry.known(("value", *_KEYS))
        lowest = 0 if unsigned else -1 << bits - 1
        number = entry.number("value", lowest, lowest + (1 << bits) - 1)
    versions = entry.range("versions", present)
    _check_within(entry, "versions", versions, present, "the field has versions")
    if not versions and "versions" in entry.node:
        entry.fail('"versions" must have at least one version', "versions")
    deprecated = entry.range("deprecatedVersions", Versions.NONE)
    _check_within(entry, "deprecatedVersions", deprecated, versions, "this has versions")
    former, about = (
        tuple(entry.texts("formerNames")),
        entry.text("about") if "about" in entry.node else "",
    )
    written = SourceNode(entry.lines, entry.lines.base + entry.node.number, tuple(entry.node))
    return Value(number, entry.name(), bit, versions, deprecated, former, about, written)


def _check_within(
    entry: TableEntry, key: str, versions: Versions, others: Versions, what: str
) -> None:
    """Raise InputError for versions that others do not have; an open range may go on after
    theirs."""
    is_open = versions.highest == Versions.ALL.highest
    reach = Versions(versions.lowest, versions.lowest) if is_open else versions
    if key in entry.node and not others.covers(reach):
        entry.fail(f'"{key}" are {versions}, and {what} {others}', key)
