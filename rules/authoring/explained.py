"""A settings file that explains every key, generated from the JSON Schema of the settings."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

_WIDTH = 100


def explained(schema: Mapping[str, Any], values: Mapping[str, object]) -> str:
    """TOML with every key of a schema, each with its description as a comment.

    Keys in `values` have that value; others are comments with their default, or with the example of the
    schema if they have no default. Tables come last, as TOML requires.
    """
    keys = sorted(schema["properties"].items(), key=lambda pair: _is_table(_value(pair[1])))
    blocks = []
    for key, described in keys:
        comment = textwrap.wrap(described["description"], _WIDTH - 2)
        value = values.get(key, _value(described))
        lines = list(_written(key, value))
        if key not in values:
            lines = [f"# {line}" for line in lines]
        blocks.append("\n".join([*(f"# {line}" for line in comment), *lines]))
    return "\n\n".join(blocks) + "\n"


def _value(described: Mapping[str, Any]) -> object:
    """An example value for a key: its default, unless that is empty, or the first example."""
    default = described.get("default")
    return default if default not in (None, [], {}) else described["examples"][0]


def _is_table(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(element, dict) for element in value)
    )


def _written(key: str, value: object) -> Iterator[str]:
    """The lines of a key with its value; a table has a line for each of its keys."""
    if isinstance(value, dict):
        yield f"[{key}]"
        yield from (f"{name} = {toml(inner)}" for name, inner in value.items())
    elif isinstance(value, list) and _is_table(value):
        for table in value:
            yield f"[[{key}]]"
            yield from (f"{name} = {toml(inner)}" for name, inner in table.items())
    else:
        yield f"{key} = {toml(value)}"


def toml(value: object) -> str:
    """A value as one line of TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    # A JSON string is a TOML string, unless a character is escaped as a surrogate pair.
    return json.dumps(value, ensure_ascii=False)
