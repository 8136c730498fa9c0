"""`wirebook rules`: the catalogue of rules as a table or JSON."""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from collections.abc import Sequence

from wirebook.cli import exits
from wirebook.cli.front_door import of_kafka
from wirebook.rules.meta_rules import GUARDS, all_rules, document
from wirebook.rules.rule import Rule, shown_rules
from wirebook.rules.site_address import site_address


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: argparse.Namespace) -> int:
    """Print the catalogue; returns the exit code."""
    if options.format == "json":
        print(to_json(all_rules()), end="")
        return exits.CLEAN
    listed = [*shown_rules(of_kafka()), *GUARDS]
    print(table(listed, shutil.get_terminal_size((100, 24)).columns), end="")
    return exits.CLEAN


def table(rules: Sequence[Rule], width: int = 100) -> str:
    """The rules by topic, one or more lines each: name, category, severity and summary."""
    names = max(len(rule.name) for rule in rules)
    column = names + 21
    # In a narrow terminal the summary goes below the name.
    indent = column if width - column >= 40 else 6
    lines: list[str] = []
    topic = ""
    for rule in rules:
        if rule.topic != topic:
            topic = rule.topic
            lines += [*([""] if lines else []), topic]
        head = f"  {rule.name:<{names}}  {rule.category:<6}  {rule.severity:<7}  "
        body = textwrap.wrap(rule.summary, max(width - indent, 30))
        if indent == column:
            head += body.pop(0)
        lines += [head.rstrip(), *(" " * indent + line for line in body)]
    return "\n".join([*lines, "", f"{len(rules)} rules; `wirebook explain RULE` explains one."]) + "\n"


def to_json(rules: Sequence[Rule]) -> str:
    """The rules with their documentation as wirebook/rules/1."""
    return json.dumps(document(rules, site_address()), indent=2, ensure_ascii=False) + "\n"
