"""Runs a check: request, sides, projects, what was released, findings, result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from wirebook._version import __version__
from wirebook.rules import engine
from wirebook.rules.breaks import no_layout
from wirebook.rules.catalogue import read
from wirebook.rules.check.releases import released_forms, released_tables, released_tags
from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.settle import read_accepted, settle
from wirebook.rules.check.sides import NOTHING, Sides, in_tree, sides
from wirebook.rules.finding import Finding, Place, Severity
from wirebook.rules.result import CheckResult, Judged
from wirebook.rules.settings import Settings, changes, owner_of, projects_of, selection_of
from wirebook.rules.tables import TablesPair, table_paths, tables_of
from wirebook.specs.files import read_input
from wirebook.specs.git import Git
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.model import Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.project import ParsedMessages, Project, Selection, read_project, refuse_copies
from wirebook.specs.trees import Tree, is_below, refuse_links


def judge(request: CheckRequest) -> CheckResult:
    """Run a check. Raises InputError if it cannot run."""
    git = Git.find(request.cwd)
    with git or nullcontext():
        compared = sides(request, git)
        policy = settings_of(request, compared.policy, git)
        stated = settings_of(request, compared.head, git)
        selections = [selection_of(settings, policy) for settings in policy]
        named = [_from_top(request, compared, git, selections, name) for name in request.files]
        judged = [
            judge_project(request, compared, git, settings, selection, stated, named)
            for settings, selection in zip(policy, selections, strict=True)
        ]
        if not any(each.has_specs for each in judged):
            raise _no_specs(compared, git)
        paths = [each.path for each in policy]
        begun = [
            f"{each.path}: this change begins a project, whose settings count once the target has "
            "them"
            for each in stated
            if each.path not in paths
        ]
        return _result(request, compared, judged, begun)


def settings_of(request: CheckRequest, tree: Tree, git: Git | None) -> list[Settings]:
    """The settings of each project in a tree, or those of the file that the command line names.

    Raises InputError.
    """
    if request.config is None:
        return projects_of(tree)
    place = request.cwd / request.config
    name = str(request.config)
    inside = in_tree(place, git)
    if inside is None:
        settings: Settings = read("settings", read_input(place, MAX_SETTINGS, name), name)
        return [replace(settings, path="")]
    text = tree.text(inside)
    if text is None:
        raise InputError(
            "the branch that the change is for, and the change itself, must have this file", name
        )
    return [read("settings", text, inside)]


def judge_project(
    request: CheckRequest,
    compared: Sides,
    git: Git | None,
    settings: Settings,
    selection: Selection,
    heads: Sequence[Settings],
    named: Sequence[str],
) -> Judged:
    """Judge one project, at the paths that are named if any are; `heads` are the settings of head.

    Raises InputError if a file of settings or waivers, or a table, cannot be used.
    """
    parsed: ParsedMessages = {}
    stated = next((each for each in heads if each.path == settings.path), Settings(settings.path))
    base, head = _read_projects(compared, settings, selection, heads, parsed)
    tags = released_tags(git, settings, request.released, compared.commit)
    if stated.released != settings.released:
        # A glob that matches nothing would stop every check once the target has it.
        released_tags(git, stated, request.released)
    accepted, added = read_accepted(compared, settings, (base.protocol, head.protocol))
    differing = [
        path
        for path in {**base.messages, **head.messages}
        if request.everything or base.messages.get(path) is not head.messages.get(path)
    ]
    released, errors = released_forms(git, tags, (base, head), differing, parsed)
    paths = table_paths(compared.base, selection, settings.profile)
    new_paths = table_paths(compared.head, selection, stated.profile)
    tables = TablesPair(
        tables_of(compared.base, paths),
        tables_of(compared.head, new_paths, strict=True),
        released_tables(git, tags, settings.profile.tables),
    )
    findings = engine.check(
        base.protocol,
        head.protocol,
        released,
        tables=tables,
        everything=request.everything,
        deprecated_for=settings.deprecated_for,
    )
    old = Protocol.of(base.messages[path] for path in differing if path in base.messages)
    new = Protocol.of(head.messages[path] for path in differing if path in head.messages)
    names = {message.name for message in (*old, *new)}
    checked = None if request.everything and not named else names
    settled = settle(findings, settings, accepted, checked, is_unreleased=released.is_nothing)
    unreadable = (*base.unreadable, *tables.base.unreadable)
    errors += _incomparable(compared, unreadable, settled, old, new)
    if named:
        settled = [finding for finding in settled if _is_named(finding, named)]
    breaks = [each for each in settled if each.severity is Severity.ERROR and each.waived]
    return Judged(
        None if compared.base is NOTHING else old,
        new,
        tables,
        tuple(settled),
        released,
        words=tags.words,
        notices=tags.notices,
        policy_changes=(
            *changes(settings, stated),
            *(
                f"{each.place.path}: this change adds a waiver of {each}: {each.words}"
                for each in added
            ),
        ),
        accepted=sum(any(waiver.covers(each) for waiver in added) for each in breaks),
        unchecked=(*head.unreadable, *errors),
        has_specs=any(each.messages or each.unreadable for each in (base, head)),
    )


def _read_projects(
    compared: Sides,
    settings: Settings,
    selection: Selection,
    heads: Sequence[Settings],
    parsed: ParsedMessages,
) -> tuple[Project, Project]:
    """The project on both sides, of base without what nobody can compare. Raises InputError for
    what nobody can judge.

    Head is judged by the profile of base, with the headers that head states: these are what a
    change does to the protocol. What both sides have is parsed once and is the same object.
    """
    own = settings.profile
    base = read_project(compared.base, selection, own, parsed, strict=True)
    named = [f"{selection.folder}/{glob.strip('/')}/" for glob in selection.paths]
    refuse_links(compared.head, (*base.messages, *named, *own.tables.values()))
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
    return _comparable(base, head), head


def _incomparable(
    compared: Sides,
    unreadable: Iterable[InputError],
    settled: Sequence[Finding],
    base: Protocol,
    head: Protocol,
) -> list[InputError]:
    """The errors of what cannot be compared: files that base cannot read and the change edits, and
    messages without a layout that no finding refuses.

    What was not compared is not right, whatever the level of the cause is, and who accepts it.
    """
    failing = (each for each in settled if each.severity is Severity.ERROR and not each.waived)
    refused = {spec.name for each in failing for spec in each.specs}
    of_base = [no_layout(each) for each in base if each.name not in refused]
    of_head = [no_layout(each) for each in head if each.name not in refused]
    old = compared.base.files
    new = compared.head.files
    edited = [
        error for error in unreadable if old.get(error.path or "") != new.get(error.path or "")
    ]
    named = [
        InputError(f"{error.message} (in base)", error.path, error.position)
        for error in (*edited, *of_base)
        if error is not None
    ]
    return [*named, *filter(None, of_head)]


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


def _from_top(
    request: CheckRequest,
    compared: Sides,
    git: Git | None,
    selections: Sequence[Selection],
    name: str,
) -> str:
    """The path of a file or a folder that the command line names, from the top.

    Raises InputError if no project reads a file there, on either side.
    """
    is_in_folder = git is None or git.top is None
    path = Path(name).as_posix() if is_in_folder else in_tree(request.cwd / name, git)
    path = "" if path == "." else path
    if path is None or not any(
        is_below(file, path) and selection.takes(file)
        for file in (*compared.base.files, *compared.head.files)
        for selection in selections
    ):
        raise InputError(
            "no spec is there on either side (`paths` names those in folders of tests)", name
        )
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
    request: CheckRequest, compared: Sides, judged: Sequence[Judged], begun: Sequence[str]
) -> CheckResult:
    """The result of all projects."""
    findings = [finding for each in judged for finding in each.findings]
    unchecked = [error for each in judged for error in each.unchecked]
    changed = tuple(dict.fromkeys(line for each in judged for line in each.policy_changes))
    notices = [*changed, *compared.notices, *begun]
    notices += [line for each in judged for line in each.notices]
    words = dict.fromkeys(each.words for each in judged)
    messages = {each.name for project in judged for each in (*(project.base or ()), *project.head)}
    return CheckResult(
        findings=tuple(findings),
        compared=compared.words + "".join(words),
        tool_version=__version__,
        messages_checked=len(messages),
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


def _decoded(tree: Tree, places: Sequence[Place | None]) -> dict[str, str]:
    """The texts that findings point into, decoded so that lines and columns count as in the
    reader."""
    decoded: dict[str, str] = {}
    for path in dict.fromkeys(place.path for place in places if place is not None):
        text = tree.text(path)
        if text is not None:
            decoded[path] = text.decode("utf-8", "replace").removeprefix("\ufeff")
    return decoded
