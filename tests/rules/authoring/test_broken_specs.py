"""`check --fix` on random patches with mistakes: what it writes is right, and the rest stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.rules.authoring.broken_specs import (
    Case,
    case,
    figures,
    fixed,
    other_changes,
    request_of,
)
from tests.rules.authoring.repairing import REPAIRING
from tests.support import needs_shared
from wirebook.cli.main import main

# With cases in which earlier versions of --fix were wrong: one made an error one in more versions, another
# left a fix to the next run.
CASES = (*range(90), 565)
FEW = (5, 7, 19, 24, 31, 33, 38, 565)  # in which findings are fixed or refused, or a file cannot be checked
REAL = (*range(0, 60, 3), 123)


@pytest.mark.parametrize("cases", [FEW, pytest.param(CASES, marks=pytest.mark.long)], ids=["few", "all"])
def test_what_is_written_has_no_new_finding_and_no_new_break(cases: Sequence[int]) -> None:
    """Some fixes are applied, others are refused, and some files cannot be checked."""
    made = figures(case(seed) for seed in cases)
    assert made.wrong == {}
    assert made.applied.keys() <= REPAIRING
    assert made.applied.total() > made.refused.total() > 0
    assert made.unreadable > 0


@pytest.mark.long
@needs_shared
def test_what_is_written_in_real_specs_is_right() -> None:
    real = figures(case(seed, real=True) for seed in REAL)
    assert real.wrong == {}
    assert real.applied.total() > 0


@pytest.mark.parametrize("seed", range(6))
def test_the_command_writes_what_was_proven_and_nothing_when_repeated(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = case(seed)
    expected = fixed(given, tmp_path / "proven").texts
    place = tmp_path / "command"
    request = request_of(given, place)
    arguments = ["check", "--fix", "--old", "old", "--new", "new", *(["--all"] if given.everything else [])]
    arguments += [part for name in request.released for part in ("--released", Path(name).name)]
    monkeypatch.chdir(place)
    for _ in range(2):
        code = main(arguments)
        assert code in (0, 1, 2)
        assert _texts(place / "new") == expected
    assert "wirebook: 0 fixes in 0 files" in capsys.readouterr().err


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in folder.iterdir()}


BEFORE = '{ "name": "A", // note\n  "tag": 0 }'


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ('{ "name": "A", // note\n  "tag": 1 }', []),
        ('{ "name": "A",\n  "tag": 1 }', ["other comments", "characters are gone", "another format"]),
        ('{ "name": "A",  // note\n  "tag": 1 }', ["another format"]),
        (
            '{ "name": "B", // note\n  "tag": 0 }',
            ["characters are gone", "another format", "('name',) changed"],
        ),
        ('{ "name": "A", // note\n  "tag": 0', ["does not parse"]),
        ('{ "name": "A", "b": 1, // note\n  "tag": 0 }', ["('b',) added"]),
    ],
)
def test_other_changes_are_noticed(after: str, words: list[str]) -> None:
    found = list(other_changes(BEFORE, after))
    assert [word.partition(":")[0] for word in found] == words


def test_a_case_is_always_the_same() -> None:
    assert case(7) == case(7)
    assert isinstance(case(7), Case)
