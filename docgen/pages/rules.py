"""The page of the rules, generated from the rules themselves, with what they would have caught."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wirebook.docgen.catalog.json_records import from_json, omitted
from wirebook.docgen.pages.environment import render
from wirebook.docgen.pages.page import Heading, Page, root_of
from wirebook.docgen.pages.prose import inline, prose
from wirebook.rules.catalogue import shown_rules

TOPICS = {
    "tags": "Tags",
    "nullability": "Nullability",
    "flexible": "Flexible versions",
    "fields": "Fields and messages",
    "versions": "Versions of fields",
    "lifecycle": "Lifecycle",
    "values": "Error codes and values",
    "sets": "Files together",
    "validity": "Single files",
}
CATEGORIES = {
    "wire": "bytes that peers exchange",
    "policy": "promises that the bytes do not show",
    "spec": "a single file",
    "set": "files together",
    "source": "names in generated code",
}


@dataclass(frozen=True, slots=True)
class Fix:
    """How an incident ended: the commit that fixed it, if one did, with its abbreviation
    upstream."""

    commit: str | None
    date: str | None
    how: str
    upstream: str | None = omitted(None)


@dataclass(frozen=True, slots=True)
class Incident:
    """A change in the history of Kafka's specs that a rule finds."""

    id: str
    title: str
    issue: str
    commit: str
    date: str
    release: str | None
    api: str | None
    rule: str
    severity: str
    message: str
    field: str
    versions: str
    story: str
    fixed: Fix
    upstream: str


@dataclass(frozen=True, slots=True)
class Incidents:
    """incidents.json: the incidents, and the history that was audited."""

    history: str
    incidents: tuple[Incident, ...]


def rules_page(slugs: Collection[str], *, with_incidents: bool, of_family: bool = True) -> Page:
    """Every rule by topic, with its source and what it would have caught if that is shown.

    `slugs` are the APIs that this book has pages for.
    """
    rules = shown_rules(of_family)
    topics = [
        (name, title, [rule for rule in rules if rule.topic == name])
        for name, title in TOPICS.items()
    ]
    html = render(
        "rules.html.jinja",
        root=root_of("rules/"),
        topics=topics,
        categories=CATEGORIES,
        caught=_caught() if with_incidents else defaultdict(list),
        history=incidents().history,
        slugs=slugs,
        inline=inline,
        prose=prose,
        with_incidents=with_incidents,
    )
    headings = []
    for name, title, of_topic in topics:
        if of_topic:
            headings.append(Heading(title, name, 2))
            headings += [Heading(rule.name, rule.name, 3) for rule in of_topic]
    return Page("rules/", "Rules", html, tuple(headings), boost=0)


def _caught() -> Mapping[str, list[Incident]]:
    """The incidents of each rule."""
    caught: defaultdict[str, list[Incident]] = defaultdict(list)
    for incident in incidents().incidents:
        caught[incident.rule].append(incident)
    return caught


@cache
def incidents() -> Incidents:
    """What the rules find in the history of Kafka's specs, each confirmed by the audit
    (tests/docgen)."""
    path = Path(__file__).resolve().parent / "incidents.json"
    return from_json(Incidents, json.loads(path.read_text(encoding="utf-8")))
