"""A test for many cases reports like as many tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.together import together


def test_every_case_runs_and_each_that_fails_is_named(tmp_path: Path) -> None:
    ran: list[tuple[int, Path]] = []

    @together("number, half", [(2, 1), (3, 1), pytest.param(4, 3, id="four"), (6, 3)])
    def halved(number: int, half: int, folder: Path) -> None:
        ran.append((number, folder))
        if number == 3:
            pytest.fail("odd")
        assert number == 2 * half

    with pytest.raises(BaseExceptionGroup, match=r"^in \(3, 1\), four") as failure:
        halved(folder=tmp_path)
    assert [error.__notes__ for error in failure.value.exceptions] == [["case: (3, 1)"], ["case: four"]]
    assert ran == [(number, tmp_path) for number in (2, 3, 4, 6)]


def test_a_test_without_cases_fails() -> None:
    @together("path", [])
    def empty(path: Path) -> None:
        pass

    with pytest.raises(AssertionError, match="no cases"):
        empty()


@together("number", [1, 2])
def test_the_other_parameters_are_fixtures(number: int, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    assert number in (1, 2)
