"""What a repository has had, by layout: which bytes of which version, since when, and at which points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from wirebook.docgen.survey.imports import blob_of
from wirebook.docgen.survey.reading import RELEASE, Commit, Point, RepositoryHistory, SurveyedFile
from wirebook.docgen.survey.texts import JudgedText
from wirebook.specs.reading.discovery import place_of
from wirebook.specs.wire.resemblance import LayoutItem, LayoutKey

JudgedByDigest = Mapping[str, JudgedText]


class FirstSeen(NamedTuple):
    """When a repository first had something: the first commit or point, and the first release."""

    day: str
    commit: str
    release: str | None = None
    release_day: str | None = None


class SurveyProblem(NamedTuple):
    """A spec that cannot be read, or that another one in the same state contradicts."""

    path: str
    object: str
    problem: str
    is_in_newest: bool


def items_of(text: JudgedText) -> list[LayoutItem]:
    """The versions of a text with their bytes."""
    return [
        LayoutItem(LayoutKey(text.subject, text.part, version), fingerprint)
        for version, fingerprint in text.versions
    ]


@dataclass(frozen=True, slots=True)
class SurveyState:
    """A point with what it has: the layouts, and the texts that they are from."""

    point: Point
    items: Mapping[LayoutKey, str]
    texts: tuple[JudgedText, ...]


@dataclass(frozen=True, slots=True)
class LayoutHistory:
    """All that a repository has had; `states` are its points in their order, `newest` the one that counts."""

    history: RepositoryHistory
    since: Mapping[LayoutItem, FirstSeen]
    states: tuple[SurveyState, ...]
    newest: SurveyState
    problems: tuple[SurveyProblem, ...]
    texts: int


def layouts_of(history: RepositoryHistory, judged: JudgedByDigest) -> LayoutHistory:
    """What a repository has had, of the judged texts of all repositories."""
    texts = [_spec(judged, file) for file in history.files]
    since: dict[LayoutItem, FirstSeen] = {}
    for text, commit in zip(texts, history.since, strict=True):
        if text is not None and commit is not None:
            _note(since, text, commit)
    doubled: dict[tuple[str, str], SurveyProblem] = {}
    states: dict[int, SurveyState] = {}
    same: dict[tuple[int, ...], SurveyState] = {}
    newest = history.newest
    by_day = sorted(range(len(history.points)), key=lambda number: (history.points[number].day, number))
    for number in by_day:
        point = history.points[number]
        earlier_state = same.get(point.files)
        if earlier_state is not None:
            states[number] = SurveyState(point, earlier_state.items, earlier_state.texts)
            continue
        spec_files = [(history.files[file], texts[file]) for file in point.files]
        texts_of_point, twice = _held(spec_files, point is newest)
        doubled |= {(problem.path, problem.object): problem for problem in twice}
        commit = Commit(point.day, point.commit)
        for text in texts_of_point:
            _note(since, text, commit, point.name if point.kind == RELEASE else None)
        items = {place: fingerprint for text in texts_of_point for place, fingerprint in items_of(text)}
        states[number] = same[point.files] = SurveyState(point, items, tuple(texts_of_point))
    return LayoutHistory(
        history,
        since,
        tuple(states[number] for number in range(len(history.points))),
        states[history.points.index(newest)],
        (*_broken(history, texts), *(doubled[key] for key in sorted(doubled))),
        len({text.object for text in texts if text is not None}),
    )


def _spec(judged: JudgedByDigest, file: SurveyedFile) -> JudgedText | None:
    """The judged text of a file; None if it is not a spec."""
    text = judged[file.object]
    return text if place_of(file.path) in text.places else None


def _note(
    since: dict[LayoutItem, FirstSeen], text: JudgedText, commit: Commit, release: str | None = None
) -> None:
    """Note that a commit or a release has the layouts of a text."""
    for item in items_of(text):
        first = since.get(item)
        if first is None:
            since[item] = FirstSeen(*commit, release, commit.day if release else None)
            continue
        if commit.day < first.day:
            first = first._replace(day=commit.day, commit=commit.name)
        elif commit.day == first.day and release is None:
            first = first._replace(commit=min(commit.name, first.commit))
        if release is not None and first.release is None:
            # Releases come in the order of their days.
            first = first._replace(release=release, release_day=commit.day)
        since[item] = first


def _held(
    files: Iterable[tuple[SurveyedFile, JudgedText | None]], is_newest: bool
) -> tuple[list[JudgedText], list[SurveyProblem]]:
    """The texts of a state; if two are about one message, the first counts."""
    texts_by_message: dict[tuple[str, str], tuple[str, JudgedText]] = {}
    twice = []
    for (path, name), text in files:
        if text is None or text.error is not None:
            continue
        key = (text.subject, text.part)
        if key in texts_by_message:
            problem = f"is about the same message as {texts_by_message[key][0]}, which counts"
            twice.append(SurveyProblem(path, blob_of(name), problem, is_newest))
        else:
            texts_by_message[key] = (path, text)
    return [text for _, text in texts_by_message.values()], twice


def _broken(history: RepositoryHistory, texts: Iterable[JudgedText | None]) -> list[SurveyProblem]:
    newest = {history.files[number] for number in history.newest.files}
    problems = [
        SurveyProblem(file.path, blob_of(file.object), text.error, file in newest)
        for file, text in zip(history.files, texts, strict=True)
        if text is not None and text.error is not None
    ]
    return sorted(set(problems))
