"""What the engine knows of releases beyond the old side: what is put back, and what was never released."""

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
    assert severities(with_it, without, with_it) == [("field-removed-from-released-version", Severity.ERROR)]


def test_what_is_restored_is_said_once_with_its_releases() -> None:
    released, broken = protocol(ID, NULLABLE), protocol(NULLABLE | {"versions": "1+"}, ID | {"type": "int64"})
    (item,) = check(broken, released, [Baseline("1.0.0", released)])
    assert (item.rule, item.category, item.field) == ("layout-restored", "wire", "")
    assert (item.severity, item.versions.text, item.released_in) == (Severity.INFO, "0-1", "1.0.0")
    assert item.message == "versions 0-1 of FooRequest: this restores what 1.0.0 had"
    assert item.location is not None
    assert (item.previous, item.proof, item.needs_waiver) == (None, None, False)
    # Of several releases with other texts, the first and the last one are named.
    texts = [protocol(ID, NULLABLE | {"about": about}) for about in ("a", "b", "c")]
    baselines = [Baseline(f"{number}.0.0", text) for number, text in enumerate(texts, 1)]
    (item,) = check(broken, released, baselines)
    assert item.message == "versions 0-1 of FooRequest: this restores what 1.0.0 and 3.0.0 had"


def test_a_version_is_restored_only_as_a_whole() -> None:
    """What no longer breaks is no news where something else does."""
    released, half = protocol(ID, NULLABLE), protocol(ID, DATA)
    other = protocol(ID, NULLABLE, DATA | {"name": "More"})
    assert severities(half, other, released) == [("field-added-to-released-version", Severity.ERROR)]
    late = protocol(ID, NULLABLE, DATA | {"name": "More", "versions": "1+"})
    (added, restored) = check(half, late, [Baseline("1.0.0", released)])
    assert (added.rule, added.versions.text) == ("field-added-to-released-version", "1")
    assert (restored.rule, restored.versions.text) == ("layout-restored", "0")


def test_only_what_a_release_has_is_restored() -> None:
    nullable, plain = protocol(ID, NULLABLE), protocol(ID, DATA)
    unstable = [protocol(ID, data, latestVersionUnstable=True) for data in (DATA, NULLABLE)]
    found = check(unstable[0], unstable[1], [Baseline("1.0.0", unstable[1])])
    assert [(item.rule, item.severity, item.versions.text) for item in found] == [
        ("layout-restored", Severity.INFO, "0"),
        ("nullability-changed", Severity.INFO, "1"),
    ]
    assert severities(plain, nullable) == [("nullability-changed", Severity.ERROR)]
    assert severities(nullable, nullable, nullable) == []


def test_a_listener_that_no_release_had_may_go() -> None:
    both, one = protocol(ID, listeners=["broker", "controller"]), protocol(ID, listeners=["broker"])
    assert severities(both, one, one) == []
    assert severities(both, one, both) == [("listener-withdrawn", Severity.ERROR)]


@pytest.mark.parametrize(("mark", "expected"), [(True, Severity.INFO), (False, Severity.ERROR)])
def test_a_response_is_as_stable_as_its_request(mark: bool, expected: Severity) -> None:
    request = protocol(ID, latestVersionUnstable=mark).messages[0]
    answer = {"type": "response", "name": "FooResponse"}
    old = Protocol.of([request, *protocol(ID, **answer)])
    new = Protocol.of([request, *protocol(ID, DATA | {"versions": "1+"}, **answer)])
    rule = "field-added-to-released-version"
    assert severities(old, new, old) == [(rule, expected)]
    assert severities(old, new) == [(rule, expected)]


@pytest.mark.parametrize(
    ("new", "expected"), [({}, '"versions": "2+"'), ({"validVersions": "0-2"}, '"versions": "2+"')]
)
def test_a_field_is_told_to_begin_with_a_version_that_is_new(new: dict[str, str], expected: str) -> None:
    for versions in ("0", "1+"):
        (item,) = (
            item
            for item in check(protocol(ID), protocol(ID, DATA | {"versions": versions}, **new))
            if item.rule == "field-added-to-released-version"
        )
        assert expected in item.fix


def test_the_first_of_two_unreleased_breaks_may_be_corrected_alone() -> None:
    released, broken = protocol(ID, NULLABLE), protocol(ID | {"type": "int64"}, DATA)
    assert severities(broken, protocol(ID, DATA), released) == []
    # A break that the old side does not have is one, although the version was broken before.
    another = protocol(ID, NULLABLE | {"type": "string"})
    assert severities(broken, another, released) == [("type-changed", Severity.ERROR)]


def test_what_an_accepted_break_hides_is_a_break_of_its_own() -> None:
    """Peers of the release misread everything after ID; once that is restored, they would misread DATA."""
    wide = ID | {"type": "int64"}
    released, accepted = protocol(ID, DATA), protocol(wide, DATA)
    (hidden,) = check(accepted, protocol(wide, DATA | {"type": "int8"}), [Baseline("1.0.0", released)])
    assert (hidden.rule, hidden.field, hidden.severity) == ("type-changed", "Data", Severity.ERROR)
    assert hidden.released_in == "1.0.0"
    # What the old side has already is not of the patch, and may be restored.
    both = protocol(wide, DATA | {"type": "int8"})
    assert severities(both, accepted, released) == []
    assert severities(both, protocol(wide, DATA | {"type": "int8", "about": "A number."}), released) == []


@pytest.mark.parametrize("form", [{"type": "int16"}, {"type": "string"}, {"type": "[]int64"}])
def test_what_was_accepted_is_one_form_and_another_one_is_a_break(form: dict[str, str]) -> None:
    released, accepted = protocol(ID), protocol(ID | {"type": "int64"})
    assert severities(accepted, protocol(ID | form), released) == [("type-changed", Severity.ERROR)]
    assert [item.severity for item in check(accepted, protocol(ID), [Baseline("1.0.0", released)])] == [
        Severity.INFO
    ]
