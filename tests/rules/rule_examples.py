"""The example in a rule's documentation: a diff of specs, read as the two sides that it shows."""

from __future__ import annotations

import re

from tests.kafka import EXAMPLES
from wirebook.rules.rule import Rule
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Protocol
from wirebook.specs.reading.discovery import REGISTRY
from wirebook.specs.reading.reader import read_message

HEADING = "Example"
_FILE = re.compile(r"@@ (\S+) @@")


def lines_of(rule: Rule) -> list[str]:
    """The lines of the diff that a rule's documentation shows; [] where it has none."""
    return [line for line in rule.documentation.get(HEADING, "").split("\n") if not line.startswith("```")]


def side_of(lines: list[str], new: bool) -> tuple[Protocol | None, Registry | None]:
    """One side of a diff: "-" marks what is old, "+" what is new, and "@@ Name.json @@" begins a file.

    None stands for what that side does not have. Raises InputError where a text is no spec.
    """
    texts: dict[str, list[str]] = {}
    name = "FooRequest.json"
    for line in lines:
        found = _FILE.fullmatch(line)
        if found:
            name = found[1]
        elif line[:1] in (("+", " ") if new else ("-", " ")):
            texts.setdefault(name, []).append(line[2:])
    registry = None
    messages = []
    for path, written in texts.items():
        text = "\n".join(written).replace("\\ufeff", "\ufeff").encode() + b"\n"
        if path.rpartition("/")[2] == REGISTRY:
            registry = read_registry(text, path)
        else:
            messages.append(read_message(text, path, strict=False, profile=EXAMPLES))
    return (Protocol.of(messages) if texts else None), registry
