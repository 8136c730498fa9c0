"""The documents of the repository: links lead somewhere, and forms and templates are what GitHub
reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.support import ROOT
from wirebook.cli.commands import COMMANDS

DECISIONS = ROOT / "docs" / "decisions"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
DOCUMENTS = sorted(
    path
    for glob in ("*.md", ".github/*.md", "docs/**/*.md")
    for path in ROOT.glob(glob)
    if path.is_file()
)
# What the schema of issue forms allows.
FIELDS = {"input", "textarea", "dropdown", "checkboxes"}


def prose(path: Path) -> str:
    """A document without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]+`", "", path.read_text("utf-8"), flags=re.M | re.S)


def anchors(path: Path) -> set[str]:
    """The anchors that the headings of a document get on GitHub and in MkDocs, and those that it
    names."""
    text = path.read_text("utf-8")
    named = set(re.findall(r"\{ #([\w-]+) \}|<span id=\"([\w-]+)\"", text))
    headings = re.findall(r"^#+ (.+?)(?: \{ #.*\})?$", text, re.M)
    words = [
        re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", heading)).strip() for heading in headings
    ]
    return {each for pair in named for each in pair} | {
        word.lower().replace(" ", "-") for word in words
    }


def broken(path: Path) -> Iterator[str]:
    """The relative links of a document that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if not target.startswith(("https://", "http://")):
            name, _, anchor = target.partition("#")
            file = path if not name else path.parent / name
            if not file.exists() or (
                anchor and file.suffix == ".md" and anchor not in anchors(file)
            ):
                yield target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    assert list(broken(path)) == []


def test_every_decision_is_listed_and_short() -> None:
    records = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))
    index = (DECISIONS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\d{4})\]\((\S+)\) \| (.+) \|$", index, re.M)
    assert [name for _, name, _ in rows] == records
    assert len(records) <= 10
    for number, name, title in rows:
        lines = (DECISIONS / name).read_text("utf-8").splitlines()
        assert lines[0] == f"# {number}: {title}"
        assert re.fullmatch(
            r"Date: 20\d\d-\d\d-\d\d\. Status: (accepted|replaced by \[\d{4}\]\(\S+\))\.", lines[2]
        )
        assert [line for line in lines if line.startswith("## ")] == [
            "## Context",
            "## Decision",
            "## Consequences",
        ]
        assert len(lines) <= 30


def test_what_a_decision_names_is_there() -> None:
    for path in DECISIONS.glob("[0-9]*.md"):
        named = re.findall(r"`([\w./]+/[\w./]*|\w+\.(?:yml|toml|md))`", path.read_text("utf-8"))
        wrong = [
            name
            for name in named
            if name not in ("src/", "rules/", "wirebook/") and not (ROOT / name).exists()
        ]
        assert wrong == [], path.name


def form(name: str) -> dict[str, Any]:
    """An issue form by its file."""
    loaded: dict[str, Any] = yaml.safe_load((FORMS[0].parent / name).read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_is_one(path: Path) -> None:
    loaded = form(path.name)
    if path.name == "config.yml":
        assert loaded == {"blank_issues_enabled": False}
        return
    assert loaded.keys() == {"name", "description", "labels", "body"}
    asked = [field for field in loaded["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in asked} <= FIELDS
    assert len({field["id"] for field in asked}) == len(asked) > 3
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
    text = path.read_text("utf-8")
    commands = set(re.findall(r"`wirebook (?!--)([a-z]+)", text))
    assert commands <= COMMANDS.keys()
    assert "@" not in text


def test_the_changelog_is_for_somebody_new() -> None:
    """Nobody had what an earlier state did: 0.1.0 is the first release."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    lines = text.splitlines()
    assert lines[0] == "# Changelog"
    first = text.partition("\n## 0.1.0 ")[2].partition("\n## ")[0]
    assert 20 < len(first.splitlines()) <= 60
    assert re.findall(r"\b(?:no longer|now|fixed|used to|previously)\b", first, re.I) == []
    assert max(map(len, lines)) <= 160
