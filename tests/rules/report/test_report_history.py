"""Commits of the real history: every format of every one is made, fits, and is valid."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.rules.report.reviews import reviewed
from tests.support import history_repo, needs_shared
from wirebook.docgen.pages.schemas import bundled
from wirebook.rules.report import html, markdown

EVERY = 12  # commits of which one is reviewed

pytestmark = needs_shared


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings for a clone of the real history, which is the current folder."""
    clone = ["git", "clone", "-q", "-n", "-s", str(history_repo()), str(tmp_path / "kafka")]
    subprocess.run(clone, check=True)
    monkeypatch.chdir(tmp_path / "kafka")
    settings = tmp_path / "kafka.toml"
    settings.write_text('extends = "kafka"\n')
    return settings


def test_a_sample_of_the_history_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(history_repo())
    command = ["git", "rev-list", "--reverse", "trunk"]
    commits = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    validator = Draft202012Validator(json.loads(bundled("report")))
    for commit in commits[1::EVERY]:
        made = reviewed(f"{commit}^..{commit}")
        text = markdown.render(made)
        assert text.startswith(markdown.MARK)
        assert len(text) <= markdown.LETTERS
        assert html.render(made).endswith("</html>\n")
        validator.validate(made.to_json())


def test_the_null_records_of_fetch(settings: Path) -> None:
    """KAFKA-18646: versions 4-17 of a released response change, and releases serve them."""
    text = markdown.render(reviewed("29df9b6^..29df9b6", settings))
    assert "misread each other in versions 4-17; releases since 0.11.0 serve" in text
    assert len(text.splitlines()) <= 20


def test_a_major_release_is_a_comment_that_people_read(settings: Path) -> None:
    text = markdown.render(reviewed("3.9.1..4.0.0", settings))
    assert len(text.encode()) <= 12_000
    assert "clients of Kafka 0.8.0 to 0.10.2 are cut off" in text
