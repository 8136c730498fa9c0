"""Findings that no rule on a pair makes: restored versions, and stale or expired waivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from wirebook.rules import rule as registry
from wirebook.rules.rule import Check, Hit, Rule, catalogue
from wirebook.rules.severity import Category, Severity


def layout_restored(_: Any) -> Iterator[Hit]:
    """A version is again as releases have it.

    ## What it does
    Reports released versions that the old side, which no release has, could not exchange with a
    release, and that the new side can.

    ## Why it breaks
    Nothing breaks: the patch repairs what an earlier one broke.

    ## When it is fine
    Always. It is a note, so that a reviewer knows why a released version changes.

    ## Do instead
    Nothing. Release the repair before anybody relies on the version in between.

    ## Example
    ```diff
      { "apiKey": 900, "type": "response", "name": "FooResponse", "validVersions": "0-2",
        "flexibleVersions": "none", "fields": [
    -   { "name": "Note", "type": "string", "versions": "0+" }
    +   { "name": "Note", "type": "string", "versions": "0+", "nullableVersions": "0+" }
      ] }
    ```
    """
    yield from ()


def stale_waiver(_: Any) -> Iterator[Hit]:
    """A waiver matches an existing finding.

    ## What it does
    Reports a waiver that matches no finding although the message that it names was checked, and one
    that names the rule and the place of a finding, but not its exact change.

    ## Why it breaks
    Nothing breaks today. But if the waiver stays, it silently accepts the same mistake when
    somebody makes it again. A waiver of one change does not accept another one of the same field.

    ## When it is fine
    If the check compares with a commit that already contains the accepted change. A waiver is made
    for a change, and is needed only until that change is merged.

    ## Do instead
    Remove the waiver; version control keeps who accepted what.

    ## Example
    ```diff
    @@ waivers.toml @@
    - [[waiver]]
    - rule = "tag-reused"
    - message = "FooRequest"
    - field = "Weight"
    - versions = "1-2"
    - reason = "No peer has ever sent the field."
    - by = "ada"
    ```
    """
    yield from ()


def expired_waiver(_: Any) -> Iterator[Hit]:
    """A waiver is valid until its expiry date.

    ## What it does
    Reports a waiver whose `expires` is before today and which would still match a finding. The
    finding counts again, unless another waiver accepts it.

    ## Why it breaks
    What was accepted temporarily is still there, and nobody has agreed that it may stay.

    ## When it is fine
    Never: the date was set on purpose.

    ## Do instead
    Fix the finding, or agree on a new date with those who accepted it.

    ## Example
    ```diff
    @@ waivers.toml @@
      [[waiver]]
      rule = "tag-reused"
      message = "FooRequest"
      field = "Weight"
      versions = "1-2"
      reason = "No peer has ever sent the field."
      by = "ada"
    - expires = 2026-06-30
    + expires = 2026-12-31
    ```
    """
    yield from ()


def _guard(check: Check, category: Category, severity: Severity, source: str) -> Rule:
    return Rule(check.__name__.replace("_", "-"), object, category, severity, source, check)


GUARDS = (
    _guard(layout_restored, Category.WIRE, Severity.INFO, source="KAFKA-18648"),
    _guard(stale_waiver, Category.POLICY, Severity.WARNING, "waivers.toml"),
    _guard(expired_waiver, Category.POLICY, Severity.WARNING, "waivers.toml"),
)


def all_rules() -> tuple[Rule, ...]:
    """All rules that a finding can name: the rules, then the meta rules."""
    return (*catalogue(), *GUARDS)


def document(rules: Iterable[Rule], site: str = "") -> dict[str, Any]:
    """Rules as wirebook/rules/1, with links to their pages if the address of a site is given."""
    return {"schema": "wirebook/rules/1", "rules": [rule.to_json(site) for rule in rules]}


def find(name: str) -> Rule | None:
    """The rule or meta rule with this name, or None."""
    return next((rule for rule in GUARDS if rule.name == name), None) or registry.find(name)


def nearest(name: str, beside: Iterable[str] = ()) -> list[str]:
    """Up to three names of rules, or of `beside`, that `name` may be a misspelling of, the nearest
    first."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    choices = [*(rule.name for rule in all_rules()), *beside]
    near = get_close_matches(plain, choices, n=3, cutoff=0.6)
    return near or [choice for choice in choices if plain and plain in choice][:3]
