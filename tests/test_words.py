"""`make lint` checks the words of our prose by tools/words.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT
from tools.check_words import hits, main, words


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("site_src/page.md", "# Tags\n\nA `burnt` tag is burnt.\n", 3),
        ("site_src/page.md", "```\nburnt\n```\nNow the value\nstands\nin it.\n", 5),
        ("README.md", "See [it](burnt.md), <!-- burnt -->\nand mend it.\n", 2),
        ("docgen/pages/a.html.jinja", "<p class='burnt'>{{ burnt }} Burnt</p>\n", 1),
        ("specs/kafka/texts/Fetch.json", '{"burnt": "is burnt"}\n', 1),
        ("rules/fields/a_rule.py", '"""Ä."""\nburnt = f"{burnt} ok"\nx = "ä burnt"\n', 3),
    ],
)
def test_a_planted_word_is_reported_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, line: int
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(tmp_path) == 1
    [found] = capsys.readouterr().err.splitlines()
    assert found.startswith(f"{name}:{line}: ")


def test_an_entry_is_a_pattern_an_arrow_and_what_to_write() -> None:
    [entry] = words("# comment\n\nmend(s|ed)?->fix\n")
    assert [hit[1:] for hit in hits(Path("a.md"), "Mended; amends, to-mend, mend", [entry])] == [
        ("Mended", "fix"),
        ("mend", "fix"),
    ]
    with pytest.raises(ValueError, match="line 2"):
        words("burnt->reserved\nburnt\n")


def test_the_list_is_sound() -> None:
    assert len(words((ROOT / "tools" / "words.txt").read_text("utf-8"))) > 30
