"""What was released: the forms that releases have of the messages of a check, read by path from
tags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial

from wirebook.rules.released import Baseline, Released
from wirebook.rules.settings import NOT_YET, Settings
from wirebook.rules.tables import Tables, tables_of
from wirebook.specs.discovery import candidate
from wirebook.specs.git import Git
from wirebook.specs.imports import may_import
from wirebook.specs.model import Identity, Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile import HALVES
from wirebook.specs.project import ParsedMessages, Project, read_spec
from wirebook.specs.releases import pick_releases, tagged, usual_glob
from wirebook.specs.trees import File, Tree, of_commit


@dataclass(frozen=True)
class ReleasedTags:
    """The tags of the releases, oldest first; None if every version of the base counts as released.

    `days` are those of tags (YYYY-MM-DD).
    """

    names: tuple[str, ...] | None
    days: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What was released, at the end of the line that says what is compared; "" for the base
        itself."""
        if self.names is None:
            return ""
        if not self.names:
            return "; nothing is released yet"
        if len(self.names) == 1:
            return f"; released: {self.names[0]}"
        return f"; released: {len(self.names)} releases ({self.names[0]} to {self.names[-1]})"


def released_tags(
    git: Git | None, settings: Settings, given: Sequence[str], judged: str = ""
) -> ReleasedTags:
    """The releases that the command line names, or else the settings. Raises InputError for a wrong
    glob.

    Those that contain the commit `judged` come after it, and so do those that are newer than one of
    them and not part of its history, as where each release has a branch of its own. They are left
    out.
    """
    globs = tuple(given) or settings.released
    if not globs:
        return ReleasedTags(None)
    if globs == (NOT_YET,):
        return ReleasedTags((), notices=() if git is None else _unnamed(git))
    if git is None:
        raise InputError("releases are tags of a git repository, and this is none")
    days = {release.name: release.date for release in tagged(git)}
    if not days:
        option = git.run("config", "--default", "", "--get", "remote.origin.tagOpt").strip()
        if option or git.is_shallow():
            fetch = "git fetch --tags" + (" --unshallow" if git.is_shallow() else "")
            raise InputError(f"the clone has no tags, which name the releases: {fetch}")
        return ReleasedTags((), notices=("nothing is released yet: the repository has no tags",))
    for glob in globs:
        if not any(fnmatchcase(tag, glob) for tag in days):
            newest = ", ".join(list(days)[-3:])
            raise InputError(
                f'no tag matches "{glob}", which names the releases; there is {newest}',
                None if given else settings.path,
            )
    names, _ = pick_releases(days, globs, settings.prerelease)
    later = {*git.lines("tag", "--contains", judged)} if judged else set()
    if not later.isdisjoint(names):
        first = next(at for at, name in enumerate(names) if name in later)
        later |= {*names[first:]} - {*git.lines("tag", "--merged", judged)}
    return ReleasedTags(tuple(name for name in names if name not in later), days)


def _unnamed(git: Git) -> tuple[str, ...]:
    """A notice of tags that look like releases, though nothing is to be released yet."""
    glob = usual_glob(git)
    if glob is None:
        return ()
    return (
        f'released is "none", but tags name versions: released = ["{glob}"] freezes what they have',
    )


def released_forms(
    git: Git | None,
    released: ReleasedTags,
    projects: Sequence[Project],
    differing: Sequence[str],
    parsed: ParsedMessages,
) -> tuple[Released, list[InputError]]:
    """The released forms of messages, and errors of what cannot be read.

    They are those of the messages at the paths `differing`, and of the same APIs; none are given if
    the base counts as released. Each version of a message has one form: that of the newest
    release which has it. A tag is taken if any release used it.
    """
    if released.names is None or git is None:
        return Released(given=released.names is not None), []
    project = projects[0]
    wanted = _with_halves(projects, differing)
    errors: list[InputError] = []
    baselines: list[Baseline] = []
    for tag, files in _at_tags(git, released.names, dict.fromkeys(path for path, _ in wanted)):
        imports = any(may_import(file.read()) for file in files.values())
        tree = _tree_of(git, tag) if imports else Tree(files)
        messages: list[Message] = []
        for path in files:
            read = read_spec(tree, path, project.profile, parsed, is_expected=True)
            if isinstance(read, InputError):
                errors.append(
                    InputError(
                        f"{read.message} (a released file)", f"{tag}:{read.path}", read.position
                    )
                )
            elif read is not None:
                messages.append(read)
        present = {key for each in messages for key in (each.identity, each.name)}
        sought = [each for _, each in wanted if present.isdisjoint((each.identity, each.name))]
        if sought:
            messages += _elsewhere(_tree_of(git, tag), project, sought, files, parsed)
        baselines.append(Baseline(tag, Protocol.of(messages), released.days.get(tag, "")))
    return Released(baselines), errors


def released_tables(
    git: Git | None, released: ReleasedTags, paths: Mapping[str, str]
) -> tuple[Tables, ...]:
    """The tables of error codes and values of each release, at some paths by kind."""
    listed = {kind: path for kind, path in paths.items() if kind != "levels"}
    if git is None or not listed:
        return ()
    of_tags = _at_tags(git, released.names or (), dict.fromkeys(listed.values()))
    return tuple(tables_of(Tree(files), listed, release=tag) for tag, files in of_tags)


def _at_tags(
    git: Git, tags: Sequence[str], paths: Collection[str]
) -> Iterator[tuple[str, dict[str, File]]]:
    """The files that each tag has at some paths."""
    for tag in tags:
        files: dict[str, File] = {}
        for path in paths:
            blob = git.blob(f"refs/tags/{tag}:{path}")
            if blob is not None:
                files[path] = File(blob, partial(git.content, blob, f"{tag}:{path}"))
        yield tag, files


def _with_halves(projects: Sequence[Project], paths: Collection[str]) -> list[tuple[str, Message]]:
    """The messages at some paths, with those of the same APIs."""
    every = [item for project in projects for item in project.messages.items()]
    changed = [message for path, message in every if path in paths]
    apis = {_api(message) for message in changed if message.api_key is not None}
    return [(path, each) for path, each in every if path in paths or _api(each) in apis]


def _api(message: Message) -> tuple[str, int | None]:
    """What two halves of an API have in common, and a record with its key: others may have the same
    key."""
    kind = "" if message.type in HALVES else message.type.partition("-")[0]
    return kind, message.api_key


def _elsewhere(
    tree: Tree,
    project: Project,
    sought: Sequence[Message],
    present: Collection[str],
    parsed: ParsedMessages,
) -> Iterable[Message]:
    """The messages that a tree has at other paths than today: those with their API keys, or names.

    What the project takes today counts before its copies anywhere else.
    """
    takes = project.selection.takes
    messages: dict[Identity, Message] = {}
    keys = {message.api_key for message in sought if message.api_key is not None}
    names = {message.name for message in sought if message.api_key is None}
    for path in sorted(tree.files, key=lambda each: not takes(each)):
        may_be = candidate(path) or takes(path)
        if path in present or not may_be or not tree.files[path].blob:
            continue
        read = read_spec(tree, path, project.profile, parsed)
        if isinstance(read, Message) and (read.api_key in keys or read.name in names):
            messages.setdefault(read.identity, read)
    return messages.values()


def _tree_of(git: Git, tag: str) -> Tree:
    """The tree of a tag."""
    return of_commit(git, f"refs/tags/{tag}^{{commit}}")
