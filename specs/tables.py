"""Reads the rows of tables in JSON: each is a record of a class, with its place in the text."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from wirebook.specs.json_records import from_json
from wirebook.specs.jsontext import JsonDocument, JsonObject, parse_json
from wirebook.specs.keys import unknown
from wirebook.specs.model import SourceNode


def read_table(text: str | bytes, path: str, schema: str, key: str) -> tuple[JsonDocument, object]:
    """A table of the form `schema`, with the value of its key. Raises InputError, with a place."""
    document = read_whole(text, path)
    top = document.value
    if not isinstance(top, JsonObject) or top.get("schema", schema) != schema or key not in top:
        raise document.error(f'this must be an object with "schema": "{schema}" and "{key}"')
    return document, top[key]


def read_whole(text: str | bytes, path: str) -> JsonDocument:
    """A text that has nothing after its value, and no key twice in an object. Raises InputError."""
    document = parse_json(text, path)
    lines = document.lines
    if document.rest is not None:
        raise lines.error(document.rest, "text follows the table")
    for places in lines.objects if document.repeats else ():
        for key, again in places.duplicates:
            raise lines.error(again, f'the key "{key}" is repeated')
    return document


def rows_of(document: JsonDocument, rows: object, kind: type[Any]) -> tuple[Any, ...]:
    """The rows of an array as records of a class, whose field `written` has the row.

    Keys that begin with "x-" are for other tools. Raises InputError, with line and column.
    """
    if not isinstance(rows, list) or not all(isinstance(row, JsonObject) for row in rows):
        raise document.error("this must have an array of objects")
    keys = [each.name for each in fields(kind) if each.name != "written"]
    made = []
    for row in rows:
        written = SourceNode(document.lines, row.number, tuple(row))
        for key in row:
            if key not in keys and not key.startswith("x-"):
                at = document.lines.object(row.number).keys_at[key]
                raise document.lines.error(at, unknown("there is no key", key, keys))
        try:
            made.append(replace(from_json(kind, row), written=written))
        except KeyError as missing:
            raise written.error(f'"{missing.args[0]}" is missing') from None
        except (TypeError, ValueError, AttributeError) as error:
            raise written.error(str(error)) from None
    return tuple(made)
