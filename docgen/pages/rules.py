"""The page of the rules, generated from the rules themselves, with what they would have caught."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter, itemgetter
from typing import Any

from markdown import markdown  # type: ignore[import-untyped]
from markupsafe import Markup

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.shipped import shipped
from wirebook.rules.catalogue import all_rules
from wirebook.rules.report.words import grouped

TOPICS = {
    "tags": "Tags",
    "nullability": "Nullability",
    "flexible": "Flexible versions",
    "fields": "Fields and messages",
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


def prose(text: str) -> Markup:
    """A text of ours as HTML."""
    return Markup(markdown(text, extensions=["fenced_code"]))


def inline(text: str) -> Markup:
    """A line of a text of ours as HTML, without its paragraph."""
    return Markup(prose(text).removeprefix("<p>").removesuffix("</p>"))


def pages(book: Book) -> Iterator[Page]:
    """Every rule by topic, with what it would have caught in the history of Kafka's specs."""
    by_topic = grouped(all_rules(book.is_of_family), attrgetter("topic"))
    found = incidents()
    caught = found["incidents"] if book.has_embedded else ()
    yield book.page(
        "rules.html.jinja",
        "rules/",
        "Rules",
        section="Rules",
        after="check.md",
        topics={title: by_topic.get(topic, []) for topic, title in TOPICS.items()},
        categories=CATEGORIES,
        caught=grouped(caught, itemgetter("rule")),
        history=found["history"],
        inline=inline,
        prose=prose,
    )


def incidents() -> dict[str, Any]:
    """What the rules find in Kafka's history, each confirmed by the audit (tests/docgen), and the
    history that was audited."""
    found: dict[str, Any] = shipped("incidents.json")
    return found
