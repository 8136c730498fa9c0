"""Renders a message as a spec, for code that reads only specs."""

from __future__ import annotations

import json
import re
from typing import Any

from wirebook.specs.model import Field, Message, Struct, Value
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,200}", re.ASCII)


def file_name_of(message: Message) -> str:
    """The name of the file of a message. Raises InputError for a name that may be a path."""
    if not _NAME.fullmatch(message.name):
        raise InputError(f'"{message.name}" is not a valid message name', message.path)
    return f"{message.name}.json"


def spec_text_of(message: Message) -> str:
    """The spec of a message, without comments: reading it gives the same message, without its history."""
    document: dict[str, Any] = {}
    if message.api_key is not None:
        document["apiKey"] = message.api_key
    document |= {"type": message.type, "name": message.name}
    if message.purpose and not message.profile.family:
        # Specs of a family have no key for it.
        document["about"] = message.purpose
    if message.listeners:
        document["listeners"] = list(message.listeners)
    document["validVersions"] = str(message.valid_versions)
    if message.deprecated_versions:
        document["deprecatedVersions"] = str(message.deprecated_versions)
    document["flexibleVersions"] = str(message.flexible_versions)
    if message.header_versions is not None:
        document["headerVersions"] = {str(each.versions): each.header for each in message.header_versions}
    if message.latest_version_unstable:
        document["latestVersionUnstable"] = True
    if message.common_structs:
        document["commonStructs"] = list(map(_struct, message.common_structs))
    document["fields"] = list(map(_field, message.fields))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _struct(struct: Struct) -> dict[str, Any]:
    document: dict[str, Any] = {"name": struct.name, "versions": str(struct.versions)}
    if struct.deprecated_versions:
        document["deprecatedVersions"] = str(struct.deprecated_versions)
    if struct.about:
        document["about"] = struct.about
    return document | {"fields": list(map(_field, struct.fields))}


def _field(field: Field) -> dict[str, Any]:
    document: dict[str, Any] = {"name": field.name, "type": field.type}
    ranges: tuple[tuple[str, Versions | None], ...] = (
        ("versions", field.versions),
        ("nullableVersions", field.nullable_versions or None),
        ("taggedVersions", field.tagged_versions or None),
        ("flexibleVersions", field.flexible_versions),
    )
    document |= {key: str(versions) for key, versions in ranges if versions is not None}
    if field.tag is not None:
        document["tag"] = field.tag
    if field.has_default:
        document["default"] = field.default
    flags = (("ignorable", field.ignorable), ("mapKey", field.map_key), ("zeroCopy", field.zero_copy))
    document |= {key: True for key, is_set in flags if is_set}
    if field.entity_type is not None:
        document["entityType"] = field.entity_type
    if field.about:
        document["about"] = field.about
    if field.fields is not None:
        document["fields"] = list(map(_field, field.fields))
    if field.values:
        is_flags = field.values[0].bit is not None
        values = [_value(each, field.present) for each in field.values]
        document["flags" if is_flags else "values"] = values
    return document


def _value(value: Value, present: Versions) -> dict[str, Any]:
    document: dict[str, Any] = {"value": value.number} if value.bit is None else {"bit": value.bit}
    document["name"] = value.name
    if value.about:
        document["about"] = value.about
    if value.versions != present:
        document["versions"] = str(value.versions)
    if value.deprecated_versions:
        document["deprecatedVersions"] = str(value.deprecated_versions)
    if value.former_names:
        document["formerNames"] = list(value.former_names)
    return document
