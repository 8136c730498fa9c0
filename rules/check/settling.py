"""Applies the waivers and the configured severities of a project to findings."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.scope import Scope
from wirebook.rules.project import config
from wirebook.rules.project.settings import DEFAULT
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import relative

if TYPE_CHECKING:
    from wirebook.rules.finding import Finding


class Settled(NamedTuple):
    """The findings, with the waived ones marked, and the text of the waivers file by its name."""

    findings: list["Finding"]
    texts: Mapping[str, bytes]


def settle(scope: Scope, findings: "Sequence[Finding]", names: set[str] | None) -> Settled:
    """The findings after the waivers and severities of the project, with the roots that are left.

    `names` are those of the messages that were judged, None for all that exist.
    """
    path = scope.config_folder / scope.config.waivers.value
    if scope.repository is not None and scope.real_top not in path.resolve().parents:
        raise InputError("the waivers file is outside the repository", scope.config.waivers.value)
    result = list(findings)
    texts: dict[str, bytes] = {}
    text = _text_of(scope, path) if path.exists() or result or scope.commit is not None else None
    if text is not None:
        from datetime import date

        from wirebook.rules.project import waivers

        name = relative(os.path.realpath(path), scope.real_top).replace(os.sep, "/")
        accepted = scope.understood(path, text, partial(waivers.read_waivers, path=name))
        texts = {name: text}
        result = waivers.apply(result, accepted, date.today(), names)
    elif scope.config.waivers.origin != DEFAULT and not (path.exists() and scope.commit is None):
        raise InputError("the waivers file does not exist", str(path))
    result = config.apply(result, [(policy.config, policy.placed(scope.top)) for policy in scope.policies])
    if result:
        from wirebook.rules.roots import settled

        result = settled(result)
    return Settled(result, texts)


def _text_of(scope: Scope, path: Path) -> bytes | None:
    """The text of the waivers file, from git if the index or a commit is judged."""
    name = relative(path, scope.cwd)
    if not scope.is_in_git(path):
        return read_input(path, MAX_SETTINGS, name) if path.exists() else scope.omitted_text(path)
    text = scope.text_in_git(path)
    if text is None and scope.commit is None and path.exists():
        scope.notices.append(f"{name} is not staged: what it accepts counts from the commit that it is in")
    return text
