"""A repository's history as a list of judgements: commits against parents, releases in their order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from wirebook.docgen.catalog.order import order_releases
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.profile_choice import profile_of
from wirebook.specs.sources.git import GitRepo, SpecEntry, git_releases, run, utc_day
from wirebook.specs.sources.source import Source

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

    The commits are the first-parent line of `revision`, the releases the tags that match `pattern`. A
    release is out from the moment its tag
    was created: release tags are often on branches of their own, so by ancestry the main line would contain
    none. It is no baseline of the commit that it names. Raises InputError if there is nothing to judge.
    """
    with GitRepo(repository) as opened:
        tip = opened.resolve(revision)
        folder = str(opened.folder)
        line = _first_parents(folder, tip)
        tags = {release.name: release for release in git_releases(folder, pattern)}
        if not tags:
            raise InputError(f'no tag of {repository} matches "{pattern}"')
        moments = _tagged(folder)
        ordered = order_releases(list(tags))
        names = [release.name for release in ordered]
        out = [(name, moments[name]) for name in names]
        steps = [
            AuditStep(
                kind="commit",
                name=landed.commit,
                commit=landed.commit,
                date=utc_day(landed.moment),
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
            moment = moments[release.name]
            steps.append(
                AuditStep(
                    kind="release",
                    name=release.name,
                    commit=tags[release.name].commit,
                    date=utc_day(moment),
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
        entries: dict[SpecEntry, SpecEntry] = {}
        trees = {
            commit: tuple(entries.setdefault(entry, entry) for entry in opened.entries(commit))
            for commit in commits
        }
        trees |= {name: trees[tags[name].commit] for name in names}
        texts = {entry.digest: (entry.path, opened.read(entry.digest)) for entry in entries}
    newest = Source("git", repository, repository, tip, repository=opened)
    profile = profile_of(newest, [entry.path for entry in trees.get(tip, ())])
    return History(tuple(steps), tuple(names), trees, texts, tip, profile)


def _first_parents(folder: str, tip: str) -> list[_Commit]:
    """The line of a commit's first parents, oldest first."""
    printed = run(folder, "log", "--first-parent", "--reverse", "--format=%H%x00%P%x00%ct%x00%s", tip, "--")
    line = []
    for text in _lines(printed):
        commit, parents, moment, subject = text.split("\0")
        subject = subject.encode("utf-8", "replace").decode()
        line.append(_Commit(commit, parents.split(" ")[0] or None, int(moment), subject))
    return line


def _tagged(folder: str) -> dict[str, int]:
    """When each tag was created, in seconds; a lightweight one is as old as its commit."""
    printed = run(folder, "for-each-ref", "--format=%(refname:strip=2)%00%(creatordate:unix)", "refs/tags")
    rows = (text.split("\0") for text in _lines(printed))
    return {name: int(moment or 0) for name, moment in rows}


def _lines(printed: bytes) -> list[str]:
    """The lines that git printed; names and subjects may contain line separators that only Python knows."""
    return [os.fsdecode(line) for line in printed.split(b"\n") if line]
