"""The pages of the reference that a review links to, if the address of the site is known."""

from __future__ import annotations

from collections.abc import Container

from wirebook.docgen.catalog.addresses import slug_of
from wirebook.rules.diff.kinds import TEXT
from wirebook.rules.meta_rules import find
from wirebook.rules.report.changes import by_api
from wirebook.rules.review.review import ReviewReport


def pages_of(review: ReviewReport) -> list[tuple[str, str]]:
    """The APIs and rules concerned with the addresses of their pages; none without a site.

    An API that the change adds has no page yet.
    """
    site = review.site
    if not site:
        return []
    touched = by_api([change for change in review.changes if change.effect != TEXT])
    known = review.known
    links = [(title, site + _place(known[title], known)) for title, _ in touched if title in known]
    for name in dict.fromkeys(finding.rule for finding in review.report.ordered):
        rule = find(name)
        if rule is not None:
            links.append((name, f"{site}{rule.page}"))
    return links


def _place(name: str, known: Container[str]) -> str:
    """The address of an API or message; that of the key of a record is on the page of its value."""
    value = f"{name.removesuffix('Key')}Value"
    is_key = name.endswith("Key") and value in known
    return f"api/{slug_of(value)}/#key" if is_key else f"api/{slug_of(name)}/"
