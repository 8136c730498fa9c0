"""The pages of the rules, generated from the rules themselves, and of what they would have caught."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wirebook.docgen.catalog.json_records import from_json, omitted
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.prose import inline, prose
from wirebook.rules.rule import Rule, shown_rules

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
    """How an incident ended: the commit that fixed it, if one did, with its abbreviation upstream."""

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


def rule_pages(with_incidents: bool, of_family: bool = True) -> Iterator[Page]:
    """The list of the rules by topic, and a page for each, with its sources and what it would have caught."""
    rules = shown_rules(of_family)
    topics = [(name, title, [rule for rule in rules if rule.topic == name]) for name, title in TOPICS.items()]
    html = render(
        "rules.html.jinja",
        root=root_of("rules/"),
        topics=topics,
        categories=CATEGORIES,
        inline=inline,
        with_incidents=with_incidents,
    )
    headings = tuple(Heading(title, name, 2) for name, title, _ in topics)
    yield Page("rules/", "Rules", html, headings, boost=1.5)
    for rule in rules:
        yield _rule_page(rule, incidents().incidents if with_incidents else None)


def _rule_page(rule: Rule, incidents: Iterable[Incident] | None) -> Page:
    path = f"rules/{rule.name}/"
    caught = [incident for incident in incidents or () if incident.rule == rule.name]
    html = render(
        "rule.html.jinja",
        root=root_of(path),
        rule=rule,
        topic=TOPICS[rule.topic],
        about=CATEGORIES[rule.category.value],
        incidents=caught,
        with_sources=incidents is not None,
        anchor=anchor,
        inline=inline,
        prose=prose,
    )
    headings = [Heading(title, anchor(title), 2) for title in rule.documentation]
    if caught:
        headings.append(Heading("What it would have caught", "incidents", 2))
    return Page(path, rule.name, html, tuple(headings), boost=0, description=rule.summary)


@cache
def incidents() -> Incidents:
    """What the rules find in the history of Kafka's specs, each confirmed by the audit (tests/docgen)."""
    path = Path(__file__).resolve().parent / "incidents.json"
    return from_json(Incidents, json.loads(path.read_text(encoding="utf-8")))


def incidents_page(slugs: Collection[str]) -> Page:
    """What the rules would have caught; `slugs` are the APIs that this book has pages for."""
    path = "incidents/"
    items = incidents().incidents
    html = render(
        "incidents.html.jinja",
        root=root_of(path),
        history=incidents().history,
        incidents=items,
        slugs=slugs,
        inline=inline,
    )
    return Page(
        path,
        "What the rules would have caught",
        html,
        tuple(Heading(incident.title, incident.id, 2) for incident in items),
    )
