"""The files of a catalog: the same bytes for the same data, with their JSON Schemas and the columns
of tables by the types of the fields of records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wirebook.specs.json_records import members, shape_of, to_json
from wirebook.specs.layout import Layout
from wirebook.specs.versions import Versions, VersionSet

ERRORS = "errors.json"
"""The table of errors, as it is written; it exists only if the protocol has one."""


def write_json(path: Path, document: object) -> None:
    """Write one JSON document, compact, with a line break at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(document) + b"\n")


def encoded(document: object) -> bytes:
    """A record or plain JSON as the catalog stores it: equal values have equal text."""
    text = json.dumps(to_json(document), ensure_ascii=False, separators=(",", ":"))
    # A spec may contain half of a surrogate pair, which UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace")


def write_table(folder: Path, name: str, kind: type, records: Iterable[object]) -> None:
    """Write a Parquet table of records: the fields of `kind` that have a type are columns."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    rows, columns = list(records), {}
    for each in members(kind):
        type_of = arrow_type(each.hint)
        values = [getattr(row, each.name) for row in rows]
        if type_of is not None:
            is_record = pa.types.is_struct(type_of)
            columns[each.name] = pa.array(to_json(values) if is_record else values, type_of)
    (folder / "tables").mkdir(exist_ok=True)
    path = folder / "tables" / f"{name}.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd")


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
        is_plain = isinstance(of_value.get("type"), str) and len(of_value) == 1
        return (
            {"type": [of_value["type"], "null"]}
            if is_plain
            else {"anyOf": [of_value, {"type": "null"}]}
        )
    if shape == "list":
        return {"type": "array", "items": _schema(inner, definitions)}
    if shape == "map":
        return {"type": "object", "additionalProperties": _schema(inner, definitions)}
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


def arrow_type(hint: Any) -> Any:
    """The type of the column of a table for the values of a type; None if there is none."""
    import pyarrow as pa

    shape, inner = shape_of(hint)
    if shape == "optional":
        return arrow_type(inner)
    if shape == "list":
        return pa.list_(arrow_type(inner))
    if shape == "record":
        return pa.struct([(each.name, arrow_type(each.hint)) for each in members(hint)])
    plain = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
    return plain.get(hint)
