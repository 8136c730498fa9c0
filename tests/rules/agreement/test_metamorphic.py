"""What the verdict of a check may not depend on, and what the codec of `tests.prove` says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from tests.prove.cases import Case, case, findings_of
from tests.prove.shapes import Spec, stable, valid
from tests.prove.truth import ways
from tests.rules.agreement.metamorphic import (
    CHANGES,
    DECLARING,
    SECONDS,
    Change,
    broken_again,
    changed,
    errors,
    rules,
)
from wirebook.rules.finding import Category, Finding

pytestmark = pytest.mark.long

CASES = 30


@cache
def judged_cases() -> tuple[tuple[Case, Counter[tuple[str, str]]], ...]:
    """Some cases with the rules of their errors."""
    return tuple((given, rules(given)) for given in map(case, range(CASES)))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_of_all_sides_changes_no_verdict(change: Change) -> None:
    pairs = [(given, before, changed(given, change)) for given, before in judged_cases()]
    judged = [(given.seed, before, rules(other)) for given, before, other in pairs if other is not None]
    assert len(judged) > CASES / 6
    assert [seed for seed, before, after in judged if bool(before) != bool(after)] == []
    if change not in DECLARING:
        assert [seed for seed, before, after in judged if before != after] == []


@cache
def breaking() -> tuple[Case, ...]:
    """The cases whose patch is an error."""
    return tuple(given for given, found in judged_cases() if found)


@pytest.mark.parametrize("second", SECONDS, ids=lambda second: second.__name__)
def test_a_second_edit_makes_no_break_milder(second: Callable[[Spec], None]) -> None:
    twice = [other for each in breaking() if (other := broken_again(each, second)) is not None]
    assert len(twice) > CASES / 10
    assert [each.seed for each in twice if not errors(each)] == []


def test_a_spec_has_no_finding_against_itself_whatever_was_released() -> None:
    for given in map(case, range(CASES)):
        for side in (given.old, given.new):
            for releases in ((), given.releases, (given.old,), (given.new,)):
                assert findings_of(Case(given.seed, releases, side, side)) == (), given.seed


def _wire(findings: tuple[Finding, ...]) -> list[Finding]:
    return [each for each in findings if each.category is Category.WIRE and each.severity == "error"]


def _versions(findings: list[Finding]) -> set[int]:
    return {version for each in findings for version in each.versions}


def _of_one_message(given: Case) -> bool:
    """Whether peers read both sides as one message, in versions that are stable on both."""
    unstable = any(side.get("latestVersionUnstable") for side in (given.old, given.new))
    keys = [(side.get("apiKey"), side["type"]) for side in (given.old, given.new)]
    return not unstable and keys[0] == keys[1]


def test_what_either_side_released_is_judged_as_the_codec_reads_it() -> None:
    """If the old side is released, the versions that peers misread are errors. If the new side is, they are
    restored, and nothing is an error. A tag that is reused may show only in names.
    """
    misread = 0
    for given in filter(_of_one_message, map(case, range(2 * CASES))):
        of_old = _wire(findings_of(replace(given, releases=(given.old,))))
        of_new = findings_of(replace(given, releases=(given.new,)))
        common = {version for version in stable(given.new).numbers if version in valid(given.old)}
        real = {version for version in common if ways(given.old, given.new, version)}
        misread += bool(real)
        broken = _versions(of_old) & common
        in_layouts = _versions([each for each in of_old if each.rule != "tag-reused"]) & common
        restored = _versions([each for each in of_new if each.rule == "layout-restored"])
        assert _wire(of_new) == [], given.seed
        assert (real | in_layouts) <= restored <= broken, given.seed
    assert misread > CASES
