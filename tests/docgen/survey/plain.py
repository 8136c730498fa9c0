"""A small upstream with made-up forks, and a survey in this process, without Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.docgen.survey.forks import Truth, Upstream, make_forks
from tests.repositories import Repo, request, response
from wirebook.docgen.survey.compare import Reference
from wirebook.docgen.survey.imports import blob_of, imported_blobs, read_with_imports, whole_text
from wirebook.docgen.survey.reading import RepositoryHistory
from wirebook.docgen.survey.records import SurveySummary
from wirebook.docgen.survey.report import report_of, texts_of
from wirebook.docgen.survey.repositories import Given
from wirebook.docgen.survey.states import items_of, layouts_of
from wirebook.docgen.survey.summary import summarize
from wirebook.docgen.survey.texts import JudgedText, judge_text
from wirebook.specs.reading.discovery import place_of
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.wire.resemblance import Bits

DAY = 86_400
NAMES = ("Produce", "Fetch", "ListOffsets", "Metadata", "LeaderAndIsr", "StopReplica", "UpdateMetadata")


def specs(key: int, name: str, high: int) -> list[dict[str, Any]]:
    """The two specs of an API with versions up to `high`."""
    both = (request, "Request"), (response, "Response")
    return [make(apiKey=key, name=f"{name}{kind}", validVersions=f"0-{high}") for make, kind in both]


def dated(repo: Repo, message: str, day: int) -> str:
    """A commit on some day of 2020."""
    when = f"{1_577_880_000 + day * DAY} +0000"
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", message, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)
    return repo.git("rev-parse", "HEAD")


def released(repo: Repo, name: str, day: int) -> None:
    """A tag on some day of 2020."""
    repo.git("tag", "-a", "-m", name, name, GIT_COMMITTER_DATE=f"{1_577_880_000 + day * DAY} +0000")


def upstream(folder: Path) -> Repo:
    """Seven APIs, six commits and three releases."""
    repo = Repo(folder)
    for step in range(6):
        for key, name in enumerate(NAMES):
            for spec in specs(key, name, 1 + (step + key) // 3):
                repo.spec(spec)
        repo.write("package.json", {"name": "x", "type": "module"})
        dated(repo, f"step {step}", 10 * step)
        if step % 2:
            released(repo, f"1.{step // 2}.0", 10 * step + 5)
    return repo


def forks(folder: Path, count: int, repo: Repo) -> list[Truth]:
    """Made-up forks of a repository with the releases of `upstream`."""
    return make_forks(Upstream(repo.folder, "1.2.0"), folder, count)


def given(truths: Sequence[Truth]) -> list[Given]:
    """The forks as a survey takes them."""
    return [Given(truth.name, os.fspath(truth.path)) for truth in truths]


def judged(repositories: Sequence[Given], histories: Sequence[RepositoryHistory]) -> dict[str, JudgedText]:
    """Each text of the histories, judged by the profile of the first."""
    found: dict[str, JudgedText] = {}
    for each, history in zip(repositories, histories, strict=True):
        places: dict[str, set[int]] = {}
        paths: dict[str, str] = {}
        for path, name in history.files:
            places.setdefault(name, set()).add(place_of(path))
            paths[name] = min(path, paths.get(name, path))
        with GitRepo(each.path) as opened:
            imported = {name: opened.objects.query_one(name) for name in imported_blobs(places)}
            for name in sorted(places.keys() - found.keys()):
                blob = whole_text(name, opened.objects.query_one(blob_of(name)), paths[name], imported)
                found[name] = judge_text(blob, paths[name], places[name], histories[0].profile)
    return found


def survey(repositories: Sequence[Given]) -> SurveySummary:
    """The summary, the first repository being the reference."""
    histories = [read_with_imports(each) for each in repositories]
    texts = judged(repositories, histories)
    bits = Bits(item for text in texts.values() for item in items_of(text))
    layouts = [layouts_of(history, texts) for history in histories]
    reference = Reference.of(layouts[0], bits)
    reports = [report_of(each, reference, texts_of(each, texts)) for each in layouts]
    return summarize(reports, bits, sum(bool(text.places) for text in texts.values()))
