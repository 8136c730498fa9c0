"""What a survey keeps of each repository, so that the next one reads only those that have changed."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook.docgen.survey.reading import Commit, Point, RepositoryHistory, SurveyedFile
from wirebook.docgen.survey.repositories import Given
from wirebook.docgen.survey.texts import JudgedText, Tag, VersionBytes
from wirebook.specs.own_code import digest
from wirebook.specs.profile import Profile
from wirebook.specs.sources.git import GitRepo, run

KeptRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeptHistory:
    """The history of a repository as of a state, encoded (`encoded`)."""

    state: str
    history: bytes


@cache
def code() -> str:
    """A digest of the code that reads histories and judges texts."""
    return digest("specs", "docgen")


def state_of(repository: Given, protocol: str | None) -> str:
    """What decides the history of a repository: its head, its branches and tags, and what counts of them.

    Raises InputError if it is not a repository.
    """
    with GitRepo(repository.path) as opened:
        head = opened.resolve("HEAD")
        refs = run(opened.folder, "for-each-ref", "--format=%(objectname) %(refname)")
        shallow = run(opened.folder, "rev-parse", "--is-shallow-repository").strip()
    parts = (repository.name, repository.pattern or "", protocol or "", head, repr(refs), repr(shallow))
    return f"{head} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


def encoded(history: RepositoryHistory) -> bytes:
    """A history as bytes, without its profile."""
    parts = (
        *(history.name, history.files, history.since, history.points),
        *(history.tip, history.commits, history.left_out),
    )
    return zlib.compress(json.dumps(parts, separators=(",", ":")).encode("utf-8", "surrogateescape"))


def decoded(text: bytes) -> RepositoryHistory:
    """The history that was `encoded`, with the neutral profile."""
    parts = json.loads(zlib.decompress(text).decode("utf-8", "surrogateescape"))
    name, files, since, points, tip, commits, left_out = parts
    return RepositoryHistory(
        name=name,
        files=tuple(SurveyedFile(*file) for file in files),
        since=tuple(None if commit is None else Commit(*commit) for commit in since),
        points=tuple(Point(*point)._replace(files=tuple(point[-1])) for point in points),
        tip=Commit(*tip),
        commits=commits,
        left_out=left_out,
    )


def history_row(name: str, kept: KeptHistory) -> KeptRow:
    """The row of a repository in the table of histories."""
    head, _, state = kept.state.partition(" ")
    return {"repository": name, "head": head, "state": state, "code": code(), "history": kept.history}


def kept_histories(rows: Iterable[Mapping[str, Any]]) -> dict[str, KeptHistory]:
    """The histories in rows that this code has written, by the names of the repositories."""
    return {
        row["repository"]: KeptHistory(f"{row['head']} {row['state']}", row["history"])
        for row in rows
        if row["code"] == code()
    }


class KeptTexts:
    """Judged texts, each for the places that it was judged for, by one profile."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._rows = {row["object"]: row for row in rows}

    def get(self, name: str, places: Iterable[int], judge: str) -> JudgedText | None:
        """A text that this `judge` (`judge_of`) has judged; None if it has not."""
        row = self._rows.get(name)
        if row is None or row["judge"] != judge or row["judged_at"] != sorted(places):
            return None
        values = {key: row[key] for key in JudgedText._fields}
        values["places"] = frozenset(row["places"])
        values["versions"] = tuple(VersionBytes(**each) for each in row["versions"])
        values["tags"] = tuple(Tag(**each) for each in row["tags"])
        return JudgedText(**values)


def judge_of(profile: Profile) -> str:
    """What judges texts: this code, by a profile."""
    return hashlib.sha256(f"{code()}\0{profile!r}".encode("utf-8", "backslashreplace")).hexdigest()[:32]


def text_rows(
    texts: Mapping[str, JudgedText], places: Mapping[str, list[int]], judge: str
) -> Iterator[KeptRow]:
    """The rows of the table of texts; `places` are those that each was judged for."""
    for name in sorted(texts):
        text = texts[name]
        yield text._asdict() | {
            "places": sorted(text.places),
            "versions": [each._asdict() for each in text.versions],
            "tags": [each._asdict() for each in text.tags],
            "judged_at": sorted(places[name]),
            "judge": judge,
        }
