"""The refs of a git repository as git lists them: branches with their upstreams, and tags."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from wirebook.specs.sources.git_command import run_with_warnings

_FORMAT = "%00".join(
    ("%(HEAD)", "%(refname)", "%(symref)", "%(upstream)", "%(upstream:remoteref)", "%(push)")
)
_REMOTE_HEAD = "refs/remotes/origin/HEAD"
_BROKEN = re.compile(rb"^warning: ignoring broken ref refs/tags/(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Refs:
    """The result of listing the refs.

    `branch` is the branch that is checked out, None if HEAD is detached or the branch has no commit.
    `upstream` is the ref that the branch tracks, "" if it tracks none, and `upstream_branch` its name in its
    own repository; `push` is the ref of the push destination (`@{push}`). `default` is the remote's default
    branch: the target of its HEAD when it was cloned. `tags` has the names of all tags, including unreadable
    ones.
    """

    branch: str | None
    upstream: str
    upstream_branch: str
    push: str
    default: str
    tags: tuple[str, ...]


def read_refs(folder: Path, *, index: bool) -> Refs:
    """List the refs of a repository with one git process, which reads packed refs, tables and settings.

    For `index` see `git_command.environment`. Raises InputError if git cannot list them.
    """
    listed, warnings = run_with_warnings(
        folder, "for-each-ref", f"--format={_FORMAT}", "refs/heads", _REMOTE_HEAD, "refs/tags", index=index
    )
    branch: str | None = None
    upstream = upstream_branch = push = ""
    default = _REMOTE_HEAD
    tags = {os.fsdecode(name) for name in _BROKEN.findall(warnings)}
    for line in listed.split(b"\n"):
        if not line:
            continue
        head, name, symref, tracked, remote_name, pushed = os.fsdecode(line).split("\0")
        if name.startswith("refs/tags/"):
            tags.add(name.removeprefix("refs/tags/"))
        elif name == _REMOTE_HEAD:
            default = symref or name
        elif head == "*":
            branch = name.removeprefix("refs/heads/")
            upstream, upstream_branch = tracked, remote_name.removeprefix("refs/heads/")
            push = pushed
    return Refs(branch, upstream, upstream_branch, push, default, tuple(sorted(tags)))
