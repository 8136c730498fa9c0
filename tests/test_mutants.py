"""`make mutants`: each file runs the tests of its area, a seed gives one sample, the report counts right."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import ROOT
from tools import mutants
from tools.mutants import BaselineError, Mutant, Outcome, Workplace

FILES = [path for folder in mutants.FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
MUTANT = Mutant("specs/versions.py", 1, "core/AddNot", 0)


@pytest.mark.parametrize("path", [str(path.relative_to(ROOT)) for path in FILES])
def test_every_file_has_tests(path: str) -> None:
    tests = mutants.tests_of(path, ROOT)
    assert tests
    assert all((ROOT / test).is_file() for test in tests)
    assert len(tests) == len(set(tests))


def test_tests_of_the_same_name_run_first() -> None:
    tests = mutants.tests_of("specs/wire/layout.py", ROOT)
    assert tests[0] == "tests/specs/wire/test_layout.py"
    assert "tests/specs/wire/test_codec.py" in tests
    assert mutants.area_of("specs/versions.py") == "specs"
    assert mutants.area_of("specs/files.py") == "specs/files.py"
    assert mutants.area_of("docgen/render/review/html.py") == "docgen/render/review"
    assert mutants.area_of("rules/tags/tag_reused.py") == "rules"


def test_a_seed_is_one_order_of_all_mutants() -> None:
    many = [Mutant("specs/versions.py", line, "core/AddNot", line) for line in range(100)]
    order = mutants.sampled(many, 1)
    assert order == mutants.sampled(reversed(many), 1)
    assert order != mutants.sampled(many, 2)
    assert sorted(order) == many


def test_the_report_counts_by_area_and_lists_survivors() -> None:
    outcomes = [
        Outcome(MUTANT, killed=True, timed_out=False, before="a", after="b"),
        Outcome(MUTANT, killed=True, timed_out=True, before="a", after="b"),
        Outcome(Mutant("specs/wire/layout.py", 7, "core/AddNot", 0), False, False, "if x:", "if not x:"),
    ]
    text = mutants.report(outcomes, 500, 3)
    assert text.startswith("Survivors:\nspecs/wire/layout.py:7\n    - if x:\n    + if not x:\n")
    lines = {line.split()[0]: line for line in text.splitlines() if line and line[0] != " "}
    assert "2 of 2 killed (100%)" in lines["specs"]
    assert "0 of 1 killed (0%)" in lines["specs/wire"]
    assert "2 of 3 killed (67%); 1 of these took too long" in lines["all"]
    assert text.endswith("A sample of 3 of 500 mutants, SEED=3")


def test_the_line_that_differs() -> None:
    assert mutants.difference("a\n  b\nc\n", "a\n  d\nc\n") == ("b", "d")
    assert mutants.difference("a\n", "a\nb\n") == ("", "b")


def workplace(folder: Path, script: str) -> Workplace:
    """A place whose tests are a script of the shell."""
    made = Workplace(folder, "sh", 1)
    made.command = ["sh", "-c", script]
    return made


def test_a_workplace_runs_tests_for_a_limited_time(tmp_path: Path) -> None:
    assert workplace(tmp_path, "exit 0").passes([], 10) is True
    assert workplace(tmp_path, "exit 1").passes([], 10) is False
    began = time.monotonic()
    assert workplace(tmp_path, "sleep 60 & sleep 60").passes([], 0.5) is None
    assert time.monotonic() - began < 30


def test_each_form_of_a_file_has_a_time_of_its_own(tmp_path: Path) -> None:
    place = workplace(tmp_path, "exit 0")
    times = []
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        place.write("a.py", text)
        times.append(os.stat(tmp_path / "a.py").st_mtime)
    assert len(set(times)) == 3


def test_a_copy_has_the_links_and_no_ignored_file(tmp_path: Path) -> None:
    place = workplace(tmp_path / "copy", "exit 0")
    place.copy()
    assert (tmp_path / "copy" / "wirebook" / "specs").is_symlink()
    assert (tmp_path / "copy" / "wirebook" / "specs" / "versions.py").read_bytes() == (
        ROOT / "specs" / "versions.py"
    ).read_bytes()
    assert not (tmp_path / "copy" / ".mypy_cache").exists()


class Recorded(Workplace):
    """A place whose tests fail exactly where the file under test is changed."""

    def passes(self, tests: Sequence[str], limit: float | None) -> bool | None:
        del tests, limit
        written = self.folder / MUTANT.path
        return written.read_text(encoding="utf-8") == (ROOT / MUTANT.path).read_text(encoding="utf-8")


def test_a_run_judges_in_order_and_restores_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "mutated", lambda mutant, source: f"{source}# {mutant.occurrence}\n")
    place = Recorded(tmp_path, "sh", 1)
    many = [Mutant(MUTANT.path, 1, "core/AddNot", number) for number in range(3)]
    outcomes = mutants.run(many, [place], time.monotonic() + 60)
    assert [outcome.mutant for outcome in outcomes] == many
    assert all(outcome.killed and not outcome.timed_out for outcome in outcomes)
    assert (tmp_path / MUTANT.path).read_bytes() == (ROOT / MUTANT.path).read_bytes()
    assert mutants.run(many, [Recorded(tmp_path, "sh", 1)], time.monotonic() - 1) == []


def test_tests_that_fail_without_a_mutant_stop_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorded, "passes", lambda *_: False)
    with pytest.raises(BaselineError, match="the tests of specs fail without any mutant"):
        mutants.run([MUTANT], [Recorded(tmp_path, "sh", 1)], time.monotonic() + 60)


@pytest.mark.skipif(find_spec("cosmic_ray") is None, reason="`make mutants` installs cosmic-ray aside")
def test_every_operator_makes_its_change() -> None:
    source = "if a == 1 and not b:\n    c = True\n"
    found = list(mutants.mutants_in("x.py", source))
    changed = {mutants.difference(source, mutants.mutated(mutant, source))[1] for mutant in found}
    assert {"if a != 1 and not b:", "if a == 1 or not b:", "c = False"} <= changed
