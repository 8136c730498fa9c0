"""A repository's history as judgements: commits against parents, then releases, and what the rules
of `wirebook check` find in each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from wirebook.docgen.catalog.audit_records import AuditFinding
from wirebook.docgen.catalog.order import order_releases
from wirebook.docgen.catalog.spec_texts import SpecText, texts_of_commits
from wirebook.rules.engine import check, without_consequences
from wirebook.rules.finding import Category, Finding, Place, Severity
from wirebook.rules.opened import chosen_settings
from wirebook.rules.released import Baseline
from wirebook.rules.settings import all_settings, selection_of
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.json_records import from_json
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reader import read_message
from wirebook.specs.releases import Release, releases_of


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
    baselines: Sequence[str]


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
        steps = [*_commits(git, tip, tags.values()), *_releases(tags)]
        every = all_settings(trees.of_commit(git, tip))
        settings = chosen_settings(every, "", is_here=True)
        commits = [commit for step in steps for commit in (step.old, step.commit) if commit]
        specs = texts_of_commits(git, commits, selection_of(settings, every))
    releases = {tag.name: tag.commit for tag in tags.values()}
    return History(tuple(steps), releases, specs, tip, settings.profile)


def _commits(git: Git, tip: str, tags: Collection[Release]) -> Iterator[AuditStep]:
    form = "--format=%H%x00%P%x00%ct%x00%s"
    for line in git.lines("log", "--first-parent", "--reverse", form, tip, "--"):
        commit, parents, written, subject = line.split("\0")
        subject = subject.encode("utf-8", "replace").decode()
        parent, moment = parents.split(" ")[0] or None, int(written)
        out = [tag.name for tag in tags if tag.commit != commit and tag.moment <= moment]
        yield AuditStep("commit", commit, commit, _day(moment), subject, parent, parent, out)


def _releases(tags: Mapping[str, Release]) -> Iterator[AuditStep]:
    names = list(tags)
    for place, own in zip(order_releases(names), tags.values(), strict=True):
        before = None if place.predecessor is None else names[place.predecessor]
        old = None if before is None else tags[before].commit
        out = [tag.name for tag in tags.values() if tag.moment < own.moment or tag.name == before]
        subject, day = f"release {own.name}", _day(own.moment)
        yield AuditStep("release", own.name, own.commit, day, subject, before, old, out)


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, tz=UTC).date().isoformat()


UNREADABLE = "unreadable-spec"
_STEP = ("kind", "name", "commit", "date", "subject", "against")


def judge_steps(history: History, steps: Iterable[AuditStep]) -> Iterator[list[AuditFinding]]:
    """The findings of each step, as records. Each text is read once, regardless of how many commits
    contain it; one that cannot be read at all is a finding, too."""
    read: dict[tuple[str, str], Message | InputError] = {}

    @cache
    def specs_of(commit: str) -> tuple[Protocol, list[InputError]]:
        """What can be read of the specs of a commit, and why others cannot."""
        messages: list[Message] = []
        errors: list[InputError] = []
        for text in history.specs[commit]:
            key = (text.path, text.digest)
            if key not in read:
                read[key] = _read(text, history.profile)
            message = read[key]
            if isinstance(message, Message):
                messages.append(message)
            else:
                errors.append(message)
        return Protocol.of(messages), errors

    @cache
    def baseline(release: str) -> Baseline:
        """What a release freezes."""
        return Baseline(release, specs_of(history.releases[release])[0])

    for step in steps:
        old, known = (None, []) if step.old is None else specs_of(step.old)
        new, errors = specs_of(step.commit)
        # Before the first release nothing is frozen; no baselines at all would freeze base.
        baselines = [Baseline("", Protocol(())), *map(baseline, step.baselines)]
        was_broken = {error.path for error in known}
        findings = [_unreadable(error) for error in errors if error.path not in was_broken]
        findings += without_consequences(check(old, new, baselines))
        of_step = {name: getattr(step, name) for name in _STEP}
        yield [from_json(AuditFinding, {**each.to_json(), **of_step}) for each in findings]


def _read(text: SpecText, profile: Profile) -> Message | InputError:
    try:
        return read_message(text.text, text.path, text.imports, strict=False, profile=profile)
    except InputError as error:
        return error


def _unreadable(error: InputError) -> Finding:
    at = error.position
    return Finding(
        rule=UNREADABLE,
        severity=Severity.ERROR,
        category=Category.SPEC,
        message=f"the spec cannot be read: {error.message}",
        fix="write one JSON object, in the message format",
        message_name=(error.path or "").rsplit("/", 1)[-1].removesuffix(".json"),
        message_type="",
        location=Place(error.path or "", at.line if at else 1, at.column if at else 1),
    )
