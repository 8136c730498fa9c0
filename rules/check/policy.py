"""The policy of the old side: its configuration, which the checked change cannot edit."""

import os
import posixpath
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Committed, Policy, Scope
from wirebook.rules.check.sides import Governance, governing_sides
from wirebook.rules.project.config import NO_TEXTS, SEVERITIES, Config
from wirebook.rules.project.settings import COMMAND_LINE, Setting
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import relative
from wirebook.specs.reading.globs import matches
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
    from wirebook.rules.plugins import Plugin
    from wirebook.rules.project.waivers import Waiver


def governance_of(request: CheckRequest, stack: ExitStack, nth: int) -> Governance:
    """The scope and the sides of a request; `stack` and `nth` are as in Scope. Raises InputError."""
    scope = Scope(request, stack, nth)
    governance = governing_sides(scope)
    sides, base = governance.sides, governance.base
    if base is None:
        return governance
    old, *_, new = scope.policies
    changes = (
        *policy_changes(old.config, new.config),
        *waiver_changes(scope, base, sides),
        *moves_between_levels(old, scope.top, sides),
    )
    return governance._replace(changes=changes)


def policy_changes(old: Config, new: Config) -> Iterator[str]:
    """A sentence for each setting that differs."""
    for name in Config._fields:
        if name in NO_TEXTS:
            continue
        before, after = getattr(old, name), getattr(new, name)
        if before.value != after.value and after.origin != COMMAND_LINE:
            yield f"this change sets {name} to {_shown(after.value)}; before: {_shown(before.value)}"
    for name in sorted(old.severities.keys() | new.severities.keys()):
        old_severity, new_severity = (config.severities.get(name) for config in (old, new))
        if (old_severity and old_severity.value) != (new_severity and new_severity.value):
            word = "lowers" if _rank(new_severity, name) > _rank(old_severity, name) else "raises"
            yield f"this change {word} {name} to {new_severity.value if new_severity else 'its default'}" + (
                f" ({new_severity.origin})" if new_severity else ""
            )
    if old.protocol.value != new.protocol.value:
        yield "this change edits the profile of the protocol (protocol)"
    one, other = (side.protocols.value and side.protocols.value.meant for side in (old, new))
    if one != other:
        yield "this change edits the protocols of this repository ([[protocol]])"
    if [override._replace(origin="") for override in old.overrides] != [
        override._replace(origin="") for override in new.overrides
    ]:
        yield "this change edits the levels of some paths or messages (override)"


def moves_between_levels(policy: Policy, top: Path, sides: ComparedSides) -> Iterator[str]:
    """A sentence for each file that moves to where other overrides hold for its findings.

    A file that changes as it moves has the stricter levels of both places; the next change meets only those
    of the new place. A file moved if another one of its content, or else of its name, is removed.
    """
    overrides = [override for override in policy.config.overrides if override.paths]
    if not overrides or sides.old is None:
        return
    before, after = sides.old.files, sides.new.files
    removed = {path: digest for path, digest in before.items() if path not in after}
    contents = {digest: path for path, digest in removed.items()}
    names = {posixpath.basename(path): path for path in removed}
    placed = policy.placed(top)
    for path, digest in after.items():
        former = None if path in before else contents.get(digest) or names.get(posixpath.basename(path))
        if former is None:
            continue
        fitting = [
            [override.origin for override in overrides if matches(placed(place), override.paths)]
            for place in (former, path)
        ]
        if fitting[0] != fitting[1]:
            origins = ", ".join(dict.fromkeys((*fitting[0], *fitting[1])))
            move = f"moves {visible(former)} to {visible(path)}"
            yield f"this change {move}, where other levels hold ({origins})"


def waiver_changes(scope: Scope, base: str, sides: ComparedSides) -> Iterator[str]:
    """A sentence for each waiver that the change adds or removes; none if a file cannot be read."""
    path = scope.config_folder / scope.config.waivers.value
    name = relative(os.path.realpath(path), scope.real_top).replace(os.sep, "/")
    # The configuration of the old side is the first policy.
    old_config, old_folder = scope.policies[0]
    before = scope.text_of(base, old_folder / old_config.waivers.value)
    if before is None and base == sides.base and not sides.may_add(name):
        return
    after = scope.text_in_git(path) if scope.is_in_git(path) else _there(scope, path, name)
    if before == after:
        return
    old, new = _waivers(before, name), _waivers(after, name)
    yield from (f"this change adds a waiver: {waiver}: {waiver.words}" for waiver in new if waiver not in old)
    yield from (f"this change removes a waiver: {waiver}" for waiver in old if waiver not in new)


def _there(scope: Scope, path: Path, name: str) -> bytes | None:
    return read_input(path, MAX_SETTINGS, name) if path.is_file() else scope.omitted_text(path)


def _waivers(text: bytes | None, name: str) -> "list[Waiver]":
    from wirebook.rules.project.waivers import read_waivers

    try:
        return [] if text is None else [waiver._replace(place=None) for waiver in read_waivers(text, name)]
    except InputError:
        return []


def _rank(setting: Setting[str] | None, name: str) -> int:
    """The mildness of a severity that is set; if none is, that of the rule."""
    if setting is not None:
        return SEVERITIES.index(setting.value)
    from wirebook.rules.meta_rules import find

    rule = find(name)
    return 0 if rule is None else rule.severity.rank


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return "nothing" if value is None else f'"{visible(str(value))}"'


def plugins_of(scope: Scope, policy: Committed | None) -> "tuple[list[Plugin], list[str]]":
    """The custom rules that judge, and notices about those that do not.

    They are those of the command line and those that `policy`, that of the old side, names. Raises InputError
    for a plugin that does not exist.
    """
    named = scope.config.plugins
    on_command_line = {os.path.normpath(name) for name in scope.request.plugins}
    plugins = [_of_command_line(scope, name) for name in scope.request.plugins]
    old_names: tuple[str, ...] = ()
    if policy is not None:
        old_names = policy.config.plugins.value
        others = [name for name in old_names if os.path.normpath(name) not in on_command_line]
        plugins += [_of_commit(scope, policy, name) for name in others]
    added = [
        name
        for name in named.value
        if name not in old_names and os.path.normpath(name) not in on_command_line
    ]
    notices = []
    if added:
        notices.append(
            f"the custom rules {', '.join(added)} ({named.origin}) do not apply to this change, because "
            "the old side does not name them; --plugins runs them"
        )
    return plugins, notices


def _of_command_line(scope: Scope, name: str) -> "Plugin":
    from wirebook.rules.plugins import Plugin

    return Plugin.named(name, scope.cwd)


def _of_commit(scope: Scope, policy: Committed, name: str) -> "Plugin":
    """The plugin that the configuration of a commit names: a folder of that commit, or a package."""
    from wirebook.rules.plugins import Plugin

    assert scope.repository is not None
    base = policy.commit
    path = posixpath.normpath(posixpath.join(posixpath.dirname(policy.path), name))
    path = scope.repository.git.followed(base, path)
    tree = f"{base}:{'' if path == '.' else path}"
    if not scope.repository.git.names([tree]):
        if "/" in name:
            raise InputError(f'there is no folder "{name}" of custom rules in {base[:12]}', policy.path)
        return Plugin.of_package(name)
    listed = run(scope.repository.place, "ls-tree", "-z", tree, index=scope.repository.index)
    files: dict[str, bytes] = {}
    for entry in listed.split(b"\0"):
        head, _, file = entry.partition(b"\t")
        if not file.endswith(b".py") or not head.startswith(b"100"):
            continue
        text = _text(scope.repository.git, head.split()[2].decode())
        if text is not None:
            files[os.fsdecode(file)] = text
    return Plugin(f"{path} of {base[:12]}", files=files)


def _text(git: GitRepo, name: str) -> bytes | None:
    return next((text for _, text in git.texts([name]) if isinstance(text, bytes)), None)
