"""The releases that `--released` names, as tags or sources: how to read the files of each."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from wirebook.rules.project.settings import TAGS_HINT, UNRELEASED_HINT, Setting, unusable_releases
from wirebook.specs.problems import InputError
from wirebook.specs.profile import Profile
from wirebook.specs.profile_choice import TextOf, claimed_profile, stated_profile, stated_protocols
from wirebook.specs.reading.discovery import places_above
from wirebook.specs.reading.profiles import CONFIGURATIONS, FILES
from wirebook.specs.reading.protocols import Protocols
from wirebook.specs.sources.beside import texts_beside
from wirebook.specs.sources.git import GitRepo, SpecEntry
from wirebook.specs.sources.location import holds_repository, is_git_folder
from wirebook.specs.sources.naming import explicit_kind, has_wildcards, is_path_like, is_tag_glob
from wirebook.specs.sources.releases import pick_releases
from wirebook.specs.sources.repository import Repository
from wirebook.specs.sources.source import Source, open_source

# The texts of the files at some paths, in the order of these, without those that do not exist.
Files = Callable[[Sequence[str]], Mapping[str, bytes]]
# Specs as path, object and text.
ReleasedTexts = Callable[[], Iterable[tuple[str, str, bytes]]]


class ReleaseSnapshot(NamedTuple):
    """A release: the identity of its content, how to read its specs, its day, and how to read other files.

    `elsewhere` returns the specs that are out of scope today, but were in that of the release: their messages
    may have moved, or the team may have given them up.
    """

    name: str
    key: str
    texts: ReleasedTexts  # those in scope
    elsewhere: ReleasedTexts = tuple
    day: Callable[[], str] = str  # YYYY-MM-DD; "" if that is not known
    files: Files = lambda paths: {}
    outside: Callable[[], str] = str  # the path of a spec that is out of scope, if there is any


class ReleaseSearch(NamedTuple):
    """Where the names of releases are looked up, and what counts there.

    `takes` decides which paths count, also those of test trees if `tests`. `prerelease` are globs of tags
    that freeze nothing (see `pick_releases`). `takes_in` decides for a tree, by the configuration
    that the tree has itself, since its specs may have been in another folder; None if it has none. `leaves`
    decides which paths out of scope may be those of moved specs, and `left_in` does so for a tree, by its own
    configuration as well. `refused` returns the error for names that are of no use. `later` returns those of
    some tags that were no releases before the change: they name its new side, or descend from it.
    """

    repository: Repository | None
    takes: Callable[[str], bool]
    cwd: Path
    tests: bool
    prerelease: Sequence[str] | None
    takes_in: Callable[[str], Callable[[str], bool] | None] = lambda tree: None
    leaves: Callable[[str], bool] = lambda path: False
    left_in: Callable[[str], Callable[[str], bool] | None] = lambda tree: None
    refused: Callable[[Sequence[str], str], InputError] = partial(unusable_releases, Setting(()))
    later: Callable[[Sequence[str]], Set[str]] = lambda tags: frozenset()


class NamedReleases(NamedTuple):
    """The snapshots of one name, notices about it, and why some of its releases cannot be read.

    `later` are its releases that freeze nothing yet (see `ReleaseSearch`).
    """

    snapshots: Sequence[ReleaseSnapshot]
    notices: Sequence[str] = ()
    unread: Sequence[str] = ()
    later: Sequence[ReleaseSnapshot] = ()


def snapshots_of(name: str, search: ReleaseSearch, written: str = "") -> NamedReleases:
    """The releases of one name: a glob over tags, or a SOURCE.

    `written` is the name in the settings, if a commit is to be read in its place. Raises InputError.
    """
    repository, takes = search.repository, search.takes
    unread: Sequence[str] = ()
    if repository is not None and not (explicit_kind(name)[0] or is_path_like(name)):
        tagged = _tagged_releases(name, repository, search)
        unread = tagged.unread
        if tagged.snapshots or tagged.later:
            return tagged
        if is_tag_glob(name) and not _other_repository(name, search.cwd):
            why = "; ".join([*tagged.notices, *unread]) or "no tag matches it"
            hint = UNRELEASED_HINT if _is_unreleased(repository) else TAGS_HINT
            raise search.refused([name], f"{why}; {hint}")
    other = _other_repository(name, search.cwd)
    if other:
        why = "a glob selects tags of this repository only; name each release of the other one"
        raise search.refused([written or name], f"{why}: {other}@TAG")
    try:
        opened = open_source(name, tests=search.tests, cwd=search.cwd, bare_paths=repository is None)
        texts = [text for text in opened.texts() if takes(text.path)]
    except InputError as error:
        raise search.refused([written or name], str(error)) from None
    snapshot = ReleaseSnapshot(
        name,
        "\n".join(f"{text.digest} {text.path}" for text in texts),
        lambda: ((text.path, text.digest, text.text) for text in texts),
        files=partial(_files_beside, opened),
    )
    return NamedReleases([snapshot], unread=unread)


def _other_repository(name: str, cwd: Path) -> str:
    """The repository whose tags a glob is over, as in "../kafka@4.*"; "" if the name is not such a glob."""
    repository, at, ref = explicit_kind(name)[1].rpartition("@")
    if not at or not has_wildcards(ref.partition(":")[0]):
        return ""
    place = cwd / repository
    is_other = place.is_file() or holds_repository(place) or is_git_folder(place)
    return repository if is_other else ""


def _is_unreleased(repository: Repository) -> bool:
    """Whether no tag is a version, in a repository that has all of its tags."""
    versions = pick_releases(repository.tags(), "*").names
    return not (versions or repository.is_shallow() or repository.fetches_no_tags())


def _tagged_releases(name: str, repository: Repository, search: ReleaseSearch) -> NamedReleases:
    """The releases whose tags match a glob."""
    tags = pick_releases(repository.tags(), name, search.prerelease)
    git = repository.git
    trees = git.names(f"refs/tags/{tag}^{{tree}}" for tag in tags.names)
    snapshots: list[ReleaseSnapshot] = []
    bare: list[str] = []
    for tag in tags.names:
        tree = trees.get(f"refs/tags/{tag}^{{tree}}")
        if tree is None:
            bare.append(tag)
        elif tag not in tags.prereleases:
            snapshots.append(
                ReleaseSnapshot(
                    tag,
                    # Nothing proves that an object has its name, so it is trusted only in its repository.
                    f"{tree} {repository.folder}",
                    partial(_specs_of_tree, git, tree, search),
                    partial(_left_in_tree, git, tree, search),
                    day=partial(git.day, f"refs/tags/{tag}"),
                    files=partial(_files_of_tree, git, tree),
                    outside=partial(_spec_outside, git, tree, search),
                )
            )
    objects = git.names(f"refs/tags/{tag}^{{{kind}}}" for tag in bare for kind in ("", "commit"))
    unread = []
    for tag in bare:
        if f"refs/tags/{tag}^{{commit}}" in objects:
            unread.append(f"{tag}: the tree of its commit is missing or damaged")
        elif f"refs/tags/{tag}^{{}}" in objects:
            tags.left_out[tag] = "it does not name a commit"
        else:
            unread.append(f"{tag}: the object of the tag is missing or damaged")
    early = len(tags.prereleases)
    notices = [f"{early} pre-releases freeze nothing"] if early and not snapshots else []
    notices += [f"the tag {tag} is not a release: {why}" for tag, why in list(tags.left_out.items())[:3]]
    later = search.later([snapshot.name for snapshot in snapshots])
    return NamedReleases(
        [snapshot for snapshot in snapshots if snapshot.name not in later],
        notices,
        unread,
        [snapshot for snapshot in snapshots if snapshot.name in later],
    )


def first_releases(search: ReleaseSearch) -> NamedReleases:
    """The releases of a repository that names none yet: all tags that are versions."""
    if search.repository is None:
        return NamedReleases([])
    return _tagged_releases("*", search.repository, search)._replace(notices=())


def distinct_snapshots(snapshots: Iterable[ReleaseSnapshot]) -> list[ReleaseSnapshot]:
    """The distinct snapshots: two globs may match the same release."""
    return list({(snapshot.name, snapshot.key): snapshot for snapshot in snapshots}.values())


def _entries_of_tree(git: GitRepo, tree: str, search: ReleaseSearch) -> list[SpecEntry]:
    """The specs of a release in scope; if it has none there, those where its own configuration has them."""
    entries = _taken(git, tree, search, search.takes)
    takes = None if entries else search.takes_in(tree)
    return entries if takes is None else _taken(git, tree, search, takes)


def _taken(git: GitRepo, tree: str, search: ReleaseSearch, takes: Callable[[str], bool]) -> list[SpecEntry]:
    """The specs of a release at the paths that `takes` decides on."""
    entries = git.entries(tree, tests=search.tests, takes=takes)
    return [entry for entry in entries if takes(entry.path)]


def _specs_of_tree(git: GitRepo, tree: str, search: ReleaseSearch) -> Iterator[tuple[str, str, bytes]]:
    """The specs of `_entries_of_tree` with their texts."""
    for entry in _entries_of_tree(git, tree, search):
        yield entry.path, entry.digest, git.read(entry.digest)


def _left_in_tree(git: GitRepo, tree: str, search: ReleaseSearch) -> Iterator[tuple[str, str, bytes]]:
    """The specs of a release that only its own configuration takes in.

    Those whose file name it has in scope as well are left out.
    """
    leaves = search.left_in(tree)
    if leaves is None:
        return
    names = {posixpath.basename(entry.path) for entry in _entries_of_tree(git, tree, search)}
    for entry in _taken(git, tree, search, leaves):
        if posixpath.basename(entry.path) not in names:
            yield entry.path, entry.digest, git.read(entry.digest)


def _spec_outside(git: GitRepo, tree: str, search: ReleaseSearch) -> str:
    """The path of the first spec of a release that is out of scope; "" if there is none."""
    for entry in git.entries(tree, tests=search.tests):
        if not search.takes(entry.path):
            return entry.path
    return ""


def _files_of_tree(git: GitRepo, tree: str, paths: Sequence[str]) -> dict[str, bytes]:
    """Files of a tree of git. Raises InputError for one that cannot be read."""
    names = {path: entry.name for path, entry in git.at(tree, paths).items()}
    texts = dict(git.texts(names.values()))
    files: dict[str, bytes] = {}
    for path in paths:
        text = texts.get(names.get(path, ""))
        if isinstance(text, InputError):
            raise InputError(text.message, path)
        if text is not None:
            files[path] = text
    return files


def _files_beside(source: Source, paths: Sequence[str]) -> dict[str, bytes]:
    """Files beside the specs of a source. Raises InputError for one that cannot be read."""
    return {text.path: text.text for text in texts_beside(source, paths)}


class ReleaseProfile(NamedTuple):
    """A profile of a release: the file that has it or names it, and what it states."""

    place: str
    profile: Profile


def profiles_of_release(
    snapshot: ReleaseSnapshot, names: Callable[[], Container[str]] = tuple
) -> Iterator[ReleaseProfile]:
    """The profiles beside the specs of a release and above, and those that a configuration gives to them.

    Specs out of scope count if their file names are among `names`, those of specs of today. Raises InputError
    for one that cannot be read.
    """
    paths = [path for path, _, _ in snapshot.texts()]
    paths += [path for path, _, _ in snapshot.elsewhere() if posixpath.basename(path) in names()]
    for place, text in snapshot.files(places_above(paths, *FILES)).items():
        opened = partial(_opened, snapshot)
        profile = stated_profile(text, place, opened)
        if profile is not None:
            yield ReleaseProfile(place, profile)
        protocols = _protocols_at(text, place, opened)
        if protocols is not None:
            folder = posixpath.dirname(place) or "."
            owners = {protocols.owner(posixpath.relpath(path, folder), contested=True) for path in paths}
            for claim in protocols.claims:
                if claim.name in owners and claim.profile is not None:
                    yield ReleaseProfile(place, claim.profile)


def profile_at(snapshot: ReleaseSnapshot, place: str, name: str) -> Profile | None:
    """The profile that a release has in a file; of several protocols of a configuration, that of one.

    None if it has none. Raises InputError for one that cannot be read.
    """
    text = snapshot.files([place]).get(place)
    if text is None:
        return None
    opened = partial(_opened, snapshot)
    protocols = _protocols_at(text, place, opened)
    if protocols is None:
        return stated_profile(text, place, opened)
    claim = protocols.find(name)
    return claim and claim.profile


def _protocols_at(text: bytes, place: str, opened: TextOf) -> Protocols | None:
    """The protocols of a file; None if it has none, or is no configuration. Raises InputError."""
    return stated_protocols(text, place, opened) if posixpath.basename(place) in CONFIGURATIONS else None


def _opened(snapshot: ReleaseSnapshot, path: str) -> bytes | None:
    """The text of a file of a release; None if there is none."""
    return snapshot.files([path]).get(path)


def profile_beside(snapshot: ReleaseSnapshot, path: str) -> Profile | None:
    """The profile that a release has for the spec at a path; None if it has none.

    That of one of several protocols of a configuration comes first, then the nearest profile.toml. Raises
    InputError for one that cannot be read.
    """
    opened = partial(_opened, snapshot)
    places = [place for name in FILES for place in places_above([path], name)]
    texts = snapshot.files(places)
    settings = [place for place in texts if posixpath.basename(place) in CONFIGURATIONS]
    claimed = (claimed_profile(texts[place], place, path, opened) for place in settings)
    stated = (stated_profile(texts[place], place, opened) for place in places if place in texts)
    return next(filter(None, chain(claimed, stated)), None)
