"""The refs of a git repository as git lists them, their full names, the upstreams of branches, and tags."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git_command import run, run_with_warnings
from wirebook.specs.sources.git_objects import ObjectReader

_FORMAT = "%00".join(
    ("%(HEAD)", "%(refname)", "%(symref)", "%(upstream)", "%(upstream:remoteref)", "%(push)")
)
_REMOTE_HEADS, _REMOTE_HEAD = "refs/remotes/*/HEAD", "refs/remotes/origin/HEAD"
# The places that gitrevisions(7) searches for a name, after the git directory itself.
_PLACES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_SUFFIXES = ("~", "^", ":", "@{")  # what may follow a name (gitrevisions(7))
# Most names need none of these expressions: re compiles them when they are first used.
_FULL_NAME = "[0-9a-f]{40}|[0-9a-f]{64}"
_ABBREVIATED = "(?i:(?:.+-g)?([0-9a-f]{4,64}))"  # also as `git describe` prints it
_BROKEN = rb"(?m)^warning: ignoring broken ref refs/tags/(.+)$"


class Tracking(NamedTuple):
    """What a branch tracks: its upstream as a ref, the name of that branch in its own repository, and the ref
    of the push destination (`@{push}`); each "" if there is none.
    """

    upstream: str = ""
    upstream_branch: str = ""
    push: str = ""


_NO_TRACKING = Tracking()


class Refs(NamedTuple):
    """The result of listing the refs.

    `branch` is the branch that is checked out, None if HEAD is detached or the branch has no commit.
    `tracking` has what each branch tracks that tracks anything. `default` is the default branch of origin:
    the target of its HEAD when it was cloned. `elsewhere` is that of the only other remote with a HEAD, or
    "". `tags` has the names of all tags, including unreadable ones.
    """

    branch: str | None
    tracking: Mapping[str, Tracking]
    default: str
    elsewhere: str
    tags: tuple[str, ...]

    def tracked(self, branch: str | None) -> Tracking:
        """What a branch tracks."""
        return _NO_TRACKING if branch is None else self.tracking.get(branch, _NO_TRACKING)

    def copies(self, branch: str) -> tuple[str, ...]:
        """The refs that a branch may have here, at origin, and at the remote of `elsewhere`."""
        remotes = ("origin", *self.elsewhere.split("/")[2:3])
        return (f"refs/heads/{branch}", *(f"refs/remotes/{remote}/{branch}" for remote in remotes))


def read_refs(folder: Path, *, index: bool) -> Refs:
    """List the refs of a repository with one git process, which reads packed refs, tables and settings.

    For `index` see `git_command.environment`. Raises InputError if git cannot list them.
    """
    listed, warnings = run_with_warnings(
        folder, "for-each-ref", f"--format={_FORMAT}", "refs/heads", _REMOTE_HEADS, "refs/tags", index=index
    )
    branch: str | None = None
    tracking: dict[str, Tracking] = {}
    default, others = _REMOTE_HEAD, []
    tags = {os.fsdecode(name) for name in re.findall(_BROKEN, warnings)}
    for line in listed.split(b"\n"):
        if not line:
            continue
        head, name, symref, tracked, remote_name, pushed = os.fsdecode(line).split("\0")
        if name.startswith("refs/tags/"):
            tags.add(name.removeprefix("refs/tags/"))
        elif name == _REMOTE_HEAD:
            default = symref or name
        elif name.startswith("refs/remotes/"):
            others.append(symref or name)
        else:
            own = name.removeprefix("refs/heads/")
            if head == "*":
                branch = own
            if tracked or pushed:
                tracking[own] = Tracking(tracked, remote_name.removeprefix("refs/heads/"), pushed)
    elsewhere = others[0] if len(others) == 1 else ""
    return Refs(branch, tracking, default, elsewhere, tuple(sorted(tags)))


def full_name(objects: ObjectReader, text: str, *, index: bool) -> str:
    """A name of a commit with its ref in full: "origin/main~1" is "refs/remotes/origin/main~1".

    HEAD, a hash and other names that are not those of refs stay as they are. For `index` see
    `git_command.environment`. Raises InputError for a name of two refs, and of a ref and an abbreviated hash:
    git takes one of them, which anybody who can add a tag or a branch decides. A name that begins with
    "refs/" means only that ref, where git would search further.
    """
    ends = [text.find(sign) for sign in _SUFFIXES if sign in text]
    name = text[: min(ends, default=len(text))]
    if name in ("", "@", "HEAD"):
        return text
    commit = objects.query_one(name).name
    if commit == name and re.fullmatch(_FULL_NAME, name):
        return text
    places = [place.format(name) for place in _PLACES]
    answers = dict(zip(places, objects.query(places), strict=True))
    existing = [place for place in places if answers[place].kind]
    if not existing:
        return text
    rest = text.removeprefix(name)
    is_plain = not name.startswith("refs/") and not re.fullmatch(_ABBREVIATED, name)
    if is_plain and len(existing) == 1 and answers[existing[0]].name == commit:
        return existing[0] + rest
    # An answer may be that of another ref again ("refs/tags/refs/heads/x"): only a list has the names.
    listed = run(objects.folder, "for-each-ref", "--format=%(refname)", name, *places, index=index)
    refs = [ref for ref in os.fsdecode(listed).split("\n") if ref in (name, *places)]
    if name in refs:
        return text
    if refs and name.startswith("refs/"):
        raise InputError(f'there is no ref "{name}" here, only {" and ".join(refs)}', objects.path)
    others = _abbreviated(objects, name, index) - {answers[ref].name for ref in refs}
    if len(refs) == 1 and answers[refs[0]].name != commit:
        others.add(commit)
    if len(refs) > 1 or (refs and others):
        names = " and ".join([*refs, *sorted(others)])
        raise InputError(f'"{name}" is ambiguous: {names}; write the one that you mean', objects.path)
    return refs[0] + rest if refs else text


def _abbreviated(objects: ObjectReader, name: str, index: bool) -> set[str]:
    """The commits and tags whose hashes begin with the digits of a name, as git abbreviates them."""
    match = re.fullmatch(_ABBREVIATED, name)
    if match is None:
        return set()
    listed = run(objects.folder, "rev-parse", f"--disambiguate={match[1]}", index=index)
    hashes = listed.decode().split()
    answers = objects.query(f"{digits}^{{commit}}" for digits in hashes)
    return {digits for digits, answer in zip(hashes, answers, strict=True) if answer.kind}
