"""The catalogue of rules for people and programs: `wirebook rules` and `wirebook explain`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from rules import guards
from rules.finding import Category
from rules.registry import Rule
from specs.printable import visible
from specs.problems import InputError

PROTECTS = {
    Category.WIRE: "the bytes that peers exchange",
    Category.POLICY: "promises that bytes do not show",
    Category.SPEC: "one file by itself",
    Category.SET: "the files together",
    Category.SOURCE: "names in generated code",
}


def named(name: str) -> Rule:
    """The rule of that name. Raises InputError, with the nearest names, where there is none."""
    rule = guards.find(name)
    if rule is not None:
        return rule
    near = guards.nearest(name)
    words = f"did you mean {' or '.join(near)}?" if near else "`wirebook rules` lists them"
    raise InputError(f'there is no rule "{visible(name)}"; {words}')


def explanation(rule: Rule, width: int = 100, colour: bool = False) -> str:
    """All that a rule says of itself, for a terminal `width` wide."""

    def strong(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if colour else text

    severity = f"{rule.severity} at worst"
    facts = {
        "protects": f"{PROTECTS[rule.category]} ({rule.category})",
        "severity": f"{severity}; configuration cannot lower it" if rule.firm else severity,
        "source": rule.source,
    }
    lines = [strong(f"{rule.name}: {_lowered(rule.summary)}"), ""]
    lines += [f"  {key:<8}  {value}" for key, value in facts.items()]
    for heading, text in rule.documentation.items():
        lines += ["", strong(heading), *_wrapped(text, width)]
    return "\n".join(lines) + "\n"


def table(rules: Sequence[Rule], width: int = 100) -> str:
    """The rules by topic, a line or more each: name, category, severity and what must hold."""
    names = max(len(rule.name) for rule in rules)
    column = names + 21
    # In a narrow terminal what must hold goes below the name.
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
    return "\n".join([*lines, "", f"{len(rules)} rules; `wirebook explain RULE` says more of one."]) + "\n"


def to_json(rules: Sequence[Rule]) -> str:
    """The rules with their documentation as wirebook/rules/1."""

    def told(rule: Rule) -> dict[str, Any]:
        return {
            "name": rule.name,
            "topic": rule.topic,
            "category": rule.category.value,
            "severity": rule.severity.value,
            "firm": rule.firm,
            "source": rule.source,
            "summary": rule.summary,
            "documentation": rule.documentation,
        }

    value = {"schema": "wirebook/rules/1", "rules": [told(rule) for rule in rules]}
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _lowered(text: str) -> str:
    """The text to stand behind a colon: in lower case, unless it begins with a name such as ApiVersions."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]


def _wrapped(text: str, width: int) -> list[str]:
    """Paragraphs in the width of the terminal; what is indented (an example) stays as it is written."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append("")
        if any(line.startswith((" ", "-", "|", "```")) for line in paragraph.split("\n")):
            lines += [f"  {line}".rstrip() for line in paragraph.split("\n")]
        else:
            plain = " ".join(paragraph.split())
            # Names of rules have hyphens, and are to be copied.
            wrapped = textwrap.wrap(plain, max(width, 40) - 2, break_long_words=False, break_on_hyphens=False)
            lines += [f"  {line}" for line in wrapped]
    return lines
