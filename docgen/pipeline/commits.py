"""A repository's history as judgements: commits against parents, then releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wirebook.docgen.catalog.order import order_releases
from wirebook.rules.opened import chosen_settings
from wirebook.rules.settings import all_settings, selection_of
from wirebook.specs import trees
from wirebook.specs.discovery import SpecText
from wirebook.specs.git import Git
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.project import texts_of_commits
from wirebook.specs.releases import releases_of


@dataclass(frozen=True, slots=True)
class AuditStep:
    """One judgement to make: a commit against its first parent, or a release against the one
    before.

    `name` is the release, or the commit's full name, and `against` the other one; `old` is the
    commit of that, None for a commit without a parent. `baselines` are the releases that were out
    when it was made.
    """

    kind: str
    name: str
    commit: str
    date: str
    subject: str
    against: str | None
    old: str | None
    baselines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All judgements of a repository, in order, and what they are based on. `releases` has the
    commit of each release, oldest first, and `specs` the specs of each commit. `profile` is that of
    the newest commit, `tip`."""

    steps: tuple[AuditStep, ...]
    releases: Mapping[str, str]
    specs: Mapping[str, Sequence[SpecText]]
    tip: str
    profile: Profile = NEUTRAL


def read_history(repository: str, pattern: str, revision: str = "HEAD") -> History:
    """Read the commits of a history and its releases.

    The commits are the first-parent line of `revision`, the releases the tags that match `pattern`.
    A release is out from the moment its tag was created: release tags are often on branches of
    their own, so by ancestry the main line would contain none. It is no baseline of the commit that
    it names. Raises InputError if there is nothing to judge.
    """
    with Git(Path(repository)) as git:
        tip = git.commit(revision)
        if tip is None:
            raise InputError(f'it has no commit "{revision}"', repository)
        tags = {release.name: release for release in releases_of(git, [pattern])}
        if not tags:
            raise InputError(f'no tag of {repository} matches "{pattern}"')
        steps: list[AuditStep] = []
        form = "--format=%H%x00%P%x00%ct%x00%s"
        for line in git.lines("log", "--first-parent", "--reverse", form, tip, "--"):
            commit, parents, written, words = line.split("\0")
            parent, moment = parents.split(" ")[0] or None, int(written)
            known = (tag for tag in tags.values() if tag.commit != commit)
            out = tuple(tag.name for tag in known if tag.moment <= moment)
            words, day = words.encode("utf-8", "replace").decode(), _day(moment)
            steps.append(AuditStep("commit", commit, commit, day, words, parent, parent, out))
        for name, before, _ in order_releases(list(tags)):
            own, old = tags[name], None if before is None else tags[before].commit
            known = (tag for tag in tags.values() if tag.name != name)
            out = tuple(tag.name for tag in known if tag.moment < own.moment or tag.name == before)
            words, day = f"release {name}", _day(own.moment)
            steps.append(AuditStep("release", name, own.commit, day, words, before, old, out))
        every = all_settings(trees.of_commit(git, tip))
        settings = chosen_settings(every, "", is_here=True)
        commits = [commit for step in steps for commit in (step.old, step.commit) if commit]
        specs = texts_of_commits(git, commits, selection_of(settings, every))
    releases = {tag.name: tag.commit for tag in tags.values()}
    return History(tuple(steps), releases, specs, tip, settings.profile)


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, tz=UTC).date().isoformat()
