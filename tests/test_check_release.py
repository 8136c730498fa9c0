"""A release is published only if its tag, its changelog and its addresses agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT
from tools.check_release import main, problems

ADDRESS = "https://github.com/ada/wirebook"
PROJECT = '[project.urls]\nRepository = "{0}"\nIssues = "{0}/issues"\n'
FILES = {
    "wirebook/_version.py": '"""The version."""\n\n__version__ = "0.2.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## 0.2.0 (2027-02-03)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n",
    "pyproject.toml": PROJECT.format(ADDRESS),
}


def tree(folder: Path, **changed: str) -> Path:
    """A tree with the files that a release is judged by; `changed` replaces the text of one by its
    stem."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(
            changed.get(Path(name).stem.strip("_").lower(), text), encoding="utf-8"
        )
    return folder


def test_a_release_that_agrees_has_no_problem(tmp_path: Path) -> None:
    assert list(problems(tree(tmp_path), "0.2.0", ADDRESS)) == []
    assert main(["0.2.0", ADDRESS], tmp_path) == 0


@pytest.mark.parametrize(
    ("changed", "tag", "problem"),
    [
        ({}, "v0.2.0", 'the tag is "v0.2.0", and wirebook/_version.py has "0.2.0"'),
        (
            {"changelog": "# Changelog\n\n## 0.2.0 (not released yet)\n"},
            "0.2.0",
            'CHANGELOG.md begins with "0.2.0 (not released yet)": write "## 0.2.0 (YYYY-MM-DD)"',
        ),
        (
            {"changelog": "# Changelog\n\n## 0.1.0 (2026-12-01)\n"},
            "0.2.0",
            'CHANGELOG.md begins with "0.1.0 (2026-12-01)": write "## 0.2.0 (YYYY-MM-DD)"',
        ),
        (
            {"changelog": ""},
            "0.2.0",
            'CHANGELOG.md begins with "nothing": write "## 0.2.0 (YYYY-MM-DD)"',
        ),
        (
            {
                "pyproject": PROJECT.format(ADDRESS).replace(
                    "ada/wirebook/issues", "ada/wirebook2/issues"
                )
            },
            "0.2.0",
            f"pyproject.toml: the address Issues is {ADDRESS}2/issues, outside {ADDRESS}",
        ),
    ],
)
def test_each_contradiction_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, str],
    tag: str,
    problem: str,
) -> None:
    assert main([tag, ADDRESS], tree(tmp_path, **changed)) == 1
    assert capsys.readouterr().err == f"wirebook: {problem}\n"


def test_both_arguments_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0.2.0"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_our_own_addresses_are_those_of_one_repository() -> None:
    found = list(problems(ROOT, "0.0.0", "https://nowhere.example/x"))
    outside = [line for line in found if "outside" in line]
    assert len(outside) == 4
    assert all("https://github.com/" in line and "/wirebook" in line for line in outside)
