"""Patterns of links: what they match, and what is not one."""

from __future__ import annotations

import re

import pytest

from wirebook.specs.link_pattern import compiled


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("KIP-{number}", "KIP-1, SKIP-2; KIP-30b KIP-x _KIP-4", [("KIP-1", "1"), ("KIP-30", "30")]),
        ("#{number}", "a#1 #22", [("#1", "1"), ("#22", "22")]),
        ("{word}/{word}#{number}", "see a_b/c#7, d-/c#8", [("a_b/c#7", "a_b", "c", "7")]),
        ("RFC {number}.", "RFC 1, RFC 2.", [("RFC 2.", "2")]),
        ("A-{number}-{number}", "A-1-2-3", [("A-1-2", "1", "2")]),
        # Only these digits and letters: no others are in addresses of issues.
        ("KIP-{number}", "KIP-\u0661", []),
        ("x{word}", "x\u00e9 x1", [("x1", "1")]),
    ],
)  # fmt: skip
def test_a_pattern_matches_text_and_placeholders(
    pattern: str, text: str, matches: list[tuple[str, ...]]
) -> None:
    assert [(each[0], *each.groups()) for each in compiled(pattern).finditer(text)] == matches


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"KIP-(\d+)", 'regular expressions are not patterns; write "KIP-{number}"'),
        (r"\bKAFKA-\d+\b", 'write "KAFKA-{number}"'),
        (r"(?:[0-9]+)\.x", 'write "{number}.x"'),
        (r"(\w+)/(\w+)#(\d+)", 'write "{word}/{word}#{number}"'),
        (r"\d+", 'write text with {number} and {word}, such as "ISSUE-{number}"'),
        ("(KIP|OTR)-[0-9]+", "write text with {number} and {word}, such as"),
        ("a?" * 30 + "a" * 30 + r"b(\d+)", "write text with {number} and {word}, such as"),
        ("KIP-{Number}", '"{Number}" is not a placeholder; these are {number} and {word}'),
        ("KIP-{number", '"{" is not a placeholder'),
        ("KIP-number}", '"}" is not a placeholder'),
        ("KIP-{}", '"{}" is not a placeholder'),
        ("{number}{word}-", "text that a placeholder cannot match must follow it"),
        ("A{number}0", "text that a placeholder cannot match must follow it"),
        ("A-{word}_b", "text that a placeholder cannot match must follow it"),
        ("{number}", 'a pattern has text beside its placeholders, such as "ISSUE-{number}"'),
        ("a" * 201, "a pattern has at most 200 characters"),
    ],
)
def test_what_is_not_a_pattern(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        compiled(pattern)


def test_a_pattern_may_have_200_characters() -> None:
    assert compiled("a" * 200).fullmatch("a" * 200)
