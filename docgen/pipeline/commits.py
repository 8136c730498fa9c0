"""A repository's history as a list of judgements: commits against parents, releases in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wirebook.docgen.catalog.order import order_releases
from wirebook.rules.opened import chosen_settings
from wirebook.rules.settings import all_settings, selection_of
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import spec_texts
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.releases import releases_of


class SpecEntry(NamedTuple):
    """A spec in a commit: its path, and git's name for its text."""

    path: str
    digest: str


Listing = tuple[SpecEntry, ...]


@dataclass(frozen=True, slots=True)
class AuditStep:
    """One judgement to make: a commit against its first parent, or a release against the one before.

    `name` is the release, or the commit's full name. `old` and `new` name commits whose specs are compared;
    `old` is None for a commit without a parent. `baselines` are the releases that were out when it was made.
    """

    kind: str
    name: str
    commit: str
    date: str
    subject: str
    against: str | None
    old: str | None
    new: str
    baselines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All judgements of a repository, in order, and what they are based on.

    `trees` has the specs of each commit that is named, `texts` each distinct text with one of its paths.
    `profile` is that of the newest commit.
    """

    steps: tuple[AuditStep, ...]
    releases: tuple[str, ...]
    trees: Mapping[str, Listing]
    texts: Mapping[str, tuple[str, bytes]]
    tip: str
    profile: Profile = NEUTRAL


@dataclass(frozen=True, slots=True)
class _Commit:
    commit: str
    parent: str | None
    moment: int
    subject: str


def read_history(repository: str, pattern: str, revision: str = "HEAD") -> History:
    """Read the commits of a history and its releases.

    The commits are the first-parent line of `revision`, the releases the tags that match `pattern`. A release
    is out from the moment its tag was created: release tags are often on branches of their own, so by
    ancestry the main line would contain none. It is no baseline of the commit that it names. Raises
    InputError if there is nothing to judge.
    """
    with Git(Path(repository)) as git:
        tip = git.commit(revision)
        if tip is None:
            raise InputError(f'it has no commit "{revision}"', repository)
        line = _first_parents(git, tip)
        tags = {release.name: release for release in releases_of(git, [pattern])}
        if not tags:
            raise InputError(f'no tag of {repository} matches "{pattern}"')
        ordered = order_releases(list(tags))
        names = [release.name for release in ordered]
        out = [(name, tags[name].moment) for name in names]
        steps = [
            AuditStep(
                kind="commit",
                name=landed.commit,
                commit=landed.commit,
                date=_utc_day(landed.moment),
                subject=landed.subject,
                against=landed.parent,
                old=landed.parent,
                new=landed.commit,
                baselines=tuple(
                    name
                    for name, moment in out
                    if moment <= landed.moment and tags[name].commit != landed.commit
                ),
            )
            for landed in line
        ]
        for release in ordered:
            before = release.predecessor
            moment = tags[release.name].moment
            steps.append(
                AuditStep(
                    kind="release",
                    name=release.name,
                    commit=tags[release.name].commit,
                    date=_utc_day(moment),
                    subject=f"release {release.name}",
                    against=before,
                    old=None if before is None else tags[before].commit,
                    new=tags[release.name].commit,
                    baselines=tuple(
                        name
                        for name, other in out
                        if name != release.name and (other < moment or name == before)
                    ),
                )
            )
        commits = dict.fromkeys(commit for step in steps for commit in (step.old, step.new) if commit)
        every = all_settings(trees.of_commit(git, tip))
        settings = chosen_settings(every, "", is_here=True)
        selection = selection_of(settings, every)
        texts: dict[str, tuple[str, bytes]] = {}
        known: dict[tuple[str, str], SpecText | None] = {}
        listings: dict[str, Listing] = {}
        for commit in commits:
            found = spec_texts(trees.of_commit(git, commit), selection, known)
            texts |= {text.digest: (text.path, text.text) for text in found}
            listings[commit] = tuple(SpecEntry(text.path, text.digest) for text in found)
    listings |= {name: listings[tags[name].commit] for name in names}
    return History(tuple(steps), tuple(names), listings, texts, tip, settings.profile)


def _first_parents(git: Git, tip: str) -> list[_Commit]:
    """The line of a commit's first parents, oldest first."""
    line = []
    for text in git.lines("log", "--first-parent", "--reverse", "--format=%H%x00%P%x00%ct%x00%s", tip, "--"):
        commit, parents, moment, subject = text.split("\0")
        subject = subject.encode("utf-8", "replace").decode()
        line.append(_Commit(commit, parents.split(" ")[0] or None, int(moment), subject))
    return line


def _utc_day(seconds: int) -> str:
    """The UTC day (YYYY-MM-DD) of a Unix timestamp: days in the time zones of committers do not compare."""
    return datetime.fromtimestamp(seconds, tz=UTC).date().isoformat()
