"""The scope of a check: its configuration, its repository, and which files count."""

import copy
import os
import posixpath
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from wirebook.rules.check.request import CheckRequest
from wirebook.rules.project.config import (
    NOT_YET,
    OWN,
    SHARED,
    Config,
    find_configs,
    is_configuration,
    load_config,
    read_config,
    two_in_one_folder,
)
from wirebook.rules.project.settings import Setting
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SETTINGS
from wirebook.specs.problems import InputError
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.discovery import REGISTRY, candidate, relative
from wirebook.specs.sources.filesets import FileSet
from wirebook.specs.sources.naming import is_tag_glob
from wirebook.specs.sources.repository import Repository, find_repository
from wirebook.specs.sources.revisions import CommitRange, TagGlobs

if TYPE_CHECKING:
    from wirebook.specs.sources.source import Source

Understood = TypeVar("Understood")
_OF_OLD_SIDE = ("against", "branch", "prerelease", "deprecated_for")


class Policy(NamedTuple):
    """A configuration that applies, and the folder that its paths are relative to."""

    config: Config
    folder: Path

    def placed(self, top: Path) -> Callable[[str], str]:
        """The function that turns a path from the top into one from the folder."""
        return lambda path: relative(top / path, self.folder).replace(os.sep, "/")

    @property
    def chooses(self) -> bool:
        """Whether its paths exclude some files."""
        return bool(self.config.paths.value or self.config.exclude.value)

    def takes(self, path: Path) -> bool:
        """Whether its paths include a file."""
        # The registry is next to the specs that `paths` names.
        if path.name == REGISTRY:
            return not self.excludes(path)
        return self.config.takes(relative(path, self.folder).replace(os.sep, "/"))

    def excludes(self, path: Path) -> bool:
        """Whether a file is left out by name."""
        return self.config.excludes(relative(path, self.folder).replace(os.sep, "/"))


class Committed(NamedTuple):
    """The configuration of a commit, and the path of its file there."""

    config: Config
    path: str


class _ConfigurationFile(NamedTuple):
    """The file of a configuration, by its path from the top."""

    path: str
    text: bytes


class Scope:
    """A request, interpreted in the folder from which it comes.

    `stack` closes opened resources. `notices` are reported in addition to the findings. Once the sides are
    known, `profile_of` returns the profile of a spec by its path, and `profile` is that of the first spec
    that differs. `tables` are those of FILES that a profile names as tables or as its registry, and `structs`
    are the files of structs that differ. In a repository with several protocols, `part` names the one to
    judge, `part_names` has its names on both sides, `owns` decides which paths belong to it, `may_own` which
    belong to no other one, and `claims` describes that. By the tables of the new side, other protocols have
    those of its specs that are `leaving`, and it has those of others that are `arriving`; `others` are the
    releases of these. `later` returns those of some tags that are no releases before the change
    (`LaterTags`). `nth` is the number of the old side, if there are several. Raises InputError for a request
    that contradicts itself and for a configuration that cannot be read.
    """

    def __init__(self, request: CheckRequest, stack: ExitStack, nth: int = 0) -> None:
        self.request = options = request
        self.cwd = request.cwd or Path.cwd()
        if (options.old is None) != (options.new is None):
            raise InputError("--old and --new must be given together: they are the two sides")
        if options.old is not None and (options.staged or options.against or options.files):
            raise InputError("--old and --new already name both sides: do not name another")
        self.nth = nth
        self.notices: list[str] = []
        self.repository = self._opened(stack) if options.old is None else None
        self.configure(self._new_commit(options.against))
        against = self.config.against
        new_commit = self.commit if options.against is not None else self._new_commit(against.value)
        if new_commit != self.commit:
            # A configuration names a range; its new side may contain another configuration.
            self.configure(new_commit)
            self._use(self.config._replace(against=against))
        if options.old is not None and self.config.released.value:
            self.repository = self._opened(stack)
        self.named = [set(self._paths_of(name)) for name in options.files]
        self.profile = NEUTRAL
        self.profile_of: Callable[[str], Profile] = lambda path: NEUTRAL
        self.tables: set[str] = set()
        self.structs: set[str] = set()
        self.part: str | None = None
        self.part_names: tuple[str, ...] = ()
        self.leaving: tuple[str, ...] = ()
        self.arriving: tuple[str, ...] = ()
        self.owns: Callable[[str], bool] | None = None
        self.may_own: Callable[[str], bool] | None = None
        self.claims: tuple[str, ...] = ()
        self.others: tuple[str, ...] = ()
        self.later: Callable[[Sequence[str]], Set[str]] = lambda tags: frozenset()

    def configure(self, commit: str | None) -> None:
        """Read the configuration of the new side: of a commit; None is the working tree or the index.

        Raises InputError for a configuration that cannot be read.
        """
        options, self.commit = self.request, commit
        path, config = self._configuration()
        self._folder = None if path is None else path.parent
        if self._folder is not None:
            config = config.seen_from(self.real_cwd, self._folder)
        self._use(
            config.override(released=options.released or None, against=options.against, branch=options.branch)
        )

    def _use(self, config: Config) -> None:
        """Use a configuration."""
        self.config = config
        self.policies: tuple[Policy, ...] = (Policy(config, self.config_folder),)

    @property
    def config_folder(self) -> Path:
        """What the paths of the configuration are relative to; without one, the last folder of the search."""
        return self._folder or self.top

    def _new_commit(self, against: str | None) -> str | None:
        """The commit that is the new side, if it is one: that of a range, or HEAD of a bare repository."""
        if self.repository is None or self.request.staged:
            return None
        commits = None if against is None else CommitRange.parse(against)
        if commits is not None:
            return self.repository.git.resolve(commits.second)
        if self.request.tip is not None:
            return self.repository.git.resolve(self.request.tip)
        return None if self.repository.top is not None else self.repository.git.commit("HEAD")

    @property
    def top(self) -> Path:
        """What paths of the sides are relative to; files outside git are relative to the current folder."""
        if self.repository is None or self.request.old is not None:
            return self.cwd
        return self.repository.top or self.real_cwd

    @cached_property
    def real_top(self) -> Path:
        """What paths of commits are relative to, with links resolved: the top of the repository, if there is
        one.
        """
        top = self.cwd if self.repository is None else self.repository.top or self.real_cwd
        return Path(os.path.realpath(top))

    @cached_property
    def given_cwd(self) -> str:
        """The folder of the check as it is named: the change may turn a folder on its path into a link."""
        shell = os.environ.get("PWD", "") if self.request.cwd is None else ""
        is_here = os.path.isabs(shell) and os.path.realpath(shell) == str(self.real_cwd)
        return shell if is_here else os.path.abspath(self.cwd)

    @cached_property
    def real_cwd(self) -> Path:
        """The folder of the check with links resolved."""
        return Path(os.path.realpath(self.cwd))

    def _opened(self, stack: ExitStack) -> Repository | None:
        repository = find_repository(self.cwd, index=self.request.staged)
        if repository is not None:
            stack.callback(repository.close)
        return repository

    def _configuration(self) -> tuple[Path | None, Config]:
        """The configuration and its file, from the commit or the index if that is judged.

        What the command line names is taken as it lies in the working tree.
        """
        path = None if self.request.config is None else self.cwd / self.request.config
        if path is None and self.commit is not None:
            committed = self.configuration_of(self.commit)
            return (
                (None, Config()) if committed is None else (self.real_top / committed.path, committed.config)
            )
        if path is None and self._judges_index:
            return self._staged_configuration()
        if path is None:
            path = self._nearest_configuration()
        if path is None:
            return None, Config()
        config = load_config(path, relative(path, self.cwd), self.omitted_text)
        return Path(os.path.realpath(path.parent), path.name), config

    def _nearest_configuration(self) -> Path | None:
        """The file of the configuration of the working tree, which may omit it; None if there is none."""
        nearest = next(find_configs(self.cwd), None)
        if self.repository is None or not self.repository.is_sparse():
            return nearest
        for place in self._places_of_configuration(""):
            path = self.real_top / place
            if path == nearest:
                break
            text = self.omitted_text(path)
            if text is not None and is_configuration(place, text):
                return path
        return nearest

    def omitted_text(self, path: Path) -> bytes | None:
        """The text of a file that a sparse working tree omits, which is that of the index; None for any other
        file.
        """
        repository = self.repository
        if repository is None or not repository.is_sparse() or os.path.lexists(path):
            return None
        name = _within(os.path.realpath(path), self.real_top)
        return None if name is None else repository.git.omitted_text(name, MAX_SETTINGS)

    def _staged_configuration(self) -> tuple[Path | None, Config]:
        """The configuration of the index and its file; those that are not staged become notices."""
        placed = self._placed_configuration("")
        path = None if placed is None else self.real_top / placed.path
        for other in find_configs(self.cwd):
            if other == path:
                break
            if self.text_in_git(other) is None:
                name = relative(other, self.cwd)
                self.notices.append(f"{name} is not staged: it counts from the commit that it is in")
        if placed is None or path is None:
            return None, Config()
        read = partial(
            read_config,
            path=relative(path, self.cwd),
            opened=lambda named: self.text_in_git(self.cwd / named),
        )
        return path, self.understood(path, placed.text, read)

    def configuration_of(self, commit: str) -> Committed | None:
        """The configuration in a commit for the folder of the check; None if it has none."""

        def opened(named: str) -> bytes | None:
            return self.text_of(commit, self.real_top / named)

        placed = self._placed_configuration(commit)
        if placed is None:
            return None
        return Committed(read_config(placed.text, placed.path, opened), placed.path)

    def _placed_configuration(self, commit: str) -> "_ConfigurationFile | None":
        """The file of the configuration in a commit, or for "" in the index; None if it has none."""
        if self.repository is None:
            return None
        paths = self.repository.git.existing(commit, list(self._places_of_configuration(commit)))
        texts = {
            path: text for path in paths if (text := self.text_of(commit, self.real_top / path)) is not None
        }
        for path, text in texts.items():
            if not is_configuration(path, text):
                continue
            beside = posixpath.join(posixpath.dirname(path), SHARED)
            if path != beside and beside in texts and is_configuration(beside, texts[beside]):
                raise two_in_one_folder(beside)
            return _ConfigurationFile(path, text)
        return None

    def configuration_of_old_side(self, base: str) -> Committed | None:
        """Like `configuration_of`, of the old side. Raises InputError."""
        try:
            return self.configuration_of(base)
        except InputError as error:
            raise self.of_old_side(error, base) from None

    def judge_by_commit(self, base: str) -> None:
        """Like `judge_by`, with the configuration of the old side."""
        committed = self.configuration_of_old_side(base)
        config = Config() if committed is None else committed.config
        folder = self.real_top if committed is None else self.real_top / posixpath.dirname(committed.path)
        config = config.seen_from(self.real_cwd, folder, partial(self._was_there, base))
        self.judge_by(Policy(config, folder))

    def _was_there(self, base: str, path: Path) -> bool:
        """Whether a commit has a file or folder, or the working tree has it outside the repository."""
        name = self.in_commit(base, path)
        if name is None or self.repository is None:
            return path.exists()
        return bool(self.repository.git.at(base, [name]))

    def _places_of_configuration(self, commit: str) -> Iterator[str]:
        """The possible paths of the configuration in a commit, the nearest folder first."""
        named = self.request.config
        path = self.in_commit(commit, Path(named or OWN))
        if path is None or named is not None:
            yield from () if path is None else (path,)
            return
        folder = posixpath.dirname(path)
        while True:
            yield from (posixpath.join(folder, name) for name in (OWN, SHARED))
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def source(self, name: str, *, bare_paths: bool = True) -> "Source":
        """A SOURCE, with the specs in test folders if they count.

        Without `bare_paths`, a bare word can only be a ref.
        """
        from wirebook.specs.sources.source import open_source

        return open_source(name, tests=self.tests, cwd=self.cwd, bare_paths=bare_paths)

    @property
    def filters(self) -> str:
        """What decides which paths of a release are in scope, as text."""
        # Names like those of specs add nothing: such files count anyway.
        named = sorted(name for name in self.names if not candidate(name, tests=True))
        parts = [
            *(str(self.tests), *named, ""),
            # A tree has another configuration for another folder.
            *((str(self.real_cwd), str(self.request.config)) if self._has_filters else ()),
            *(
                part
                for config, folder in self.policies
                for part in (*config.paths.value, "", *config.exclude.value, "", str(folder))
            ),
        ]
        return "\0".join([*parts, *self.claims])

    @property
    def tests(self) -> bool:
        """Whether specs in test folders count: only if `paths` is set."""
        return bool(self.request.files or self.policies[0].config.paths.value)

    def takes(self, path: str) -> bool:
        """Whether a file, by its path from the top, is in scope."""
        return self._takes(path, self.top)

    def takes_of_release(self, path: str) -> bool:
        """Like `takes` for a file of a release, whose paths begin at the top of the repository."""
        return self._takes(path, self.real_top)

    def _takes(self, path: str, top: Path) -> bool:
        if not (candidate(path, tests=self.tests) or path in self.names):
            return False
        if self.owns is not None and not self.owns(path):
            return False
        # The first is that of the old side: a change does not decide where specs are searched.
        policy = self.policies[0]
        return not policy.chooses or policy.takes(top / path)

    def takes_in(self, tree: str) -> Callable[[str], bool] | None:
        """Like `takes` by the configuration that a tree has itself; None if that names neither paths nor
        protocols, or if all of its specs are in scope.
        """
        if not self._has_filters:
            return None
        try:
            policy = self._policy_of(tree)
        except InputError:
            return None
        if policy is None:
            return None
        assigned = self._assigned_by(policy)
        if assigned is None and not policy.chooses:
            return None
        owns = assigned or self.owns
        return lambda path: (
            candidate(path, tests=self.tests)
            and (owns is None or owns(path))
            and (not policy.chooses or policy.takes(self.real_top / path))
        )

    @property
    def _has_filters(self) -> bool:
        """Whether specs may be out of scope, by `paths` or by [[protocol]]."""
        return self.policies[0].chooses or self.part is not None

    def _policy_of(self, tree: str) -> Policy | None:
        """The policy of the configuration of a tree; None if it has none. Raises InputError."""
        committed = self.configuration_of(tree)
        if committed is None:
            return None
        return Policy(committed.config, self.real_top / posixpath.dirname(committed.path))

    def leaves(self, path: str) -> bool:
        """Whether a file of a release is out of scope, but may be a spec that moved since: it is neither
        excluded, nor that of another protocol.
        """
        return (
            candidate(path, tests=self.tests)
            and not self.takes_of_release(path)
            and not self.policies[0].excludes(self.real_top / path)
            and (self.may_own is None or self.may_own(path))
        )

    def left_in(self, tree: str) -> Callable[[str], bool] | None:
        """Like `leaves` for the files that the configuration of a tree takes in; None if all of its specs
        are in scope.
        """
        if not self._has_filters:
            return None
        try:
            policy = self._policy_of(tree)
        except InputError:
            return None
        if policy is None:
            return self.leaves
        protocols, placed = policy.config.protocols.value, policy.placed(self.real_top)
        today = [each.config.protocols.value for each in self.policies]
        names = {claim.name for each in today if each is not None for claim in each.claims}
        others = names.difference(self.part_names)
        return lambda path: (
            self.leaves(path)
            and (not policy.chooses or policy.takes(self.real_top / path))
            and (protocols is None or protocols.owner(placed(path), contested=True) not in others)
        )

    def _assigned_by(self, policy: Policy) -> Callable[[str], bool] | None:
        """Whether a configuration assigns a file to the protocol to judge; None if it has no [[protocol]]."""
        protocols, part = policy.config.protocols.value, self.part
        if protocols is None or part is None:
            return None
        placed = policy.placed(self.real_top)
        return lambda path: protocols.owner(placed(path), contested=True) == part

    def of_protocol(self, name: str, owner: Callable[[str], str], later: str | None = None) -> "Scope":
        """The scope of one of several protocols, with its releases.

        `owner` returns the protocol of a file by its path from the top, "" for none. `later` is the name of
        the protocol on the new side, if the change renames it.
        """
        part = copy.copy(self)
        part.part = name
        part.part_names = (name, name if later is None else later)
        part.owns = lambda path: owner(path) == name
        part.may_own = lambda path: owner(path) in (name, "")
        # A change does not decide which tags are releases of other protocols.
        part.others = self.policies[0].config.releases_of_others(name)
        part.policies = tuple(
            policy._replace(config=policy.config.of_protocol(part.part_names[number > 0]))
            for number, policy in enumerate(self.policies)
        )
        before, after = part.policies[0].config, part.policies[-1].config
        if not self.request.released:
            part.config = self.config._replace(released=released_of_both(before, after))
        return part

    def judge_by(self, old: Policy) -> None:
        """Use the policy of the old side, and that of the new side where it is stricter.

        The names of the old side and of the releases are those of the old side, unless the command line has
        them; releases added by the new side count, too.
        """
        new = self.config
        overridden = {name for name in ("released", "against", "branch") if getattr(self.request, name)}
        settings = {name: getattr(old.config, name) for name in _OF_OLD_SIDE if name not in overridden}
        if "released" not in overridden:
            settings["released"] = released_of_both(old.config, new)
        self.config = new._replace(**settings)
        self.policies = (old, *self.policies)

    def release_tags(self, base: str) -> TagGlobs:
        """The tags that the settings name as releases if a commit is the old side.

        These are all that are versions if the settings name no tags: other releases may be in files. Raises
        InputError for settings that cannot be read.
        """
        new = self.config
        if len(self.policies) == 1:
            committed = self.configuration_of_old_side(base)
            old = Config() if committed is None else committed.config
        else:
            old = self.policies[0].config
        released = released_of_both(old.of_protocol(None), new.of_protocol(None))
        names = self.request.released or released.value
        tags = () if self.repository is None else self.repository.tags()
        globs = [name for name in names if is_tag_glob(name) or name in tags]
        known = globs if globs and NOT_YET not in names else TagGlobs().releases
        return TagGlobs(known, old.prerelease.value)

    def taken(self, side: FileSet) -> FileSet:
        """A side without the files that are out of scope."""
        return side.taken(self.takes)

    @property
    def names(self) -> set[str]:
        """All paths of FILES from the top."""
        return {path for paths in self.named for path in paths}

    def _paths_of(self, name: str) -> Iterator[str]:
        """One of FILES as a path from the top: where it is now, and as it is named.

        They differ behind a link, and a change may have added the link.
        """
        for path in (self.from_top(name), self.given(Path(name))):
            if path is not None:
                yield "" if path == "." else path

    def follow(self, *sides: FileSet | None) -> None:
        """Add to FILES what each side has behind links there."""
        for side in sides:
            for path, place in side.places.items() if side is not None else ():
                for named in self.named:
                    if below(path, named):
                        named.add(place)

    def from_top(self, name: str) -> str:
        """A file named relative to the current folder, as a path from the top."""
        folder, last = os.path.split(os.path.join(self.cwd, name))
        if last in ("", os.curdir, os.pardir):
            folder, last = os.path.join(folder, last), ""
        where = os.path.join(os.path.realpath(folder), last)
        return relative(where, self.real_top).replace(os.sep, "/")

    def wants(self, path: str) -> bool:
        """Whether a file is among FILES, or none is named."""
        return not self.named or any(below(path, named) for named in self.named)

    def inside(self, path: Path) -> str | None:
        """A path from the top of the repository with links resolved; None if it is outside."""
        folder, last = os.path.split(os.path.normpath(self.cwd / path))
        return _within(os.path.join(os.path.realpath(folder), last), self.real_top)

    def given(self, path: Path) -> str | None:
        """A path from the top of the repository as it is named; None if it is outside.

        A link in the working tree does not decide what a path names in a commit. A relative path begins at
        the folder of the check.
        """
        full = os.path.normpath(os.path.join(self.given_cwd, path))
        name = _within(full, self.real_top)
        if name is not None:
            return name
        above = Path(full)
        for folder in reversed((above, *above.parents)):
            if os.path.realpath(folder) == str(self.real_top):
                return relative(above, folder).replace(os.sep, "/")
        return None

    def in_commit(self, commit: str, path: Path) -> str | None:
        """The path from the top at which a commit has a file, behind links of that commit.

        None if the file is outside the repository.
        """
        name = self.given(path) or self.inside(path)
        if name is None or self.repository is None:
            return None
        folder, last = posixpath.split(name)
        return posixpath.join(self.repository.git.followed(commit, folder), last) if folder else last

    def text_of(self, commit: str, path: Path, limit: int = MAX_SETTINGS) -> bytes | None:
        """The text of a file in a commit; None if it does not exist there."""
        name = None if self.repository is None else self.in_commit(commit, path)
        if self.repository is None or name is None:
            return None
        return self.repository.git.text(commit, name, limit)

    def understood(self, path: Path, text: bytes, read: Callable[[bytes], Understood]) -> Understood:
        """The parsed text of a file. An error says when only git has the text."""
        try:
            return read(text)
        except InputError as error:
            if not self.is_in_git(path) or (path.is_file() and read_input(path, MAX_SETTINGS) == text):
                raise
            what = (
                f"what {self.commit[:12]} has"
                if self.commit
                else f"what is staged: git add {relative(path, self.cwd)}"
            )
            raise InputError(f"{error.message} (this is {what})", error.path, error.position) from None

    def of_old_side(self, error: InputError, base: str) -> InputError:
        """The error for a file of the old side that cannot be read."""
        which = f"this is the file of the old side, {base[:12]}; --against names another one"
        return InputError(f"{error.message} ({which})", error.path, error.position)

    def is_in_git(self, path: Path) -> bool:
        """Whether files are judged as git has them: the index or a commit is the new side."""
        return self._in_git(path) is not None

    def _in_git(self, path: Path) -> str | None:
        """The path of a file in the index or the commit, if that is judged."""
        if self.repository is None:
            return None
        if self.commit is not None:
            # The working tree may have links where the commit has none.
            return _within(os.path.normpath(path), self.real_top)
        return _within(os.path.realpath(path), self.real_top) if self._judges_index else None

    @property
    def _judges_index(self) -> bool:
        """Whether the index is the new side."""
        return self.request.staged and self.repository is not None and self.repository.top is not None

    def text_in_git(self, path: Path, limit: int = MAX_SETTINGS) -> bytes | None:
        """The text of a file of the new side in its commit or the index; None if it does not exist."""
        name = self._in_git(path)
        assert self.repository is not None
        if name is not None and self.commit is not None:
            name = self.in_commit(self.commit, path)
        return None if name is None else self.repository.git.text(self.commit or "", name, limit)


def released_of_both(old: Config, new: Config) -> Setting[tuple[str, ...]]:
    """The releases that count: those that the old side names, and what the new side adds.

    Without releases, every version of the old side is released, so no addition can be stricter.
    """
    added = new.released.value if old.released.value else ()
    return old.released._replace(value=tuple(dict.fromkeys((*old.released.value, *added))))


def below(path: str, named: set[str]) -> bool:
    """Whether a path is one of some files, or in one of some folders."""
    if path in named or "" in named:
        return True
    return any(path.startswith(f"{name}/") for name in named)


def _within(path: str, top: Path) -> str | None:
    """A path from the top of the repository; None if it is outside."""
    name = relative(path, top)
    outside = name.split(os.sep)[0] == os.pardir or os.path.isabs(name)
    return None if outside else name.replace(os.sep, "/")
