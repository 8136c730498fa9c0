"""`wirebook schema`: the JSON Schemas of what wirebook reads and writes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import wirebook
from wirebook.cli import exits
from wirebook.cli.schemas import SCHEMAS
from wirebook.specs.problems import InputError


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="one of: " + ", ".join(SCHEMAS))
    parser.add_argument(
        "--strict", action="store_true", help="reject keys that the format does not have, for use in editors"
    )


def run(options: argparse.Namespace) -> int:
    """Print the schema, or the list of names if none is given. Raises InputError for an unknown name."""
    if options.name is None:
        print("\n".join(SCHEMAS))
        return exits.CLEAN
    if options.name not in SCHEMAS:
        raise InputError(f'there is no schema "{options.name}"; choose one of {", ".join(SCHEMAS)}')
    print(strict(bundled(options.name)) if options.strict else bundled(options.name), end="")
    return exits.CLEAN


def bundled(name: str) -> str:
    """The text of a self-contained schema: those that it refers to by `$id` are in its `$defs`.

    JSON Schema 2020-12 (9.3) calls this a compound document: a reference to an `$id` resolves inside it.
    """
    text = _text(name)
    schema = json.loads(text)
    ids = {json.loads(_text(other))["$id"]: other for other in SCHEMAS if other != name}
    others = [ids[uri] for uri in ids if f'"$ref": "{uri}"' in text]
    if not others:
        return text
    schema["$defs"] = {**schema.get("$defs", {}), **{other: json.loads(_text(other)) for other in others}}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def strict(text: str) -> str:
    """The text of a schema that rejects unknown keys.

    wirebook accepts such keys, because old specs have some; in a new spec, an unknown key is a misspelling.
    """
    schema = json.loads(text)
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            if isinstance(node.get("properties"), dict):
                node.setdefault("additionalProperties", False)
            waiting += node.values()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _text(name: str) -> str:
    return (Path(wirebook.__file__).parent / SCHEMAS[name]).read_text(encoding="utf-8")
