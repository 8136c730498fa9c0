"""The JSON Schemas of records, by the types of their fields and by what their docstrings say."""

from __future__ import annotations

from typing import Any

from wirebook.specs.json_records import members, shape_of
from wirebook.specs.layout import Layout
from wirebook.specs.versions import Versions, VersionSet

_TYPES = {str: "string", int: "integer", bool: "boolean", VersionSet: "string", Versions: "string"}


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the document of a class: of what `to_json` writes. The
    docstrings of the classes describe it."""
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
    properties = {"schema": {"const": kind.SCHEMA}} if hasattr(kind, "SCHEMA") else {}
    required = [*properties, *(each.name for each in members(kind) if each.is_required)]
    for each in members(kind):
        described = {"description": each.about} if each.about else {}
        properties[each.name] = {**described, **_schema(each.hint, definitions)}
    about = " ".join((kind.__doc__ or "").split())
    return {"description": about, "type": "object", "required": required, "properties": properties}


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of the values of a type; those of records are among `definitions`."""
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    if hint is Layout:
        return {"$ref": "urn:wirebook:schema:layout:1"}
    shape, inner = shape_of(hint)
    if shape == "plain":
        return {}
    if shape == "optional":
        of_value = _schema(inner, definitions)
        if of_value.keys() == {"type"}:
            return {"type": [of_value["type"], "null"]}
        return {"anyOf": [of_value, {"type": "null"}]}
    if shape == "list":
        return {"type": "array", "items": _schema(inner, definitions)}
    if shape == "map":
        return {"type": "object", "additionalProperties": _schema(inner, definitions)}
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}
