"""The prover proven: it finds the faults that are planted in the check, and shows them small."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from tests.prove.cases import Case, case, compare, findings_of, truth_of
from tests.prove.examples import EXAMPLES, field, message
from tests.prove.protocols import all_fields, right
from tests.prove.run import Report, judge, main
from tests.prove.shrink import shown, shrink
from tests.prove.truth import MOVED, Truth
from wirebook.rules import rule as registry
from wirebook.rules.agreement.relation import Disagreement
from wirebook.rules.finding import Category, Finding, Severity

pytestmark = pytest.mark.long

CASES = 800
# Rules that another one answers for wherever they find something, or that need what no case has.
NEEDED = (
    "api-key-changed",
    "default-changed",
    "field-added-to-released-version",
    "field-flexible-versions-changed",
    "field-moved",
    "field-removed-from-released-version",
    "field-versions-changed",
    "flexible-versions-changed",
    "message-type-changed",
    "nullability-changed",
    "tag-changed",
    "tag-reused",
    "tagging-changed",
    "type-changed",
)


@cache
def judged() -> tuple[tuple[Case, Truth, tuple[Finding, ...]], ...]:
    """Some cases with what is true of them and what the check says."""
    cases = [case(number) for number in range(CASES)]
    return tuple((given, truth_of(given), findings_of(given)) for given in cases)


def kinds(given: Case, real: Truth, findings: tuple[Finding, ...]) -> set[str]:
    """The disagreements of a case."""
    return {item.kind for item in compare(given, real, findings)}


def test_every_rule_on_bytes_is_one_that_the_prover_would_miss() -> None:
    wire = {item.name for item in registry.catalogue() if item.category is Category.WIRE}
    # The random messages have no header; tests/rules/fixtures show what that rule decides.
    assert wire == {*NEEDED, "header-version-changed"}


@pytest.mark.parametrize("rule", NEEDED)
def test_a_rule_that_is_off_is_missed(rule: str) -> None:
    """The guard on layouts is off with it: what it alone finds is reported as unexplained."""
    found = 0
    for given, real, findings in judged():
        left = tuple(item for item in findings if item.rule not in (rule, "layout-changed"))
        if len(left) < len(findings) and "miss" not in kinds(given, real, findings):
            found += "miss" in kinds(given, real, left)
    assert found > 0


def test_a_rule_that_is_off_is_unexplained_where_the_guard_is_left() -> None:
    for given, real, findings in judged():
        alone = [item for item in findings if item.rule == "nullability-changed"]
        if alone and real.breaks:
            guard = alone[0]._replace(rule="layout-changed")
            assert "unexplained" in kinds(given, real, (guard,))
            return
    raise AssertionError("no case has the rule")


@pytest.mark.parametrize("rule", NEEDED)
def test_an_error_where_no_byte_breaks_is_a_false_alarm(rule: str) -> None:
    sound = next(item for item in EXAMPLES if item.name == "a new tagged field").case
    wrong = Finding(rule, Severity.ERROR, Category.WIRE, "It breaks.", "Do not.", "Thing", "data", field="B")
    assert kinds(sound, truth_of(sound), (wrong,)) == {"false alarm"}
    warning = wrong._replace(severity=Severity.WARNING)
    assert kinds(sound, truth_of(sound), (warning,)) == set()


def test_an_error_on_other_versions_does_not_answer() -> None:
    for given, real, findings in judged():
        wire = [item for item in findings if item.category is Category.WIRE and item.versions]
        if real.breaks and wire and all(item.versions and not item.rules for item in real.breaks):
            elsewhere = tuple(item._replace(versions=type(item.versions).of([99])) for item in wire)
            assert "miss" in kinds(given, real, elsewhere)
            return
    raise AssertionError("no case breaks a version")


def test_a_spec_that_is_refused_is_no_case() -> None:
    old = message(field("A", "int8"))
    given = Case(0, (), old, {**old, "flexibleVersions": "0-9"})
    assert "spec refused" in kinds(given, truth_of(given), findings_of(given))


def test_the_cases_are_of_all_kinds() -> None:
    cases = judged()
    breaking = sum(bool(real.breaks) for _, real, _ in cases)
    assert CASES / 4 < breaking < CASES * 0.85
    assert sum(len(given.releases) > 1 for given, _, _ in cases) > CASES / 3
    assert any(not given.releases for given, _, _ in cases)
    assert any(given.releases and given.releases[-1] != given.old for given, _, _ in cases)
    assert all(2 <= len(given.edits) <= 4 for given, _, _ in cases[:100])


def test_a_planted_fault_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that asks for no names loses the fields that move; a pair of a few fields shows it."""

    def names(*_: object) -> Iterator[Disagreement]:
        yield from ()

    monkeypatch.setattr("wirebook.rules.agreement.relation._Comparison._names", names)
    report = judge(range(120))
    assert report.found.keys() <= {"miss", "miss tag-reused"}
    small = next(
        found
        for found in (shrink(case(number), "miss") for number in report.found["miss"])
        if truth_of(found).breaks and MOVED in truth_of(found).breaks[0].what
    )
    assert len(list(all_fields(small.new))) <= 3
    assert "--- new, against old" in shown(small)


def test_the_run_prints_what_it_finds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.prove.cases.findings_of", lambda _: ())
    monkeypatch.setattr("sys.argv", ["prove", "--cases", "12", "--jobs", "1"])
    assert main() == 1
    printed = capsys.readouterr().out
    assert "miss" in printed
    assert "12 cases" in printed


def test_the_run_prints_all_numbers_before_a_case_that_nothing_makes_smaller(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(given: Case, label: str) -> Case:
        raise ValueError(f"{label} of {given.seed} cannot be judged")

    monkeypatch.setattr(
        "tests.prove.run.judge", lambda numbers, cases: Report(len(numbers), 1, {"miss": [*numbers]}, {})
    )
    monkeypatch.setattr("tests.prove.run.shrink", fail)
    monkeypatch.setattr("sys.argv", ["prove", "--first", "5", "--cases", "3", "--jobs", "1", "--show", "2"])
    assert main() == 1
    printed = capsys.readouterr()
    numbers, *shown_cases = printed.out.split("\n\n")
    assert numbers.splitlines()[0] == "3 cases with a miss: 5 6 7"
    assert [text.splitlines()[0] for text in shown_cases] == ["case 5: miss", "case 6: miss"]
    assert "case 6 is shown as it is: ValueError('miss of 6 cannot be judged')" in printed.err


def test_a_spec_without_one_of_its_structs_is_no_case() -> None:
    """Even where no valid version has the field that names it."""
    gone = field("S", "S", "3+", field("T", "Lost", "3+"))
    spec = message(field("A", "int8"), gone, valid="3-4")
    assert not right(spec)
    inside = field("S", "S", "0-1", field("T", "Lost", "0-1"))
    assert not right(message(field("A", "int8"), inside, valid="3-4"))
    inside["fields"][0] = {**field("T", "T", "0-1"), "fields": []}
    assert not right(message(field("A", "int8"), inside, valid="3-4"))
    assert right(message(field("A", "int8"), field("S", "S", "0-1", field("T", "int8", "0-1")), valid="3-4"))
