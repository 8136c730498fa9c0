"""What the engine knows of releases beyond the old side: what is put back, and what was never
released."""

from __future__ import annotations

import pytest

from tests.rules.restoring import DATA, ID, protocol
from wirebook.rules.engine import check
from wirebook.rules.finding import Severity
from wirebook.rules.released import Baseline
from wirebook.specs.model import Protocol

NULLABLE = DATA | {"nullableVersions": "0+"}


def severities(old: Protocol, new: Protocol, *released: Protocol) -> list[tuple[str, Severity]]:
    baselines = [Baseline(f"1.{number}.0", item) for number, item in enumerate(released)]
    return [(item.rule, item.severity) for item in check(old, new, baselines)]


def test_what_every_release_has_may_be_put_back() -> None:
    nullable, plain = protocol(ID, NULLABLE), protocol(ID, DATA)
    rule = "nullability-changed"
    assert severities(nullable, plain, nullable) == [(rule, Severity.ERROR)]
    assert severities(plain, nullable, nullable) == [("layout-restored", Severity.INFO)]
    # One release has it in one way and one in the other: whatever is done now hurts somebody.
    assert severities(plain, nullable, nullable, plain) == [(rule, Severity.ERROR)]
    assert severities(plain, nullable) == [(rule, Severity.ERROR)]


def test_a_field_that_no_release_has_in_a_released_version_may_go_again() -> None:
    with_it, without = protocol(ID, DATA), protocol(ID)
    assert severities(with_it, without, without) == [("layout-restored", Severity.INFO)]
    assert severities(with_it, without, with_it) == [
        ("field-removed-from-released-version", Severity.ERROR)
    ]


def test_what_is_restored_is_said_once_with_its_releases() -> None:
    released, broken = (
        protocol(ID, NULLABLE),
        protocol(NULLABLE | {"versions": "1+"}, ID | {"type": "int64"}),
    )
    (item,) = check(broken, released, [Baseline("1.0.0", released)])
    assert (item.rule, item.category, item.field) == ("layout-restored", "wire", "")
    assert (item.severity, item.versions.text, item.released_in) == (Severity.INFO, "0-1", "1.0.0")
    assert item.message == "versions 0-1 of FooRequest: this restores what 1.0.0 had"
    assert item.location is not None
    assert (item.previous, item.proof, item.needs_waiver) == (None, None, False)
    # Of several releases with other texts, the first one is named.
    texts = [protocol(ID, NULLABLE | {"about": about}) for about in ("a", "b", "c")]
    baselines = [Baseline(f"{number}.0.0", text) for number, text in enumerate(texts, 1)]
    (item,) = check(broken, released, baselines)
    assert item.message == "versions 0-1 of FooRequest: this restores what 1.0.0 had"


@pytest.mark.parametrize(("mark", "expected"), [(True, Severity.INFO), (False, Severity.ERROR)])
def test_a_response_is_as_stable_as_its_request(mark: bool, expected: Severity) -> None:
    request = protocol(ID, latestVersionUnstable=mark).messages[0]
    answer = {"type": "response", "name": "FooResponse"}
    old = Protocol.of([request, *protocol(ID, **answer)])
    new = Protocol.of([request, *protocol(ID, DATA | {"versions": "1+"}, **answer)])
    rule = "field-added-to-released-version"
    assert severities(old, new, old) == [(rule, expected)]
    assert severities(old, new) == [(rule, expected)]
