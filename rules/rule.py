"""The declaration of a rule, and the catalogue of all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from wirebook.rules.severity import Category, Place, Repair, Severity
from wirebook.specs.model import Field, Message, SourceNode
from wirebook.specs.problems import Position

FIRST = "0.1.0"  # the first version of wirebook: that of every rule which names no other
SECTIONS = ("What it does", "Why it breaks", "When it is fine", "Do instead", "Example")


class Hit(NamedTuple):
    """The result of a rule: a sentence, what to do instead, and the versions concerned.

    With `versions` the engine decides the severity by what is released; None means the message as such,
    at the rule's own severity. `at` is on the new side, `previous` on the old; left out, the place of the
    pair counts (a pair of structs has none: the places of a hit are those of the field concerned), as for
    `path`, the field's. `severity` overrules for this hit only; `discriminator` keeps two
    hits of one rule on one pair apart. `of` is the message concerned, for a rule on all of them together.
    `place` and `previous_place` are the places on both sides where these are in no message. `repairs` are
    what `check --fix` changes, all of them together: for what is mechanical, and right whatever is meant.
    `was` is the field of the old side that is concerned, where the pair is of structs; `released_in` names
    the release, where that is not the first one that has the field. `absent` are those of the versions in
    which no layout shows the fault, as the field is not there.
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
    repairs: tuple[Repair, ...] = ()
    was: Field | None = None
    released_in: str | None = None
    absent: frozenset[int] = frozenset()


def restored(written: SourceNode, key: str, value: object) -> str:
    """What to write to have a key as on the old side: `written` is its node there, `value` its value."""
    if key not in written.keys:
        return f'delete "{key}"'
    plain = value if isinstance(value, int | float | bool | None) else str(value)
    return f'restore "{key}": {json.dumps(plain, ensure_ascii=False)}'


Check = Callable[[Any], Iterator[Hit]]
_RULES: dict[str, Rule] = {}
_CUSTOM: set[str] = set()  # names of rules that are not ours


@dataclass(eq=False, repr=False)
class Rule:
    """A rule: its stable name, what kind of pair it judges (`on`), and the function that judges.

    `severity` is the worst it reports; hits on versions that are not released are milder. `source` names the
    KIP, format or issue it stands on. `firm` rules cannot be lowered by configuration. `follows` names rules
    on changes of a message: an error of one of them is the cause of what this rule finds. What a rule
    `per_api` finds in both halves of an API is reported of the request. A rule `of_releases` concerns only
    who uses a release: what no release has is not reported. `since` is the version of wirebook that first
    had the rule.
    """

    name: str
    on: type
    category: Category
    severity: Severity
    source: str
    check: Check
    firm: bool = False
    follows: tuple[str, ...] = ()
    per_api: bool = False
    of_releases: bool = False
    since: str = FIRST

    @property
    def topic(self) -> str:
        """The folder that the rule is in: "tags", "nullability" …; "guards" for those on a whole check."""
        module = self.check.__module__
        return "guards" if module == "wirebook.rules.meta_rules" else module.split(".")[-2:][0]

    @property
    def page(self) -> str:
        """The address of its page from the top of the site: for a guard, which has none, that of the list."""
        return "rules/" if self.topic == "guards" else f"rules/{self.name}/"

    def to_json(self, site: str = "") -> dict[str, Any]:
        """The rule as an item of wirebook/rules/1; `site` is the address of the site, "" for none."""
        return {
            "name": self.name,
            "topic": self.topic,
            "category": self.category.value,
            "severity": self.severity.value,
            "firm": self.firm,
            "source": self.source,
            "summary": self.summary,
            "documentation": self.documentation,
            "since": self.since,
            "page": self.page,
            "url": f"{site}{self.page}" if site else None,
        }

    @cached_property
    def summary(self) -> str:
        """The first line of the documentation, without its full stop."""
        return self._text.split("\n", 1)[0].rstrip(".")

    @cached_property
    def documentation(self) -> dict[str, str]:
        """The sections of the docstring, Markdown by heading, in the order of SECTIONS."""
        found: dict[str, list[str]] = {}
        heading = ""
        for line in self._text.split("\n")[1:]:
            if line.startswith("## "):
                heading = line[3:].strip()
                found[heading] = []
            elif heading:
                found[heading].append(line)
        return {name: "\n".join(lines).strip() for name, lines in found.items()}

    @property
    def _text(self) -> str:
        import inspect

        return inspect.cleandoc(self.check.__doc__ or "")


def rule(
    on: type,
    category: Category,
    source: str,
    severity: Severity = Severity.ERROR,
    firm: bool = False,
    follows: tuple[str, ...] = (),
    per_api: bool = False,
    of_releases: bool = False,
    since: str = FIRST,
) -> Callable[[Check], Check]:
    """Declare a rule: the decorated function judges one `on` and yields hits.

    The rule is called as the function is, with dashes; its docstring is its documentation, with the
    headings of SECTIONS.
    """

    def declare(check: Check) -> Check:
        name = check.__name__.replace("_", "-")
        if name in _RULES:
            raise ValueError(f"two rules are called {name}")
        _RULES[name] = Rule(
            name, on, category, severity, source, check, firm, follows, per_api, of_releases, since
        )
        return check

    return declare


@cache
def catalogue() -> tuple[Rule, ...]:
    """All rules, in the order of their topics and names."""
    from wirebook.rules.catalogue import declare

    declare()
    return _in_order(_RULES.values())


@cache
def rules_on(kind: type) -> tuple[Rule, ...]:
    """The rules that judge this kind of pair."""
    from wirebook.rules.catalogue import declare

    declare(kind.__name__)
    return _in_order(item for item in _RULES.values() if item.on is kind)


def find(name: str) -> Rule | None:
    """The rule of that name, or None."""
    from wirebook.rules.catalogue import declare_one

    declare_one(name)
    return _RULES.get(name)


def declared(name: str) -> Rule | None:
    """The rule of that name, among those that have been imported: what has found something has been."""
    return _RULES.get(name)


def custom_on(kind: type) -> bool:
    """Whether custom rules judge this kind of pair, which may ask for anything."""
    return any(_RULES[name].on is kind for name in _CUSTOM)


def custom_rules(guard: Callable[[Check], Check], load: Callable[[], object]) -> tuple[str, ...]:
    """Declare what `load` imports, with `guard` around each check; the names of the rules.

    All rules of ours are declared before, so that none of a plugin takes the name of one. `withdraw` takes
    them out again. What `load` raises is raised, and what it has declared until then is withdrawn.
    """
    catalogue()
    known = set(_RULES)
    try:
        load()
    except BaseException:
        withdraw(_RULES.keys() - known)
        raise
    names = tuple(name for name in _RULES if name not in known)
    _CUSTOM.update(names)
    for name in names:
        _RULES[name] = replace(_RULES[name], check=guard(_RULES[name].check))
    _clear()
    return names


def withdraw(names: Iterable[str]) -> None:
    """Take custom rules out."""
    for name in tuple(names):
        del _RULES[name]
        _CUSTOM.discard(name)
    _clear()


def _clear() -> None:
    catalogue.cache_clear()
    rules_on.cache_clear()


def _in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda item: (item.topic, item.name)))
