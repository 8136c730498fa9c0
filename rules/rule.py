"""The declaration of a rule, and the catalogue of all rules."""

import json
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from wirebook.rules.catalogue import declare_all, declare_one
from wirebook.rules.severity import Category, Place, Severity
from wirebook.specs.model import Message, SourceNode
from wirebook.specs.problems import Position

SECTIONS = ("What it does", "Why it breaks", "When it is fine", "Do instead", "Example")


class Hit(NamedTuple):
    """The result of a rule: a sentence, what to do instead, and the versions concerned.

    With `versions`, the engine decides the severity by what is released; None means the message as
    such, at the rule's own severity. `at` is on the new side, `previous` on the old; by default
    they are the places of the pair (a pair of structs has none: a hit has the places of the field
    concerned), and `path` is that of the field. `severity` overrides the rule's for this hit;
    `discriminator` distinguishes two hits of one rule on one pair. `of` is the message concerned,
    for a rule on all of them together. `place` and `previous_place` are the places on both sides if
    these are outside messages. `meant` is the key that an unknown one resembles. `released_in`
    names the release, if that is not the first one with the versions. `change` is the exact change
    that a waiver names; empty means the keys of the pair that differ. A hit on a break has no
    versions: they are those of the break.
    """

    message: str
    fix: str
    versions: Iterable[int] | None = None
    at: Position | None = None
    previous: Position | None = None
    severity: Severity | None = None
    discriminator: str = ""
    path: str | None = None
    of: Message | None = None
    place: Place | None = None
    previous_place: Place | None = None
    released_in: str | None = None
    change: str = ""
    meant: str = ""


def restored(written: SourceNode, key: str, value: object) -> str:
    """The text that gives a key the value of the old side: `written` is its node there, `value` its
    value."""
    if key not in written.keys:
        return f'delete "{key}"'
    plain = value if isinstance(value, int | float | bool | None) else str(value)
    return f'restore "{key}": {json.dumps(plain, ensure_ascii=False)}'


# What to do about something that only what was built without a release has.
UNRELEASED = "keep it only if peers are in use that were built without a release"

Check = Callable[[Any], Iterator[Hit]]
_RULES: "dict[str, Rule]" = {}


class Per(Enum):
    """What a rule reports once; the same finding at another place of it is a repetition."""

    PLACE = "place"
    API = "api"
    """Both halves of an API: the request is reported."""
    STRUCT = "struct"
    """A struct of a message, which several fields may have."""


class Rule(NamedTuple):
    """A rule: its stable name, the kind of pair that it judges (`on`), and the function that
    judges.

    `severity` is the worst that it reports; hits on versions that are not released are milder.
    `source` names the KIP, format or issue that it is based on. Configuration cannot lower `firm`
    rules. `follows` names rules whose errors explain its findings (see
    `engine.without_consequences`). `per` is what the rule reports once, wherever it finds it. A
    rule `of_releases` concerns only users of a release: what no release has is not reported.
    `family` is the family of protocols that has what the rule is about, "" for all of them: pages
    and lists of other protocols leave the rule out.
    """

    name: str
    on: type
    category: Category
    severity: Severity
    source: str
    check: Check
    firm: bool = False
    follows: tuple[str, ...] = ()
    per: Per = Per.PLACE
    of_releases: bool = False
    family: str = ""

    @property
    def topic(self) -> str:
        """The folder of the rule: "tags", "nullability" …; "guards" for those on a whole check."""
        module = self.check.__module__
        return "guards" if module == "wirebook.rules.meta_rules" else module.split(".")[-2:][0]

    @property
    def page(self) -> str:
        """The address of its section from the top of the site; for a meta rule, that of the page of
        rules."""
        return "rules/" if self.topic == "guards" else f"rules/#{self.name}"

    def to_json(self, site: str = "") -> dict[str, Any]:
        """The rule as an item of wirebook/rules/1; `site` is the address of the site, "" for
        none."""
        return {
            "name": self.name,
            "topic": self.topic,
            "category": self.category.value,
            "severity": self.severity.value,
            "firm": self.firm,
            "source": self.source,
            "summary": self.summary,
            "documentation": self.documentation,
            "page": self.page,
            "url": f"{site}{self.page}" if site else None,
        }

    @property
    def summary(self) -> str:
        """The first line of the documentation, without its full stop."""
        return self._text.split("\n", 1)[0].rstrip(".")

    @property
    def documentation(self) -> dict[str, str]:
        """The sections of the docstring, Markdown by heading, in the order of SECTIONS."""
        sections: dict[str, list[str]] = {}
        heading = ""
        for line in self._text.split("\n")[1:]:
            if line.startswith("## "):
                heading = line[3:].strip()
                sections[heading] = []
            elif heading:
                sections[heading].append(line)
        return {name: "\n".join(lines).strip() for name, lines in sections.items()}

    @property
    def _text(self) -> str:
        # A check prints no documentation.
        from textwrap import dedent

        first, _, rest = (self.check.__doc__ or "").partition("\n")
        return f"{first}\n{dedent(rest)}".strip()


def rule(  # noqa: PLR0913  what a rule declares, each by its name
    on: type,
    category: Category,
    source: str,
    severity: Severity = Severity.ERROR,
    firm: bool = False,
    follows: tuple[str, ...] = (),
    per: Per = Per.PLACE,
    of_releases: bool = False,
    family: str = "",
) -> Callable[[Check], Check]:
    """Declare a rule: the decorated function judges one `on` and yields hits.

    The name of the rule is that of the function, with dashes; its docstring is its documentation,
    with the headings of SECTIONS.
    """

    def declare(check: Check) -> Check:
        name = check.__name__.replace("_", "-")
        if name in _RULES:
            raise ValueError(f"two rules are called {name}")
        _RULES[name] = Rule(
            name, on, category, severity, source, check, firm, follows, per, of_releases, family
        )
        return check

    return declare


@cache
def catalogue() -> tuple[Rule, ...]:
    """All rules, ordered by topic and name."""
    declare_all()
    return _in_order(_RULES.values())


def shown_rules(of_family: bool) -> list[Rule]:
    """The rules that readers see; those about what one family of protocols has only for one
    `of_family`."""
    return [rule for rule in catalogue() if of_family or not rule.family]


@cache
def rules_on(kind: str) -> tuple[Rule, ...]:
    """The rules that judge this kind of part, by the name of its class."""
    declare_all(kind)
    return _in_order(rule for rule in _RULES.values() if rule.on.__name__ == kind)


def find(name: str) -> Rule | None:
    """The rule with this name, or None."""
    if name not in _RULES:
        declare_one(name)
    return _RULES.get(name)


def declared(name: str) -> Rule | None:
    """The rule with this name, among the imported ones; a rule that has a finding has been
    imported."""
    return _RULES.get(name)


def _in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: (rule.topic, rule.name)))
