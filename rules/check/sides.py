"""The two sides that a check compares: in git or outside it, from files, sources, or a range of commits."""

import os
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from wirebook.rules.check.conversions import conversions
from wirebook.rules.check.reading import some_spec
from wirebook.rules.check.scope import Scope
from wirebook.rules.check.surroundings import Surroundings
from wirebook.rules.project.config import Config
from wirebook.rules.project.settings import COMMAND_LINE, DEFAULT, Setting
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import REGISTRY, is_spec, place_of, places_above, relative
from wirebook.specs.sources.alike import decides
from wirebook.specs.sources.filesets import (
    FileSet,
    index_is_as_in,
    read_regular,
    tree_attributes,
    tree_is_as_in,
)
from wirebook.specs.sources.git_command import run
from wirebook.specs.sources.naming import explicit_kind, is_path_like
from wirebook.specs.sources.revisions import (
    CommitRange,
    ComparedSides,
    OldSides,
    compare_range,
    compare_staged,
    compare_staged_branch,
    compare_working,
    new_side,
)

if TYPE_CHECKING:
    from wirebook.specs.sources.source import Source
    from wirebook.specs.sources.targets import Push


class NamedOldSide(NamedTuple):
    """What names the old side: a SOURCE or a range, or else the branch that the new side left."""

    against: Setting[str | None]
    branch: Setting[str | None]

    @classmethod
    def of(cls, config: Config) -> Self:
        """What a configuration names."""
        return cls(config.against, config.branch)

    @property
    def values(self) -> tuple[str | None, str | None]:
        """The names, without their origins."""
        return self.against.value, self.branch.value


class Governance(NamedTuple):
    """The scope of a check, which judges by the policy of the old side, the two sides, the commit whose
    configuration judges, if one does, and what the change does to policy.
    """

    scope: Scope
    sides: ComparedSides
    base: str | None = None
    changes: tuple[str, ...] = ()


def in_scope(scope: Scope, sides: ComparedSides) -> ComparedSides:
    """The files of each side that are in scope.

    What git makes another text of, or has twice where letter case does not count, is unread; an edit of that
    is a change of policy.
    """
    old, new = sides.old and scope.taken(sides.old), scope.taken(sides.new)
    if new.alike:
        new = new._replace(unread=(*new.unread, *_alike(scope, sides)))
    changes: tuple[str, ...] = ()
    if old is not None:
        has_specs = cache(partial(_has_specs, scope, sides._replace(old=old, new=new)))
        converted = conversions(old, new, has_specs)
        changes = converted.changes
        new = new._replace(closed={**new.closed, **converted.closed})
        new = new._replace(unread=(*new.unread, *converted.unread, *_in_place_of_specs(old, new)))
    return sides._replace(old=old, new=new, policy_changes=changes)


def _alike(scope: Scope, sides: ComparedSides) -> Iterator[str]:
    """A line for each pair of paths of the new side, of which a checkout may have only one, if it matters."""
    for pair in sides.new.alike:
        paths = [path for path in pair.files if scope.takes(path)]
        if any(decides(path) or path.endswith(".toml") for path in pair.files):
            yield pair.line
            continue
        here = [path for path in paths if path in sides.new.files]
        texts = sides.new.read(here)
        if sides.some is not None:
            rest = sides.some(path for path in paths if path not in texts)
            texts.update(rest.read(rest.files))
        if any(isinstance(text, InputError) or is_spec(text, place_of(path)) for path, text in texts.items()):
            yield pair.line


def _has_specs(scope: Scope, sides: ComparedSides, folder: str) -> bool:
    """Whether specs are expected in a folder of the top, at any depth; or for "" in the top itself.

    If the configuration has `paths`, they are expected wherever these lead.
    """
    if any(policy.config.paths.value for policy in scope.policies):
        return True
    for side in filter(None, (sides.old, sides.new, Surroundings(scope, sides).rest())):
        files = {
            path: name
            for path, name in side.files.items()
            if (path.startswith(f"{folder}/") if folder else "/" not in path)
        }
        if some_spec(side._replace(files=files)):
            return True
    return False


def _in_place_of_specs(old: FileSet, new: FileSet) -> Iterator[str]:
    """A line for each unreadable replacement of moved files of the old side."""
    added = [path for path in new.closed if path not in old.closed]
    if not added:
        return
    objects = set(new.files.values())
    moved = [path for path, name in old.files.items() if path not in new.files and name in objects]
    for path in added:
        folder = path.rpartition("/")[0] if path.endswith(".json") else path
        if any(old_path == path or old_path.startswith(f"{folder}/" if folder else "") for old_path in moved):
            yield f"{path}: {new.closed[path]} in the place of specs that moved, which cannot be checked"


class LaterTags:
    """The tags that name the new side of a change, or descend from it.

    They are no releases before the change: it cannot have broken them. There are none if a side neither is a
    commit nor has the state of one, nor if the old side has the new one in its history, since the change then
    goes back behind releases.
    """

    def __init__(self, scope: Scope, sides: ComparedSides) -> None:
        self.scope = scope
        self.repository = scope.repository
        self.sides = sides
        self.is_open = sides.base is None or any(sides.sources)

    def among(self, tags: Sequence[str]) -> set[str]:
        """Those of some tags."""
        if self.is_open or self.repository is None or self._head is None or not self._is_ahead:
            return set()
        return self._every.intersection(tags)

    @cached_property
    def _every(self) -> set[str]:
        # Each protocol may name several globs: the history is walked once for all.
        assert self.repository is not None
        assert self._head is not None
        refs = {f"refs/tags/{tag}": tag for tag in self.repository.tags()}
        return {refs[ref] for ref in self.repository.git.descending(self._head, list(refs))}

    @cached_property
    def _head(self) -> str | None:
        """The commit that the new side is, or else may have the state of."""
        assert self.repository is not None
        return self.sides.tip or self.repository.git.commit("HEAD")

    @cached_property
    def _is_ahead(self) -> bool:
        """Whether the new side is in the state of the commit, and the old side does not have it."""
        repository, head, base = self.repository, self._head, self.sides.base
        assert repository is not None
        assert head is not None
        assert base is not None
        # The order is that of the costs: most trees differ from every commit.
        if head == base or (self.sides.tip is None and not self._is_as_in(head)):
            return False
        if base in repository.git.near_ancestors(head):
            return True
        return bool(run(repository.place, "rev-list", "-1", head, "--not", base, index=repository.index))

    def _is_as_in(self, commit: str) -> bool:
        """Whether the new side, which is no commit, is in the state of one."""
        assert self.repository is not None
        if self.scope.request.staged:
            return index_is_as_in(commit, str(self.scope.cwd))
        return tree_is_as_in(self.repository, commit, self.sides.new)


def files_folder(scope: Scope, sides: ComparedSides) -> Path | None:
    """The folder that paths of the new side are relative to, if that side is files."""
    if scope.request.new is not None:
        folder = scope.cwd / scope.request.new
        return folder if folder.is_dir() else None
    return scope.top if sides.tip is None else None


def governing_sides(scope: Scope) -> Governance:
    """The two sides, with `scope` judging by the policy of the old one from then on.

    If the old side is not a commit of the repository, the current configuration applies. What
    the new configuration names as the old side is not read before the old configuration is known. Raises
    InputError.
    """
    if scope.repository is None:
        return Governance(scope, _sides_of(scope, NamedOldSide.of(scope.config)))
    # What the change itself sets does not choose the commit whose policy judges it.
    old_side = NamedOldSide(_not_set_by(scope.config.against), _not_set_by(scope.config.branch))
    settings = (*old_side.values, scope.tests)
    sides = _sides_of(scope, old_side)
    base = sides.base
    if base is not None:
        scope.judge_by_commit(base)
    old_side = NamedOldSide.of(scope.config)
    if (*old_side.values, scope.tests) != settings:
        is_named = base is None or old_side.against.origin == COMMAND_LINE
        bases = sides.bases
        sides = _sides_of(scope, old_side, None if is_named else base)
        sides = sides._replace(bases=max(bases, sides.bases))
    if base is not None and sides.tip != scope.commit:
        # The old side that the policy names makes another commit the new side.
        old = scope.policies[0]
        scope.configure(sides.tip)
        scope.judge_by(old)
    return Governance(scope, sides, base)


def _not_set_by(setting: Setting[str | None]) -> Setting[str | None]:
    """A setting of the command line or a default; none if the configuration of the new side sets it."""
    return setting if setting.origin in (DEFAULT, COMMAND_LINE) else Setting[str | None](None)


def _sides_of(scope: Scope, old_side: NamedOldSide, base: str | None = None) -> ComparedSides:
    """The two sides, and their names.

    With `base`, a folder of the repository that `old_side` names is read at that commit. Raises InputError.
    """
    request, repository, branch = scope.request, scope.repository, old_side.branch
    against = old_side.against.value
    origin = request.origin or old_side.against.origin
    which = OldSides(scope.nth, scope.release_tags)
    if request.old is not None:
        old, new = scope.source(request.old), scope.source(request.new or "")
        words = f"{new.description} against {old.description}, from the command line"
        return ComparedSides(words, _side(old), _side(new), sources=(old, new))
    if against is not None and against.startswith(":"):
        # git would search for it in messages, which the change has, too, or in the index.
        raise InputError(
            f'"{against.partition("..")[0]}" is a search of git, not a name: write a ref, a commit or a '
            f"range of them ({origin})"
        )
    if repository is None:
        return _without_git(scope, against, origin)
    commits = None if against is None else CommitRange.parse(against)
    if commits is not None:
        if request.staged:
            raise InputError("--staged judges the index: a range of commits names another new side")
        push = None if request.tip is None else _push(request.tip, branch)
        return compare_range(repository, commits, origin=origin, push=push, which=which)
    if against is not None and _is_outside(scope, against):
        return _against_source(scope, against, origin, base)
    if request.staged and request.whole_branch and against is None:
        return compare_staged_branch(repository, scope.cwd, branch.value, origin=branch.origin, which=which)
    if request.staged:
        return compare_staged(repository, scope.cwd, against or "HEAD", origin=origin, which=which)
    return compare_working(
        repository,
        scope.cwd,
        against,
        branch.value,
        origin=branch.origin if against is None else origin,
        tip=request.tip,
        which=which,
    )


def _push(name: str, branch: Setting[str | None]) -> "Push":
    """A push whose last commit has a name."""
    from wirebook.specs.sources.targets import Push

    return Push(name, branch.value, branch.origin)


def _against_source(scope: Scope, against: str, origin: str, base: str | None) -> ComparedSides:
    """The new side against a SOURCE that is no ref of this repository."""
    repository, request = scope.repository, scope.request
    assert repository is not None
    at_base = committed_source(scope, base, against)
    outside = scope.source(at_base, bare_paths=False)
    what, current, tip = new_side(repository, scope.cwd, staged=request.staged, tip=request.tip)
    if at_base != against:
        words = f"{what} against {against} of the old side ({(outside.commit or '')[:12]}; {origin})"
        return ComparedSides(words, _side(outside), current, base=base, tip=tip, sources=(outside, None))
    before, after = _aligned(outside, current, scope.cwd)
    # The configuration of another repository does not apply to this one.
    is_here = outside.kind == "git" and outside.path == str(scope.cwd)
    return ComparedSides(
        f"{what} against {outside.description}, from {_place(origin)}",
        before,
        after,
        base=outside.commit if is_here else None,
        tip=tip,
        sources=(None if is_here else outside, None),
    )


def _place(origin: str) -> str:
    return f"the {origin}" if origin == COMMAND_LINE else origin


def committed_source(scope: Scope, base: str | None, source: str, hops: int = 5) -> str:
    """Read a SOURCE at a commit if it is a folder of the repository.

    That is the commit of the old side, or else that of the new side, if it has one. Raises InputError for
    another file of the repository, such as an archive, that differs between the two.
    """
    kind, path = explicit_kind(source)
    commit = base or scope.commit
    if commit is None or scope.repository is None or kind == "git" or not (kind or is_path_like(path)):
        return source
    name = scope.in_commit(commit, Path(path))
    if not name:
        return source
    git = scope.repository.git
    entry = git.at(commit, [name]).get(name)
    if entry is not None and entry.kind == "tree":
        return f"git:{os.path.relpath(scope.top, scope.cwd)}@{commit}:{name}"
    text = entry.data if entry is not None and entry.kind == "blob" and entry.is_complete else None
    if text is None:
        return source if base is None else committed_source(scope, None, source)
    if git.is_link(commit, name):
        target = os.path.join(scope.top, os.path.dirname(name), os.fsdecode(text))
        if hops:
            return committed_source(scope, base, os.path.join(".", relative(target, scope.cwd)), hops - 1)
    elif base is None or read_regular(str(scope.cwd / path)) == (True, text):
        return source
    raise InputError("this change edits the file that it is compared with", source)


def _is_outside(scope: Scope, against: str) -> bool:
    """Whether a SOURCE is not a plain ref of this repository; open_source rejects a path of the same name."""
    at = "@" in against.replace("@{", "").strip("@")
    return at or ":" in against or is_path_like(against) or (scope.cwd / against).exists()


def _without_git(scope: Scope, against: str | None, origin: str) -> ComparedSides:
    if scope.request.staged:
        raise InputError("--staged needs a git repository, and this is not one", str(scope.cwd))
    new = _files(scope) if scope.request.files else _side(scope.source("."))
    if against is not None:
        outside = scope.source(against)
        words = f"the files here against {outside.description}, from {_place(origin)}"
        return ComparedSides(words, _side(outside), new, sources=(outside, None))
    words = "the files on their own, with the rules on single files: this is not a git repository"
    return ComparedSides(words, None, new)


def _files(scope: Scope) -> FileSet:
    """The files and folders of the request, as named."""
    texts: dict[str, tuple[str, str, bytes]] = {}
    for name in scope.request.files:
        plain = scope.from_top(name)
        folder = (scope.cwd / name).is_dir()
        for text in scope.source(name).texts():
            path = os.path.normpath(f"{plain}/{text.path}").replace(os.sep, "/") if folder else plain
            texts[path] = (path, text.digest, text.text)
    return FileSet.of_texts(texts.values())


def _side(source: "Source") -> FileSet:
    """The specs of a source with their registry and the possible paths of profiles."""
    from wirebook.specs.reading.profiles import FILES
    from wirebook.specs.sources.beside import places_beside, texts_beside

    texts = source.texts()
    paths = [text.path for text in texts]
    registries = places_above(paths, REGISTRY)
    places = [place for name in FILES for place in places_beside(source, paths, name)]
    beside = list(texts_beside(source, [*registries, *places]))
    texts += [text for text in beside if text.path not in registries]
    texts += [text for text in beside if text.path in registries][:1]
    side = FileSet.of_texts((text.path, text.digest, text.text) for text in texts)
    if source.repository is not None and source.commit is not None:
        folder = source.subdir.strip("/")
        side = side._replace(attributes=tree_attributes(source.repository, source.commit, folder=folder))
    return side


def _aligned(outside: "Source", new: FileSet, cwd: Path) -> tuple[FileSet, FileSet]:
    """Both sides with the same paths: a folder of this repository at another commit keeps its path."""
    old = _side(outside)
    inside = outside.subdir.strip("/") if outside.kind == "git" and outside.path == str(cwd) else ""
    if not inside:
        return old, new
    start = len(inside) + 1
    moved = FileSet(
        {f"{inside}/{path}": name for path, name in old.files.items()},
        lambda paths: {
            f"{inside}/{path}": text for path, text in old.read(path[start:] for path in paths).items()
        },
        has_imports=True,
    )
    if outside.repository is not None and outside.commit is not None:
        moved = moved._replace(attributes=tree_attributes(outside.repository, outside.commit))
    below = {path: name for path, name in new.files.items() if path.startswith(f"{inside}/")}
    return moved, new._replace(files=below)
