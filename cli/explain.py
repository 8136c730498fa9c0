"""`wirebook explain`: the rules, one with its documentation, or what no spec can describe."""

import argparse
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.rules import catalogue
from wirebook.rules.rule import Rule
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

# What the format cannot describe.
_GAPS = Path(__file__).resolve().parents[1] / "site_src" / "format-gaps.md"

ARGUMENTS: Arguments = {
    "rule RULE ?": "a rule, as the check prints its name, or format: what no spec can describe; "
    "without one, the rules are listed"
}


def run(options: argparse.Namespace) -> int:
    """Print the explanation; returns the exit code. Raises InputError for an unknown name."""
    if options.rule == "format":
        print(re.sub(r"\]\([^)]*\)|\[", "", _GAPS.read_text(encoding="utf-8")), end="")
    elif options.rule is None:
        print("\n".join(_table(catalogue.all_rules())))
    else:
        print("\n".join(explanation(_named(options.rule))))
    return exits.CLEAN


def _table(rules: Sequence[Rule]) -> Iterator[str]:
    """The rules by topic, a line each: name, category, severity and summary."""
    width = max(len(rule.name) for rule in rules)
    for topic, of_topic in groupby(rules, key=lambda rule: rule.topic):
        yield topic
        for rule in of_topic:
            facts = f"{rule.category:<6}  {rule.severity:<7}"
            yield f"  {rule.name:<{width}}  {facts}  {rule.summary}"
        yield ""
    yield f"{len(rules)} rules; `wirebook explain RULE` explains one."


def _named(name: str) -> Rule:
    """The rule of a name. Raises InputError that lists similar names."""
    rule = catalogue.find(name)
    if rule is None:
        near = " or ".join(catalogue.nearest(name))
        hint = f"did you mean {near}?" if near else "`wirebook explain` lists them"
        raise InputError(f'there is no rule "{visible(name)}"; {hint}')
    return rule


def explanation(rule: Rule) -> Iterator[str]:
    """The documentation of a rule in lines."""
    yield f"{rule.name}: {rule.summary}"
    yield ""
    yield f"  category  {rule.category}"
    firm = "; configuration cannot lower it" if rule.firm else ""
    yield f"  severity  {rule.severity} at worst{firm}"
    yield f"  source    {rule.source}"
    for heading, text in rule.documentation.items():
        yield from ("", heading)
        for line in text.split("\n"):
            if not line.startswith("```"):
                yield f"  {line}".rstrip()
