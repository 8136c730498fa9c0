"""The JSON Schemas of records: by their types, which define keys and their order."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from wirebook.specs.exported import ExportedLayout
from wirebook.specs.json_records import members_of
from wirebook.specs.versions import Versions, VersionSet

_TYPES = {str: "string", int: "integer", bool: "boolean", VersionSet: "string", Versions: "string"}
# Documents of their own, which have a schema in specs/schema.
_ELSEWHERE = {ExportedLayout: "urn:wirebook:schema:layout:1"}


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the document of a class: of what `to_json` writes.

    The docstrings of the classes describe it.
    """
    definitions: dict[str, Any] = {}
    schema = _object(kind, definitions)
    _, name, edition = kind.SCHEMA.split("/")
    words = name.replace("-", " ").replace("api", "API")
    later = "Later versions of wirebook may add keys, but never remove any."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:wirebook:schema:{name}:{edition}",
        "title": words[:1].upper() + words[1:],
        **schema,
        "description": f"{schema['description']} {later}",
        **({"$defs": definitions} if definitions else {}),
    }


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    abouts = (
        {each.name: each.metadata.get("about", "") for each in fields(kind)}
        if is_dataclass(kind)
        else {}
    )
    properties: dict[str, Any] = (
        {"schema": {"const": kind.SCHEMA}} if hasattr(kind, "SCHEMA") else {}
    )
    required = [*properties]
    for key, name, default in members_of(kind):
        described = {"description": abouts[name]} if abouts.get(name) else {}
        properties[key] = {**described, **_schema(hints[name], definitions)}
        if default is MISSING and name not in getattr(kind, "_field_defaults", ()):
            required.append(key)
    about = " ".join((kind.__doc__ or "").split())
    return {"description": about, "type": "object", "required": required, "properties": properties}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of the values of a type; those of records are among `definitions`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    if hint in _ELSEWHERE:
        return {"$ref": _ELSEWHERE[hint]}
    if origin in (Union, types.UnionType):
        inner = _schema(next(each for each in arguments if each is not types.NoneType), definitions)
        is_plain = isinstance(inner.get("type"), str) and len(inner) == 1
        return (
            {"type": [inner["type"], "null"]} if is_plain else {"anyOf": [inner, {"type": "null"}]}
        )
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if not is_dataclass(hint) and not hasattr(hint, "_fields"):
        return {}
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}
