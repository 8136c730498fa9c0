"""Runs a check: request, sides, projects, what was released, findings, result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from wirebook._version import __version__
from wirebook.rules import engine
from wirebook.rules.breaks import no_layout
from wirebook.rules.check.releases import (
    ReleasedTags,
    released_forms,
    released_tables,
    released_tags,
    tables_of,
)
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.settle import accepted_by, notices_of, read_accepted, settle
from wirebook.rules.check.sides import Sides, in_tree, sides
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.released import TablesPair
from wirebook.rules.result import CheckResult, Judged
from wirebook.rules.settings import (
    Settings,
    changes,
    owner_of,
    projects_of,
    read_settings,
    selection_of,
    settings_files,
)
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.kafka.profile import own_table
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.project import ParsedMessages, Project, Selection, read_project, refuse_copies
from wirebook.specs.trees import Tree, is_below, refuse_links

TABLES = ("errors", "values")


def judge(request: CheckRequest) -> CheckResult:
    """Run a check. Raises InputError if it cannot run."""
    git = Git.find(request.cwd)
    with git or nullcontext():
        compared = sides(request, git)
        chosen = settings_of(request, compared, git)
        projects = [(settings, selection_of(settings, chosen)) for settings in chosen]
        named = [_from_top(request, compared, git, projects, name) for name in request.files]
        judged = [judge_project(request, compared, git, *each, named) for each in projects]
        if not any(each.has_specs for each in judged):
            raise _no_specs(compared, git)
        return _result(request, compared, judged, _new_settings(compared, chosen))


def settings_of(request: CheckRequest, compared: Sides, git: Git | None) -> list[Settings]:
    """The settings of each project: those of the tip of the target, or else the defaults. Raises
    InputError."""
    if request.config is None:
        return projects_of(compared.policy)
    place = request.cwd / request.config
    inside = in_tree(place, git)
    if inside is None:
        text = read_input(place, MAX_SETTINGS, str(request.config))
        return [replace(read_settings(text, str(request.config)), path="")]
    stated = compared.policy.text(inside)
    if stated is None:
        raise InputError("the branch that the change is for has no such file", str(request.config))
    return [read_settings(stated, inside)]


def _new_settings(compared: Sides, chosen: Sequence[Settings]) -> list[str]:
    """A line for each file of settings that the change brings, and that does not judge it."""
    known = {each.path for each in chosen}
    return [
        f"{path}: this change begins a project, whose settings count once the target has them"
        for path in settings_files(compared.head)
        if path not in known and path not in compared.policy.files
    ]


def judge_project(
    request: CheckRequest,
    compared: Sides,
    git: Git | None,
    settings: Settings,
    selection: Selection,
    named: Sequence[str],
) -> Judged:
    """Judge one project, at the paths that are named if any are.

    Raises InputError if a file of settings or waivers cannot be used.
    """
    parsed: ParsedMessages = {}
    own = settings.profile
    is_compared = compared.base is not None
    base = Project(selection, own)
    if compared.base is not None:
        base = read_project(compared.base, selection, own, parsed, strict=True)
    named_paths = [f"{selection.folder}/{glob.strip('/')}/" for glob in selection.paths]
    refuse_links(compared.head, (*base.messages, *named_paths, *own.tables.values()))
    stated = _settings_of_head(compared, settings)
    heads = projects_of(compared.head) if request.config is None else [stated]
    # The headers are what a change does to the protocol; the rest of a profile says how it is
    # judged. The same object has the specs that both sides have parsed once.
    profiles = {
        each.path: own
        if each.profile.headers == own.headers
        else replace(own, headers=each.profile.headers)
        for each in heads
    }
    head = read_project(
        compared.head,
        selection,
        own,
        parsed,
        base.messages,
        profile_at=lambda path: profiles[owner_of(path, heads).path],
    )
    refuse_copies(head.messages)
    base = _comparable(base, head)
    tags = released_tags(git, settings, request.released, compared.commit)
    if stated.released != settings.released:
        # A glob that matches nothing would stop every check once the target has it.
        released_tags(git, stated, request.released)
    accepted, fresh = read_accepted(compared, settings)
    # The names that messages of several types of one side have.
    types = ({(each.name, each.type) for each in side.protocol} for side in (base, head))
    counts = [Counter(name for name, _ in side) for side in types]
    for waiver in accepted:
        if waiver.place is not None and any(count[waiver.message] > 1 for count in counts):
            words = f"several messages have the name {waiver.message}: a waiver is for one of them"
            raise InputError.at(waiver.place, words)
    differing = _differing(base, head, everything=request.everything)
    released, errors = released_forms(git, tags, (base, head), differing, parsed)
    findings = engine.check(
        base.protocol if is_compared else None,
        head.protocol,
        released,
        base_registry=base.registry,
        head_registry=head.registry,
        everything=request.everything,
        deprecated_for=settings.deprecated_for,
        tables=_tables(compared, git, settings, stated, tags),
    )
    before, after = (
        Protocol.of(side.messages[path] for path in differing if path in side.messages)
        for side in (base, head)
    )
    names = {message.name for side in (before, after) for message in side}
    checked = None if request.everything and not named else names
    settled = settle(findings, settings, accepted, checked, is_unreleased=released.is_nothing)
    failing = (each for each in settled if each.severity is Severity.ERROR and not each.waived)
    refused = {spec.name for each in failing for spec in each.specs}
    # What was not compared is not right, whatever the level of the cause is, and who accepts it.
    errors += [
        InputError(f"{error.message}{where}", error.path, error.position)
        for messages, where in ((before, " (in base)"), (after, ""))
        for message in messages
        if message.name not in refused and (error := no_layout(message)) is not None
    ]
    if named:
        settled = [finding for finding in settled if _is_named(finding, named)]
    return Judged(
        before if is_compared else None,
        after,
        (base.registry, head.registry),
        tuple(settled),
        released,
        words=tags.words,
        notices=tags.notices,
        policy_changes=(*changes(settings, stated), *notices_of(fresh)),
        accepted=accepted_by(fresh, settled),
        unchecked=(*head.unreadable, *_unreadable_before(compared, base), *errors),
        has_specs=any(each.messages or each.unreadable for each in (base, head)),
    )


def _unreadable_before(compared: Sides, base: Project) -> list[InputError]:
    """The errors of what the change edits and base cannot read, so that nobody can compare it."""
    return [
        InputError(f"{error.message} (in base)", error.path, error.position)
        for error in base.unreadable
        if compared.base is not None
        and compared.base.files.get(error.path or "") != compared.head.files.get(error.path or "")
    ]


def _comparable(base: Project, head: Project) -> Project:
    """The base without what head cannot read, which is not deleted; of copies in several folders
    only the one that head has."""
    broken = {error.path for error in head.unreadable}
    first: dict[tuple[str, str], str] = {}
    for path in sorted(base.messages, key=lambda path: path not in head.messages):
        first.setdefault((base.messages[path].type, base.messages[path].name), path)
    kept = set(first.values()) - broken
    return replace(
        base, messages={path: each for path, each in base.messages.items() if path in kept}
    )


def _tables(
    compared: Sides,
    git: Git | None,
    settings: Settings,
    stated: Settings,
    tags: ReleasedTags,
) -> TablesPair | None:
    """The tables of error codes and values, if the profile names any. Raises InputError for one of
    head that cannot be read."""
    paths = _own_tables(settings.profile)
    if not paths:
        return None
    base = tables_of(compared.base or Tree({}), paths)
    head = tables_of(compared.head, _own_tables(stated.profile), is_head=True)
    earlier = released_tables(git, tags.names or (), paths) if git is not None else []
    return TablesPair(base, head, tuple(earlier))


def _own_tables(profile: Profile) -> dict[str, str]:
    """The paths of the tables that a profile names itself."""
    return {what: path for what in TABLES if (path := own_table(profile, what)) is not None}


def _settings_of_head(compared: Sides, settings: Settings) -> Settings:
    """The settings that head has in place of those that judge."""
    path = settings.path
    text = compared.head.text(path)
    if text == compared.policy.text(path):
        return settings
    return Settings(path) if text is None else read_settings(text, path)


def _differing(base: Project, head: Project, *, everything: bool) -> list[str]:
    """The paths of the messages that differ between the sides, or of every one."""
    return [
        path
        for path in {**base.messages, **head.messages}
        if everything or base.messages.get(path) is not head.messages.get(path)
    ]


def _from_top(
    request: CheckRequest,
    compared: Sides,
    git: Git | None,
    projects: Sequence[tuple[Settings, Selection]],
    name: str,
) -> str:
    """The path of a file or a folder that the command line names, from the top.

    Raises InputError if no project reads a file there, on either side.
    """
    is_in_folder = git is None or git.top is None
    path = Path(name).as_posix() if is_in_folder else in_tree(request.cwd / name, git)
    path = "" if path == "." else path
    trees = (compared.head,) if compared.base is None else (compared.base, compared.head)
    files = (each for tree in trees for each in tree.files)
    if path is None or not any(
        is_below(each, path) and selection.takes(each)
        for each in files
        for _, selection in projects
    ):
        words = "no spec is there on either side (`paths` names those in folders of tests)"
        raise InputError(words, name)
    return path


def _is_named(finding: Finding, named: Sequence[str]) -> bool:
    """Whether a finding is in one of some files or folders, on either side, or about a spec
    there."""
    paths = [place.path for place in (finding.location, finding.previous) if place is not None]
    paths += [each.path for each in finding.specs if each.path is not None]
    return not paths or any(is_below(path, name) for path in paths for name in named)


def _no_specs(compared: Sides, git: Git | None) -> InputError:
    """The error for sides that have no specs."""
    where = compared.words
    if git is not None and git.top is not None and (git.top / ".gitmodules").exists():
        where = "if the specs are in a submodule, run the check there (git submodule lists them)"
    return InputError(f"there are no message specs to check: {where}")


def _result(
    request: CheckRequest, compared: Sides, judged: Sequence[Judged], new_settings: Sequence[str]
) -> CheckResult:
    """The result of all projects."""
    findings = [finding for each in judged for finding in each.findings]
    unchecked = [error for each in judged for error in each.unchecked]
    changed = tuple(dict.fromkeys(line for each in judged for line in each.policy_changes))
    notices = [*changed, *compared.notices, *new_settings]
    notices += [line for each in judged for line in each.notices]
    words = dict.fromkeys(each.words for each in judged)
    return CheckResult(
        findings=tuple(findings),
        compared=compared.words + "".join(words),
        tool_version=__version__,
        messages_checked=len({message.name for each in judged for message in each.messages}),
        new_texts=_decoded(compared.head, [finding.location for finding in findings]),
        old_texts=_decoded(compared.base, [finding.previous for finding in findings]),
        notices=tuple(dict.fromkeys(notices)),
        policy_changes=changed,
        accepted=sum(each.accepted for each in judged),
        unchecked=tuple({str(error): error for error in unchecked}.values()),
        command=request.command if findings else "wirebook check",
        base=compared.pin,
        projects=tuple(judged),
    )


def _decoded(tree: Tree | None, places: Sequence[Place | None]) -> dict[str, str]:
    """The texts that findings point into, decoded so that lines and columns count as in the
    reader."""
    decoded: dict[str, str] = {}
    for path in dict.fromkeys(place.path for place in places if place is not None):
        text = None if tree is None else tree.text(path)
        if text is not None:
            decoded[path] = text.decode("utf-8", "replace").removeprefix("\ufeff")
    return decoded
