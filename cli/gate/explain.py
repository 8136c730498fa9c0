"""`wirebook explain`: the rules, one with its documentation, or what no spec can describe."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.front_door import of_kafka
from wirebook.cli.terminal import coloured
from wirebook.rules import meta_rules
from wirebook.rules.rule import Rule, shown_rules
from wirebook.rules.severity import Category
from wirebook.rules.site_address import site_address
from wirebook.specs.kafka.kips import is_proposal
from wirebook.specs.printable import to_json, visible
from wirebook.specs.problems import InputError

FORMAT = "format"  # instead of a rule: what the format cannot describe
_GAPS = Path(__file__).resolve().parents[2] / "site_src" / "format-gaps.md"
PROTECTS = {
    Category.WIRE: "the bytes that peers exchange",
    Category.POLICY: "promises that the bytes do not show",
    Category.SPEC: "a single file",
    Category.SET: "all files together",
    Category.SOURCE: "names in generated code",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    add = parser.add_argument
    add(
        "rule",
        metavar="RULE",
        nargs="?",
        help="a rule, as the check prints its name, or format: what no spec can describe; without one, the "
        "rules are listed",
    )
    add("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print the explanation; returns the exit code. Raises InputError for an unknown name, OSError."""
    if options.rule is None:
        return _list(options)
    if options.rule == FORMAT:
        print(re.sub(r"\]\([^)]*\)|\[", "", _GAPS.read_text(encoding="utf-8")), end="")
        return exits.CLEAN
    return _explain(named(options.rule), options)


def _list(options: argparse.Namespace) -> int:
    if options.format == "json":
        print(to_json(meta_rules.document(meta_rules.all_rules(), site_address())), end="")
        return exits.CLEAN
    listed = [*shown_rules(of_kafka()), *meta_rules.GUARDS]
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


def _explain(rule: Rule, options: argparse.Namespace) -> int:
    if options.format == "json":
        print(to_json(meta_rules.document([rule], site_address())), end="")
        return exits.CLEAN
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print(explanation(rule, width, coloured(sys.stdout, os.environ), of_kafka()), end="")
    return exits.CLEAN


def named(name: str) -> Rule:
    """The rule with this name. Raises InputError with similar names if there is none."""
    rule = meta_rules.find(name)
    if rule is not None:
        return rule
    near = [each for each in meta_rules.nearest(name) if of_kafka() or not _family(each)]
    words = f"did you mean {' or '.join(near)}?" if near else "`wirebook explain` lists them"
    raise InputError(f'there is no rule "{visible(name)}"; {words}')


def _family(name: str) -> str:
    rule = meta_rules.find(name)
    return "" if rule is None else rule.family


def explanation(rule: Rule, width: int = 100, colour: bool = False, of_kafka: bool = True) -> str:
    """The documentation of a rule for a terminal of `width` columns.

    Its source, a KIP or an issue of Kafka, is included only if `of_kafka`.
    """

    def strong(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if colour else text

    severity = f"{rule.severity} at worst"
    facts = {
        "protects": f"{PROTECTS[rule.category]} ({rule.category})",
        "severity": f"{severity}; configuration cannot lower it" if rule.firm else severity,
        "source": rule.source,
    }
    if not of_kafka and is_proposal(rule.source):
        del facts["source"]
    site = site_address()
    if site:
        facts["page"] = f"{site}{rule.page}"
    lines = [strong(f"{rule.name}: {_lowered(rule.summary)}"), ""]
    lines += [f"  {key:<8}  {value}" for key, value in facts.items()]
    for heading, text in rule.documentation.items():
        lines += ["", strong(heading), *_wrapped(text, width, colour)]
    return "\n".join(lines) + "\n"


def _lowered(text: str) -> str:
    """The text as it appears after a colon: in lower case, unless it begins with a name (ApiVersions)."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]


def _wrapped(text: str, width: int, colour: bool) -> list[str]:
    """Paragraphs wrapped to the width of the terminal; indented and fenced blocks stay unchanged."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append("")
        if paragraph.startswith("```"):
            code = [line for line in paragraph.split("\n") if not line.startswith("```")]
            lines += [_painted(f"  {line}".rstrip(), line[:1], colour) for line in code]
        elif any(line.startswith((" ", "-", "|")) for line in paragraph.split("\n")):
            lines += [f"  {line}".rstrip() for line in paragraph.split("\n")]
        else:
            plain = " ".join(paragraph.split())
            # Rule names contain hyphens and must stay whole for copying.
            wrapped = textwrap.wrap(plain, max(width, 40) - 2, break_long_words=False, break_on_hyphens=False)
            lines += [f"  {line}" for line in wrapped]
    return lines


def _painted(text: str, sign: str, colour: bool) -> str:
    """A line of a diff."""
    number = {"-": 31, "+": 32, "@": 36}.get(sign)
    return f"\x1b[{number}m{text}\x1b[0m" if colour and number else text
