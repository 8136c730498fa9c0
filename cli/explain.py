"""`wirebook explain`: the rules, one with its documentation, or what no spec can describe."""

import argparse
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.front_door import of_kafka
from wirebook.rules import catalogue
from wirebook.rules.rule import Rule
from wirebook.specs.kafka.kips import is_proposal
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
    name = options.rule
    if name == "format":
        print(re.sub(r"\]\([^)]*\)|\[", "", _GAPS.read_text(encoding="utf-8")), end="")
        return exits.CLEAN
    rule = None if name is None else catalogue.find(name)
    if name is not None and rule is None:
        raise _unknown(name)
    print("\n".join(_table() if rule is None else explanation(rule, of_kafka())))
    return exits.CLEAN


def _table() -> Iterator[str]:
    """The rules by topic, a line each: name, category, severity and summary."""
    rules = catalogue.all_rules(of_kafka())
    wide = max(len(rule.name) for rule in rules)
    for topic, some in groupby(rules, key=lambda rule: rule.topic):
        yield topic
        for rule in some:
            facts = f"{rule.category:<6}  {rule.severity:<7}"
            yield f"  {rule.name:<{wide}}  {facts}  {rule.summary}"
        yield ""
    yield f"{len(rules)} rules; `wirebook explain RULE` explains one."


def _unknown(name: str) -> InputError:
    """The error for a rule that does not exist, with similar names."""
    rules = filter(None, map(catalogue.find, catalogue.nearest(name)))
    near = [rule.name for rule in rules if of_kafka() or not rule.family]
    words = f"did you mean {' or '.join(near)}?" if near else "`wirebook explain` lists them"
    return InputError(f'there is no rule "{visible(name)}"; {words}')


def explanation(rule: Rule, of_kafka: bool = True) -> Iterator[str]:
    """The documentation of a rule in lines.

    Its source, a KIP or an issue of Kafka, is included only if `of_kafka`.
    """
    yield f"{rule.name}: {rule.summary}"
    yield ""
    yield f"  category  {rule.category}"
    firm = "; configuration cannot lower it" if rule.firm else ""
    yield f"  severity  {rule.severity} at worst{firm}"
    if of_kafka or not is_proposal(rule.source):
        yield f"  source    {rule.source}"
    for heading, text in rule.documentation.items():
        yield from ("", heading)
        for line in text.split("\n"):
            if not line.startswith("```"):
                yield f"  {line}".rstrip()
