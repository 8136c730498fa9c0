"""The example in a rule's documentation: a diff of specs, read as the two sides that it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.kafka import EXAMPLES
from wirebook.rules.catalogue import RULES, read, rules_on
from wirebook.rules.rule import Rule
from wirebook.rules.tables import Tables
from wirebook.specs.discovery import REGISTRY
from wirebook.specs.model import Protocol
from wirebook.specs.reader import read_message

HEADING = "Example"
# The rules that judge a part of a change.
JUDGING = [rule for kind in filter(None, RULES) for rule in rules_on(kind)]
TABLES = {"levels": REGISTRY, "errors": "errors.json", "values": "values.json"}
_FILE = re.compile(r"@@ (\S+) @@")


def lines_of(rule: Rule) -> list[str]:
    """The lines of the diff that a rule's documentation shows; [] where it has none."""
    return [
        line
        for line in rule.documentation.get(HEADING, "").split("\n")
        if not line.startswith("```")
    ]


def tables_of(texts: Mapping[str, bytes]) -> Tables:
    """The tables among some files by their names, which are those of TABLES."""
    return Tables(**{kind: read(kind, texts.get(name), name) for kind, name in TABLES.items()})


def side_of(lines: list[str], new: bool) -> tuple[Protocol | None, Tables]:
    """One side of a diff: "-" marks what is old, "+" what is new, and "@@ Name.json @@" begins a
    file.

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
    messages = []
    tables: dict[str, bytes] = {}
    for path, written in texts.items():
        text = "\n".join(written).replace("\\ufeff", "\ufeff").encode() + b"\n"
        if path in TABLES.values():
            tables[path] = text
        else:
            messages.append(read_message(text, path, strict=False, profile=EXAMPLES))
    return (Protocol.of(messages) if texts else None), tables_of(tables)
