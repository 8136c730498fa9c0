"""`wirebook explain`: the rules, one with its documentation, or what no spec can describe."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.front_door import of_kafka
from wirebook.cli.terminal import coloured
from wirebook.rules import catalogue
from wirebook.rules.rule import Rule
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
    names = "a rule, as the check prints its name, or format: what no spec can describe"
    add("rule", metavar="RULE", nargs="?", help=f"{names}; without one, the rules are listed")
    add("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Print the explanation; returns the exit code. Raises InputError for an unknown name,
    OSError."""
    name = options.rule
    if name == FORMAT:
        print(re.sub(r"\]\([^)]*\)|\[", "", _GAPS.read_text(encoding="utf-8")), end="")
        return exits.CLEAN
    rule = None if name is None else catalogue.find(name)
    if name is not None and rule is None:
        raise _unknown(name)
    width = shutil.get_terminal_size((100, 24)).columns
    if options.format == "json":
        rules = [rule] if rule is not None else catalogue.all_rules()
        print(to_json(catalogue.document(rules, site_address())), end="")
    elif rule is not None:
        print(
            explanation(rule, min(width, 100), coloured(sys.stdout, os.environ), of_kafka()), end=""
        )
    else:
        print("\n".join(_table(width)))
    return exits.CLEAN


def _table(width: int) -> Iterator[str]:
    """The rules by topic, one or more lines each: name, category, severity and summary."""
    rules = [each for each in catalogue.all_rules() if of_kafka() or not each.family]
    names = max(len(rule.name) for rule in rules)
    # In a narrow terminal the summary goes below the name.
    indent = names + 21 if width - names - 21 >= 40 else 6
    topic = ""
    for rule in rules:
        if rule.topic != topic:
            yield from (["", rule.topic] if topic else [rule.topic])
            topic = rule.topic
        head = f"  {rule.name:<{names}}  {rule.category:<6}  {rule.severity:<7}  "
        body = textwrap.wrap(rule.summary, max(width - indent, 30))
        yield (head + body.pop(0) if indent > 6 else head).rstrip()
        yield from (" " * indent + line for line in body)
    yield from ("", f"{len(rules)} rules; `wirebook explain RULE` explains one.")


def _unknown(name: str) -> InputError:
    """The error for a rule that does not exist, with similar names."""
    rules = filter(None, map(catalogue.find, catalogue.nearest(name)))
    near = [rule.name for rule in rules if of_kafka() or not rule.family]
    words = f"did you mean {' or '.join(near)}?" if near else "`wirebook explain` lists them"
    return InputError(f'there is no rule "{visible(name)}"; {words}')


def explanation(rule: Rule, width: int = 100, colour: bool = False, of_kafka: bool = True) -> str:
    """The documentation of a rule for a terminal of `width` columns.

    Its source, a KIP or an issue of Kafka, is included only if `of_kafka`.
    """
    strong = "\x1b[1m{}\x1b[0m" if colour else "{}"
    severity = f"{rule.severity} at worst"
    facts = {
        "protects": f"{PROTECTS[rule.category]} ({rule.category})",
        "severity": f"{severity}; configuration cannot lower it" if rule.firm else severity,
        "source": rule.source if of_kafka or not is_proposal(rule.source) else "",
        "page": f"{site_address()}{rule.page}" if site_address() else "",
    }
    first, rest = rule.summary.split(" ", 1)
    # A name (ApiVersions) keeps its case.
    summary = rule.summary if first[1:] != first[1:].lower() else f"{first.lower()} {rest}"
    lines = [strong.format(f"{rule.name}: {summary}"), ""]
    lines += [f"  {key:<8}  {value}" for key, value in facts.items() if value]
    for heading, text in rule.documentation.items():
        paragraphs = (_wrapped(paragraph, width, colour) for paragraph in text.split("\n\n"))
        lines += ["", strong.format(heading), "\n\n".join(paragraphs)]
    return "\n".join(lines) + "\n"


def _wrapped(paragraph: str, width: int, colour: bool) -> str:
    """A paragraph wrapped to the width of the terminal; indented and fenced blocks stay
    unchanged."""
    if paragraph.startswith("```"):
        code = [line for line in paragraph.split("\n") if not line.startswith("```")]
        lines = [_painted(f"  {line}".rstrip(), line[:1], colour) for line in code]
    elif any(line.startswith((" ", "-", "|")) for line in paragraph.split("\n")):
        lines = [f"  {line}".rstrip() for line in paragraph.split("\n")]
    else:
        # Rule names contain hyphens and must stay whole for copying.
        wrapper = textwrap.TextWrapper(
            max(width, 40) - 2, break_long_words=False, break_on_hyphens=False
        )
        lines = [f"  {line}" for line in wrapper.wrap(" ".join(paragraph.split()))]
    return "\n".join(lines)


def _painted(text: str, sign: str, colour: bool) -> str:
    """A line of a diff."""
    number = {"-": 31, "+": 32, "@": 36}.get(sign)
    return f"\x1b[{number}m{text}\x1b[0m" if colour and number else text
