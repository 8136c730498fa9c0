"""The policy of the old side: what its configuration says, which the change that is judged cannot edit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebook.rules.check.scope import Scope
from wirebook.rules.project.config import OWN, SHARED, Config, is_configuration, read_config
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.revisions import Comparison

if TYPE_CHECKING:
    from wirebook.rules.plugins import Plugin


class OldPolicy(NamedTuple):
    """The configuration of a commit, and the path of its file there."""

    config: Config
    path: str


def plugins_of(scope: Scope, sides: Comparison) -> tuple[list[Plugin], list[str]]:
    """The custom rules that judge, and notices on those that do not.

    They are those of the command line, and those that the configuration of the old side names. Raises
    InputError for a plugin that is not there.
    """
    named = scope.config.plugins
    given = {os.path.normpath(name) for name in scope.request.plugins}
    plugins: list[Plugin] = []
    if given:
        from wirebook.rules.plugins import Plugin

        plugins = [Plugin.named(name, scope.cwd) for name in scope.request.plugins]
    known: tuple[str, ...] = ()
    policy = None if sides.base is None else old_policy(scope, sides.base)
    if policy is not None and sides.base is not None:
        known = policy.config.plugins.value
        wanted = [name for name in known if os.path.normpath(name) not in given]
        plugins += [_of_commit(scope, sides.base, policy, name) for name in wanted]
    added = [name for name in named.value if name not in known and os.path.normpath(name) not in given]
    notices = []
    if added:
        notices.append(
            f"the custom rules {', '.join(added)} ({named.origin}) do not judge this change, since the old "
            "side does not name them; --plugins runs them"
        )
    return plugins, notices


def old_policy(scope: Scope, base: str) -> OldPolicy | None:
    """The configuration that a commit has for the folder of the check; None where it has none."""
    repository = scope.repository
    assert repository is not None
    paths = list(_places(scope))
    objects = repository.git.names(f"{base}:{path}" for path in paths)
    for path in paths:
        name = objects.get(f"{base}:{path}")
        text = None if name is None else _text(repository.git, name)
        if text is not None and is_configuration(path, text):
            return OldPolicy(read_config(text, path), path)
    return None


def _places(scope: Scope) -> Iterator[str]:
    """Where the configuration may be, as paths from the top: the nearest folder first."""
    top = Path(os.path.realpath(scope.top))
    if scope.request.config is not None:
        path = os.path.relpath(os.path.realpath(scope.cwd / scope.request.config), top).replace(os.sep, "/")
        yield from () if path.startswith("../") else (path,)
        return
    folder = Path(os.path.realpath(scope.cwd))
    while folder == top or top in folder.parents:
        inside = folder.relative_to(top).as_posix()
        yield from (posixpath.normpath(f"{inside}/{name}") for name in (OWN, SHARED))
        folder = folder.parent


def _of_commit(scope: Scope, base: str, policy: OldPolicy, name: str) -> Plugin:
    """The plugin that the configuration of a commit names: a folder of that commit, or a package."""
    from wirebook.rules.plugins import Plugin

    assert scope.repository is not None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(policy.path), name))
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
