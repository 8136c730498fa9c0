"""`wirebook explain`: the catalogue and one rule."""

from __future__ import annotations

import re

import pytest

from tests.cli.refusing import refused
from wirebook.cli.explain import explanation
from wirebook.cli.main import main
from wirebook.rules.catalogue import all_rules
from wirebook.rules.rule import SECTIONS


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_table_names_every_rule_once(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "explain")
    rows = re.findall(
        r"^  ([a-z0-9-]+) +(wire|policy|spec|set|source) +(error|warning|info)\b", out, re.MULTILINE
    )
    assert rows == [(rule.name, rule.category.value, rule.severity.value) for rule in all_rules()]
    assert f"{len(rows)} rules;" in out


def test_a_rule_is_explained_with_all_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "explain", "tag-reused")
    assert out.startswith("tag-reused: A tag belongs to one field permanently\n")
    assert "KIP-482" in out
    assert all(f"\n{heading}\n" in out for heading in SECTIONS)
    assert "\x1b" not in out
    assert "configuration cannot lower it" in printed(capsys, "explain", "api-versions-deprecated")


def test_every_rule_can_be_explained() -> None:
    for rule in all_rules():
        lines = list(explanation(rule))
        words = " ".join(" ".join(lines).split())
        for part in rule.documentation.values():
            plain = [line for line in part.split("\n") if not line.startswith("```")]
            assert " ".join(" ".join(plain).split()) in words
        assert max(map(len, lines)) <= 130, rule.name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tag-reusd", "did you mean tag-reused"),
        ("TAG_REUSED", "did you mean tag-reused"),
        ("nullabil", "did you mean nullability-changed?"),
        ("qqq", "`wirebook explain` lists them"),
        ("\x1b[2J", 'there is no rule "\\u001b[2J"'),
    ],
)
def test_a_typo_gets_the_nearest_names(
    capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    assert words in refused(capsys, "explain", name)
