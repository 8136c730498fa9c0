"""Commits of the real history: every format of every one is made, fits, and is valid."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.rules.review.reviews import kafka, reviewed
from tests.support import ROOT, history_repo, needs_shared
from wirebook.docgen.render.review import html, markdown
from wirebook.rules.review.document import to_document

EVERY = 12  # commits of which one is reviewed

pytestmark = needs_shared


def test_a_sample_of_the_history_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    repo = history_repo()
    monkeypatch.chdir(repo)
    command = ["git", "rev-list", "--reverse", "trunk"]
    commits = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    validator = Draft202012Validator(
        json.loads((ROOT / "rules/schema/report.json").read_text(encoding="utf-8"))
    )
    for commit in commits[1::EVERY]:
        made = reviewed(f"{commit}^..{commit}")
        text = markdown.render(made)
        assert text.startswith(markdown.MARK)
        assert len(text) <= markdown.LETTERS
        assert "<sub" not in text
        assert html.render(made).endswith("</html>\n")
        validator.validate(to_document(made))
    assert len(commits) == 431


def test_the_null_records_of_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KAFKA-18646: versions 4-17 of a released response change, and releases serve them."""
    settings = kafka(tmp_path / "kafka")
    monkeypatch.chdir(settings.with_suffix(""))
    text = markdown.render(reviewed("29df9b6^..29df9b6", settings))
    assert "\n-       records => COMPACT_NULLABLE_RECORDS\n+       records => COMPACT_RECORDS\n" in text
    assert "Releases that serve them: 0.11.0 to 4.3." in text
