"""Message specs as protobuf files of the same number, names and size, for a tool that judges
those."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from wirebook.rules.parts import walk_fields
from wirebook.specs.model import Message
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.project import Selection, read_project
from wirebook.specs.trees import of_folder

_TYPES = {
    "int8": "int32",
    "int16": "int32",
    "uint16": "uint32",
    "float64": "double",
    "uuid": "bytes",
    "records": "bytes",
}
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def convert(source: Path, target: Path) -> int:
    """Write a protobuf file for each spec of a folder; returns how many."""
    target.mkdir(parents=True)
    (target / "buf.yaml").write_text("version: v2\n")
    project = read_project(of_folder(source), Selection(), NEUTRAL, {}, strict=True)
    for message in project.messages.values():
        (target / f"{message.name}.proto").write_text("".join(_file(message)), encoding="utf-8")
    return len(project.messages)


def _file(message: Message) -> Iterator[str]:
    """All fields of a message, those of structs too, as fields of one message."""
    yield 'syntax = "proto3";\n\npackage wirebook;\n\n'
    yield from _comment(f"{message.name}, versions {message.valid_versions}.", "")
    yield f"message {message.name} {{\n"
    for number, each in enumerate(walk_fields(message, everything=True), 1):
        field = each.field
        kind = "bytes" if field.is_struct else _TYPES.get(field.element, field.element)
        label = "repeated " if field.is_array else ""
        name = _WORD.sub("_", field.name).lower()
        yield from _comment(field.about or field.name, "  ")
        yield f"  {label}{kind} {name}_{number} = {number};\n"
    yield "}\n"


def _comment(text: str, indent: str) -> Iterator[str]:
    yield f"{indent}// {' '.join(text.split())}\n"
