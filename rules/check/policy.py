"""The policy of the old side: its configuration, which the checked change cannot edit."""

import os
import posixpath
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.rules.check.request import CheckRequest
from wirebook.rules.check.scope import Policy, Scope
from wirebook.rules.check.sides import Governance, governing_sides
from wirebook.rules.project.config import NO_TEXTS, SEVERITIES, Config
from wirebook.rules.project.settings import COMMAND_LINE, Setting
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import relative
from wirebook.specs.reading.globs import matches
from wirebook.specs.sources.revisions import ComparedSides

if TYPE_CHECKING:
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
