"""`make mutants`: each mutant runs the tests that execute it, a seed gives one sample, the report counts."""

from __future__ import annotations

import ast
import os
import signal
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import ROOT
from tools import mutants, mutations
from tools.mutants import Outcome
from tools.mutations import Mutant
from tools.reached import Reached, Workplace, chosen, distance, ranked, recorded, spread

MUTANT = Mutant("specs/versions.py", 3, "core/AddNot", 0, 2)
OTHER = Mutant("specs/wire/layout.py", 7, "core/AddNot", 0, 7)


def test_a_seed_is_one_order_of_all_mutants() -> None:
    many = [Mutant("specs/versions.py", line, "core/AddNot", line, line) for line in range(100)]
    order = mutants.sampled(many, 1)
    assert order == mutants.sampled(reversed(many), 1)
    assert order != mutants.sampled(many, 2)
    assert sorted(order) == many


def test_the_report_counts_by_area_and_lists_survivors() -> None:
    outcomes = [
        Outcome(MUTANT, killed=True, timed_out=False, before="a", after="b"),
        Outcome(MUTANT, killed=True, timed_out=True, before="a", after="b"),
        Outcome(
            Mutant("specs/wire/layout.py", 7, "core/AddNot", 0, 7), False, False, "if x:", "if not x:", 0, 3
        ),
    ]
    text = mutants.report(outcomes, 500, 3)
    assert text.startswith(
        "Survivors:\nspecs/wire/layout.py:7 (no test executes it)\n    - if x:\n    + if not x:\n"
    )
    lines = {line.split()[0]: line for line in text.splitlines() if line and line[0] != " "}
    assert "2 of 2 killed (100%)" in lines["specs"]
    assert "0 of 1 killed (0%)" in lines["specs/wire"]
    assert "2 of 3 killed (67%); 1 of these took too long" in lines["all"]
    assert text.endswith("A sample of 3 of 500 mutants, SEED=3, 1.0 s of CPU each")


def test_the_line_that_differs() -> None:
    assert mutations.difference("a\n  b\nc\n", "a\n  d\nc\n") == ("b", "d")
    assert mutations.difference("a\n", "a\nb\n") == ("", "b")


def test_each_form_of_a_file_has_a_time_of_its_own(tmp_path: Path) -> None:
    place = Workplace(tmp_path, "python")
    place.folder.mkdir()
    times = []
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        place.write("a.py", text)
        times.append(os.stat(place.folder / "a.py").st_mtime)
    assert len(set(times)) == 3


@pytest.mark.long
def test_a_copy_has_the_links_and_no_ignored_file(tmp_path: Path) -> None:
    Workplace(tmp_path, "python").copy()
    assert (tmp_path / "copy" / "wirebook" / "specs").is_symlink()
    assert (tmp_path / "copy" / "wirebook" / "specs" / "versions.py").read_bytes() == (
        ROOT / "specs" / "versions.py"
    ).read_bytes()
    assert not (tmp_path / "copy" / ".mypy_cache").exists()


def reached(file: str, loading: int = 0, **tests: tuple[float, int]) -> Reached:
    """What the tests of a file execute of the module with the mutant."""
    lines = {name: (seconds, {MUTANT.path: bits}) for name, (seconds, bits) in tests.items()}
    return Reached(file, 0.5, {MUTANT.path: loading}, lines)


def names(tests: list[tuple[Reached, str]]) -> list[str]:
    """The names of tests in their order."""
    return [name for _, name in tests]


def test_fast_and_near_tests_that_reach_the_line_come_first() -> None:
    own, far = "tests/specs/test_versions.py", "tests/cli/test_cli.py"
    assert [distance(file, MUTANT.path) for file in (own, "tests/specs/test_x.py", far)] == [1, 3, 5]
    assert distance("tests/rules/test_versions.py", MUTANT.path) == 2
    assert distance("tests/specs/wire/test_x.py", MUTANT.path) == 4
    files = [
        reached(far, near=(0.01, 0b1000), hit=(0.01, 0b100), slow=(2.0, 0b100)),
        reached(own, own=(0.01, 0b110), beside=(0.0, 0b10), other=(0.0, 0), late=(11.0, 0b100)),
        reached("tests/cli/test_elsewhere.py", none=(0.0, 0b1011)),
    ]
    assert names(ranked(MUTANT, files)) == ["own", "hit", "beside", "other", "near", "slow"]
    cases = {"f[1]": (0.0, 4), "f[2]": (0.0, 4), "g": (0.1, 4)}
    assert names(ranked(MUTANT, [reached(far, 0, **cases)])) == ["f[1]", "f[2]", "g"]
    assert names(ranked(MUTANT, [reached(far, 0, **cases | {"g": (0.005, 4)})])) == ["f[1]", "g", "f[2]"]
    # A line that runs as the module is loaded concerns every test of a file that loads it.
    loads = [reached(far, 0b100, a=(0.1, 0), b=(0.0, 1)), reached(own, 0b100, c=(0.0, 0))]
    assert names(ranked(MUTANT, loads[:1])) == ["b", "a"]
    # It may be a constant: those of its own module come first, though they execute no line of it.
    assert names(ranked(MUTANT, loads)) == ["c", "b", "a"]


def test_as_many_tests_are_chosen_as_the_time_allows() -> None:
    one, other = reached("tests/a.py", a=(0.3, 4), b=(9.0, 4), c=(0.1, 4)), reached("tests/b.py", d=(0.0, 4))
    tests = [(one, "a"), (other, "d"), (one, "b"), (one, "c")]
    assert names(chosen(tests, 1)) == ["a", "c"]
    assert names(chosen(tests, 2)) == ["a", "c", "d"]
    assert names(chosen(tests, 0.1)) == ["a"]
    assert chosen([], 1) == []


def test_tasks_are_shared_out_and_an_error_is_not_lost() -> None:
    done: list[int] = []
    places = [Workplace(Path(name), "python") for name in "ab"]
    spread(range(20), places, lambda task, _: done.append(task))
    assert sorted(done) == list(range(20))
    with pytest.raises(ZeroDivisionError):
        spread([1, 0], places, lambda task, _: done.append(1 // task))


DOUBLE = """LIMIT = 9


def double(number):
    if number > LIMIT:
        return LIMIT
    return number + number
"""
TESTS = """from wirebook.specs.double import double


def test_small():
    assert double(2) == 4


def test_large():
    assert double(10) == 9


def test_wrong():
    assert double(1) == 1
"""


@pytest.mark.long
def test_a_mutant_is_judged_by_the_tests_that_execute_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, file = Workplace(tmp_path, sys.executable), "tests/specs/test_double.py"
    for path, text in (
        ("pytest.ini", "[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n"),
        ("wirebook/__init__.py", ""),
        ("specs/double.py", DOUBLE),
        (file, TESTS),
        ("tools/forked_tests.py", (ROOT / "tools" / "forked_tests.py").read_text(encoding="utf-8")),
    ):
        (place.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (place.folder / path).write_text(text, encoding="utf-8")
    (place.folder / "wirebook" / "specs").symlink_to("../specs")
    changes = ("return 2 * number", "return number - number")
    monkeypatch.setattr(
        mutants,
        "mutated",
        lambda mutant, source: source.replace("return number + number", changes[mutant.occurrence]),
    )
    try:
        (found,) = recorded([place], tmp_path / "record")
        lines = {name: seen["specs/double.py"] for name, (_, seen) in found.tests.items()}
        assert lines == {f"{file}::test_small": 1 << 5 | 1 << 7, f"{file}::test_large": 1 << 5 | 1 << 6}
        assert found.loading["specs/double.py"] == 1 << 1 | 1 << 4
        many = [Mutant("specs/double.py", 7, "core/AddNot", number, 7) for number in (0, 1)]
        outcomes = mutants.run(many, [place], [found], time.monotonic() + 60)
        assert [(each.killed, each.timed_out, each.tests, each.after) for each in outcomes] == [
            (False, False, 2, changes[0]),
            (True, False, 2, changes[1]),
        ]
        assert (place.folder / "specs" / "double.py").read_text() == DOUBLE
        assert mutants.run(many, [place], [found], time.monotonic() - 1) == []
        # The record is enough as long as nothing changes, whatever Python compiles. A module may use what
        # comes to lie beside it.
        made, asked, status = (tmp_path / "reached.json").read_text(), 0, 0

        def ask(request: dict[str, str]) -> tuple[int, float]:
            nonlocal asked
            asked += 1
            Path(request["target"]).write_text(made)
            return status, 0.0

        with monkeypatch.context() as patch:
            patch.setattr(place, "ask", ask)
            for number, path, text in (
                (0, "specs/double.py", DOUBLE),
                (0, "specs/__pycache__/double.cpython-311.pyc", ""),
                (0, "tests/specs/__pycache__/test_double.cpython-311.pyc", ""),
                (1, "specs/found.py", ""),
                (2, "specs/text.json", "{}"),
                (3, "specs/text.json", "[]"),
                (4, "tests/specs/expected.txt", "4"),
            ):
                (place.folder / path).parent.mkdir(exist_ok=True)
                (place.folder / path).write_text(text)
                assert recorded([place], tmp_path / "record") == [found]
                assert asked == number
            # What a crash leaves is not kept, and the tests are left out: each mutant would crash as well.
            status = -signal.SIGSEGV
            (place.folder / file).write_text(f"{TESTS}\n")
            for number in (5, 6):
                assert recorded([place], tmp_path / "record")[0].tests == {}
                assert asked == number
        place.write("specs/double.py", "def double(number):\n    while True:\n        pass\n")
        request = {"files": [file], "tests": {f"{file}::test_small": 0.2}, "seconds": 60}
        assert place.ask(request)[0] == -signal.SIGPROF
        # Where a case has another name than before, the others of its test run.
        place.write("specs/double.py", DOUBLE)
        statuses = [
            place.ask({"files": [file], "tests": {f"{file}::{name}": 9}, "seconds": 60})[0]
            for name in ("test_wrong[1]", "test_small[1]", "test_gone")
        ]
        assert statuses == [1, 0, 5]
    finally:
        place.close()


def test_what_nothing_can_observe_is_not_changed() -> None:
    tree = ast.parse(
        "if TYPE_CHECKING:\n    import x\n"
        "@lru_cache(5)\ndef f(a: Literal[1]) -> Literal[2]:\n    b: Literal[3] = 4\n    assert a, g(not b)\n"
        "@dataclass(frozen=True, order=False)\nclass C: pass\nzip(a, b, strict=True)\n"
    )
    assert sorted(ast.unparse(node) for node in mutations.unobservable(tree)) == [
        "Literal[1]",
        "Literal[2]",
        "Literal[3]",
        "True",
        "True",
        "g(not b)",
        "if TYPE_CHECKING:\n    import x",
        "lru_cache(5)",
    ]


@pytest.mark.skipif(find_spec("cosmic_ray") is None, reason="`make mutants` installs cosmic-ray aside")
def test_every_operator_makes_its_change() -> None:
    source = "if a == 1 and not b:\n    c = True\n"
    found = list(mutations.mutants_in("x.py", source))
    changed = {mutations.difference(source, mutations.mutated(mutant, source))[1] for mutant in found}
    assert {"if a != 1 and not b:", "if a == 1 or not b:", "c = False"} <= changed
