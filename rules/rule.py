"""What a rule is: a file whose docstring is its documentation, with a function that judges, and the
values that it yields."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from wirebook.specs.model import Message, SourceNode
from wirebook.specs.problems import Place

SECTIONS = ("What it does", "Why it breaks", "When it is fine", "Do instead", "Example")


class Severity(StrEnum):
    """The severity of a finding: only an error fails a check."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)

    def milder(self, other: "Severity") -> "Severity":
        """The milder one of two."""
        return max(self, other, key=list(Severity).index)


class Category(StrEnum):
    """What a rule protects."""

    WIRE = "wire"
    POLICY = "policy"
    SPEC = "spec"
    SET = "set"
    SOURCE = "source"


class Hit(NamedTuple):
    """The result of a rule: a sentence, what to do instead, and the versions concerned.

    With `versions`, the engine decides the severity by what is released; None means the message as
    such, at the rule's own severity. `key` is the JSON key that is concerned, on both sides. `at`
    and `previous` are other places in head and in base than those of the part (a pair of structs
    has none), and `path` is that of another field. `severity` overrides the rule's for this hit;
    `discriminator` distinguishes two hits of one rule on one pair. `of` is the message concerned,
    for a rule on all of them together. `meant` is the key that an unknown one resembles.
    `released_in` names the release, if that is not the first one with the versions. `change` is the
    exact change that a waiver names; empty means the keys of the pair that differ. A hit on a break
    has no versions: they are those of the break.
    """

    message: str
    fix: str
    versions: Iterable[int] | None = None
    key: str = ""
    at: Place | None = None
    previous: Place | None = None
    severity: Severity | None = None
    discriminator: str = ""
    path: str | None = None
    of: Message | None = None
    released_in: str | None = None
    change: str = ""
    meant: str = ""


Hits = Iterator[Hit]
Check = Callable[[Any], Hits]


def restored(written: SourceNode, key: str, value: object) -> str:
    """The text that gives a key the value of base: `written` is its node there, `value` its
    value."""
    if key not in written.keys:
        return f'delete "{key}"'
    plain = value if isinstance(value, int | float | bool | None) else str(value)
    return f'restore "{key}": {json.dumps(plain, ensure_ascii=False)}'


# What to do about something that only what was built without a release has.
UNRELEASED = "keep it only if peers are in use that were built without a release"


class Rule(NamedTuple):
    """A rule: the function that judges, and what it declares.

    `severity` is the worst that it reports; hits on versions that are not released are milder. A
    rule of Category.SOURCE concerns only users of a release: what no release has is not reported.
    `source` names the KIP, format or issue that it is based on. Configuration cannot lower `firm`
    rules. `follows` names rules whose errors explain its findings (see
    `engine.without_consequences`). `per` is what the rule reports once, wherever it finds it: ""
    is a place, "api" both halves of an API, of which the request is reported, and "struct" a struct
    of a message, which several fields may have. `keys` are the JSON keys that the rule is about: a
    part that has none of them, in head or in base, is not judged. `family` is the family of
    protocols that has what the rule is about, "" for all of them: pages and lists of other
    protocols leave the rule out.
    """

    check: Check
    category: Category
    source: str
    severity: Severity = Severity.ERROR
    firm: bool = False
    follows: tuple[str, ...] = ()
    per: str = ""
    keys: tuple[str, ...] = ()
    family: str = ""

    @property
    def name(self) -> str:
        """The name of its file and function, with dashes."""
        return self.check.__name__.replace("_", "-")

    @property
    def topic(self) -> str:
        """The folder of the rule: "tags", "nullability" …"""
        return self.check.__module__.split(".")[-2]

    @property
    def summary(self) -> str:
        """The first line of the documentation, without its full stop."""
        return self._text.split("\n", 1)[0].rstrip(".")

    @property
    def documentation(self) -> dict[str, str]:
        """The sections of the docstring, Markdown by heading, in the order of SECTIONS."""
        sections = [part.partition("\n") for part in self._text.split("\n## ")[1:]]
        return {heading: text.strip() for heading, _, text in sections}

    @property
    def _text(self) -> str:
        return sys.modules[self.check.__module__].__doc__ or ""


def rule(
    category: Category, source: str, severity: Severity = Severity.ERROR, **declared: Any
) -> Callable[[Check], Rule]:
    """Declare a rule, with further attributes of Rule by name; the decorated function judges one
    part of a change and yields hits."""
    return lambda check: Rule(check, category, source, severity, **declared)
