"""Reviews of what a patch does to a small repository, or of a range of the real history."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import history_repo
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.run import judge
from wirebook.rules.review.review import ReviewReport, review_all


def kafka(folder: Path) -> Path:
    """A clone of the real history; returns settings beside it that state its profile."""
    subprocess.run(["git", "clone", "-q", "-n", "-s", str(history_repo()), str(folder)], check=True)
    settings = folder.with_suffix(".toml")
    settings.write_text('extends = "kafka"\n')
    return settings


def reviewed(against: str = "HEAD", config: Path | None = None) -> ReviewReport:
    """The review of the working tree, or of a range, of the repository in the current folder."""
    found = judge(CheckRequest(against=against, config=config))
    return review_all(found.report, found.compared)
