"""Reads the history of one repository: which files may be specs, and since when; no spec is parsed."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from wirebook.docgen.survey.repositories import Given
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.protocols import ProtocolPart, chosen_part
from wirebook.specs.reading.discovery import SpecText, candidate, is_spec, place_of, shown
from wirebook.specs.sources.git import GitRepo, run, utc_day
from wirebook.specs.sources.source import Source

RELEASE, BRANCH, TIP = "release", "branch", "tip"
FIRST_DAY = "1970-01-01"  # where an object has no day


class SurveyedFile(NamedTuple):
    """A file that may be a spec: its path and the name of its object in git."""

    path: str
    object: str


class Commit(NamedTuple):
    """A commit and its day (YYYY-MM-DD), in UTC."""

    day: str
    name: str


class Point(NamedTuple):
    """A state of a repository that counts: a release, a branch or the tip of the main line.

    `files` are the numbers of its files in `RepositoryHistory.files`.
    """

    kind: str
    name: str
    commit: str
    day: str
    is_prerelease: bool
    files: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RepositoryHistory:
    """What a repository has had: its files, the first commit of the line that has each, and the points.

    The line is that of first parents of HEAD, or of the requested branches. `points` are in the
    order of their versions, branches in that of their days, the tip last. `profile` is that of the newest
    specs, and `left_out` counts the tags that match but name no release.
    """

    name: str
    files: tuple[SurveyedFile, ...]
    since: tuple[Commit | None, ...]
    points: tuple[Point, ...]
    tip: Commit
    commits: int
    left_out: int
    profile: Profile = NEUTRAL

    @property
    def newest(self) -> Point:
        """The newest release, pre-releases last; without a release the newest branch, or the tip."""
        releases = [point for point in self.points if point.kind == RELEASE]
        final = [point for point in releases if not point.is_prerelease]
        return (final or releases or [point for point in self.points if point.kind == BRANCH] or self.points)[
            -1
        ]


class _Ref(NamedTuple):
    kind: str
    name: str
    commit: str
    day: str
    is_prerelease: bool = False


def read_repository(repository: Given, protocol: str | None = None) -> RepositoryHistory:
    """The history of a repository; if the specs are of several protocols, `protocol` names the one to read.

    It never fetches. Raises InputError if it is not a repository, is shallow (its first dates would be
    wrong) or lacks texts, or if nothing matches a pattern.
    """
    with GitRepo(repository.path) as opened:
        if run(opened.folder, "rev-parse", "--is-shallow-repository").startswith(b"true"):
            text = "this is a shallow clone, which lacks dates; to get them: git fetch --unshallow"
            raise InputError(text, repository.path)
        head = opened.resolve("HEAD")
        refs, left_out = _refs(opened, repository)
        branches = [ref.commit for ref in refs if ref.kind == BRANCH]
        tips = branches or [head]
        if not branches:
            refs.append(_Ref(TIP, "HEAD", head, opened.day(head) or FIRST_DAY))
        files = _Files()
        since: dict[int, Commit] = {}
        for commit, added in _line(opened, tips):
            for path, name in added:
                number = files.number(path, name)
                since[number] = min(commit, since.get(number, commit))
        points = []
        for ref in refs:
            numbers = [files.number(*item) for item in sorted(opened.candidates(ref.commit).items())]
            points.append(Point(*ref, tuple(numbers)))
        tip = Commit(refs[-1].day, refs[-1].commit)
        every_file = files.all
        history = RepositoryHistory(
            name=repository.name,
            files=tuple(every_file),
            since=tuple(since.get(number) for number in range(len(every_file))),
            points=tuple(points),
            tip=tip,
            commits=int(run(opened.folder, "rev-list", "--first-parent", "--count", *tips, "--")),
            left_out=left_out,
        )
        return _of_protocol(history, opened, repository, protocol)


class _Files:
    """Numbers files in the order in which they are encountered."""

    def __init__(self) -> None:
        self._numbers: dict[SurveyedFile, int] = {}

    def number(self, path: str, name: str) -> int:
        return self._numbers.setdefault(SurveyedFile(path, name), len(self._numbers))

    @property
    def all(self) -> list[SurveyedFile]:
        return list(self._numbers)


def _refs(opened: GitRepo, repository: Given) -> tuple[list[_Ref], int]:
    """The releases or branches that count, and how many tags match but name no release."""
    releases = opened.releases(repository.pattern or "*")
    refs = [
        _Ref(RELEASE, release.name, release.commit, release.date or FIRST_DAY, release.is_prerelease)
        for release in releases.found
        if repository.pattern is not None or not release.is_prerelease
    ]
    if refs or repository.pattern is None:
        return refs, len(releases.left_out)
    names = os.fsdecode(
        run(opened.folder, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    )
    for ref in sorted(names.split("\n")):
        name = ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
        if ref and not ref.endswith("/HEAD") and fnmatch.fnmatchcase(name, repository.pattern):
            commit = opened.resolve(ref)
            refs.append(_Ref(BRANCH, name, commit, opened.day(commit) or FIRST_DAY))
    if not refs:
        raise InputError(
            f'no tag that names a release and no branch matches "{repository.pattern}"', repository.path
        )
    return sorted(refs, key=lambda ref: (ref.day, ref.name)), 0


def _line(opened: GitRepo, tips: Sequence[str]) -> Iterator[tuple[Commit, list[tuple[str, str]]]]:
    """Each commit on the lines of first parents that changes files that may be specs, with what it adds."""
    # These settings override those of a user.
    printed = run(
        opened.folder,
        "-c", "log.showRoot=true", "-c", "log.diffMerges=separate", "-c", "diff.relative=false",
        "log", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-color",
        "-z", "--format=%x01%H %ct", *tips, "--", ":(top)*.json",
    )  # fmt: skip
    return _commits_of(printed)


def _commits_of(printed: bytes) -> Iterator[tuple[Commit, list[tuple[str, str]]]]:
    """Parse what `git log --raw -z` prints: a head, then pairs of what changed and a path."""
    commit: Commit | None = None
    added: list[tuple[str, str]] = []
    change = b""
    for part in printed.split(b"\0"):
        part = part.lstrip(b"\n") if not change else part
        if change:
            fields, change = change.split(b" "), b""
            path = shown(part)
            if fields[1].startswith(b"100") and path.endswith(".json") and candidate(path, False):
                added.append((path, fields[3].decode("ascii")))
        elif part.startswith(b"\1"):
            if commit is not None:
                yield commit, added
            name, _, seconds = part[1:].decode("ascii", "replace").partition(" ")
            day = utc_day(int(seconds)) if re.fullmatch(r"\d{1,11}", seconds, re.ASCII) else ""
            commit, added = Commit(day or FIRST_DAY, name), []
        elif part.startswith(b":"):
            change = part
    if commit is not None:
        yield commit, added


def _of_protocol(
    history: RepositoryHistory, opened: GitRepo, repository: Given, protocol: str | None
) -> RepositoryHistory:
    """The history with its profile, and only the files of the selected protocol."""
    part, claims = protocol_of(history, opened, repository, protocol)
    own_history = _kept(history, claims) if part.name else history
    return replace(own_history, profile=part.profile)


def protocol_of(
    history: RepositoryHistory, opened: GitRepo, repository: Given, protocol: str | None
) -> tuple[ProtocolPart, Callable[[str], bool]]:
    """The protocol of the newest specs of a history, and which paths are of it."""
    texts = []
    newest = history.newest
    for number in newest.files:
        path, name = history.files[number]
        blob = opened.objects.query_one(name)
        if blob.kind != "blob":
            raise opened.objects.damaged(name)
        if blob.is_complete and is_spec(blob.data, place_of(path)):
            texts.append(SpecText(path, blob.data, name))
    source = Source("git", repository.path, repository.name, newest.commit, repository=opened)
    return chosen_part(source, texts, protocol, repository.name)


def _kept(history: RepositoryHistory, claims: Callable[[str], bool]) -> RepositoryHistory:
    numbers = [number for number, file in enumerate(history.files) if claims(file.path)]
    new = {old: number for number, old in enumerate(numbers)}
    return replace(
        history,
        files=tuple(history.files[number] for number in numbers),
        since=tuple(history.since[number] for number in numbers),
        points=tuple(
            point._replace(files=tuple(new[number] for number in point.files if number in new))
            for point in history.points
        ),
    )
