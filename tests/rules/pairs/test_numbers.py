"""Tables of error codes against what a peer of a release would read: random tables, and a plain oracle."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from wirebook.rules.engine import check
from wirebook.rules.pairs.tables import Tables, TablesPair
from wirebook.rules.released import Baseline
from wirebook.rules.severity import Severity
from wirebook.specs.model import Protocol
from wirebook.specs.reading.tables.errors import DescribedError

NONE = Protocol(())
Codes = dict[int, str]

codes = st.dictionaries(st.integers(0, 4), st.sampled_from("ABCDEF"), max_size=5).filter(
    lambda held: len(set(held.values())) == len(held)
)


def table(held: Mapping[int, str], former: Mapping[int, str] | None = None, release: str = "") -> Tables:
    entries = tuple(
        DescribedError(
            code, name, False, None, "", former_names=(former[code],) if former and code in former else ()
        )
        for code, name in held.items()
    )
    return Tables(entries, release=release)


def found(pair: TablesPair) -> list[tuple[str, Severity]]:
    baselines = [Baseline(each.release, NONE) for each in pair.released]
    return [(item.rule, item.severity) for item in check(NONE, NONE, baselines, tables=[pair])]


@given(codes, codes)
def test_another_meaning_is_an_error_and_a_missing_number_a_warning(old: Codes, new: Codes) -> None:
    names = set(new.values())
    reused = any(new.get(code, name) != name for code, name in old.items())
    moved = any(code not in new and name in names for code, name in old.items())
    removed = sum(code not in new and name not in names for code, name in old.items())
    rules = found(TablesPair(table(old), table(new)))
    assert (("error-code-reused", Severity.ERROR) in rules) == (reused or moved)
    assert rules.count(("error-code-removed", Severity.ERROR)) == removed


@given(codes)
def test_a_table_keeps_its_promises_to_itself(held: Codes) -> None:
    assert found(TablesPair(table(held), table(held), (table(held, release="1"),))) == []


@given(codes, codes)
def test_a_declared_name_is_no_other_meaning(old: Codes, new: Codes) -> None:
    """Unless another number now has the former name."""
    kept = {code: name for code, name in new.items() if code in old}
    rules = found(TablesPair(table(old), table(kept, old)))
    moved = any(name in kept.values() and kept.get(code) != name for code, name in old.items())
    assert ("error-code-reused" in {rule for rule, _ in rules}) == moved


@given(codes, codes, codes)
def test_what_a_release_had_counts_after_its_removal(release: Codes, old: Codes, new: Codes) -> None:
    """The old side keeps what the release has, or has removed it; the new one adds to the old one."""
    old = {code: name for code, name in old.items() if release.get(code) == name}
    added = {code: name for code, name in new.items() if code not in old and name not in old.values()}
    rules = found(TablesPair(table(old), table(old | added), (table(release, release="1"),)))
    reused = any(release.get(code, name) != name for code, name in added.items())
    moved = any(name in release.values() and release.get(code) != name for code, name in added.items())
    assert (("error-code-reused", Severity.ERROR) in rules) == (reused or moved)
    assert {rule for rule, _ in rules} <= {"error-code-reused"}


@given(codes, codes)
def test_what_no_release_has_may_change_with_a_warning(old: Codes, new: Codes) -> None:
    rules = found(TablesPair(table(old), table(new), (table({}, release="1"),)))
    assert {severity for _, severity in rules} <= {Severity.WARNING}
    assert "error-code-removed" not in {rule for rule, _ in rules}


@given(codes, st.permutations("UVWXYZ"), st.dictionaries(st.integers(5, 9), st.sampled_from("UVWXYZ")))
def test_a_former_name_of_a_release_stays_with_its_number(
    release: Codes, names: list[str], added: Codes
) -> None:
    """The old side has lost the former names of the release, and the new one adds to the old one."""
    former = dict(zip(release, names[:3], strict=False))
    rules = found(TablesPair(table(release), table(release | added), (table(release, former, "1"),)))
    moved = not set(added.values()).isdisjoint(former.values())
    assert (("error-code-reused", Severity.ERROR) in rules) == moved
