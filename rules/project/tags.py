"""The tags of a repository that are the releases of its specs, when a command is given none or a glob."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.specs.kafka.ancestry import KAFKAS_RELEASES, kafkas_own
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.releases import (
    Release,
    ReleaseGroup,
    is_named_by,
    main_group,
    release_groups,
    without_prereleases,
)

_LISTED = 12


def matching_releases(
    repository: GitRepo, globs: Iterable[str], prerelease: Sequence[str] | None = None
) -> list[Release]:
    """The releases whose tags match one of some globs; pre-releases only if there is nothing else."""
    return without_prereleases(tag for glob in globs for tag in repository.releases(glob, prerelease).found)


def default_releases(
    repository: GitRepo,
    prerelease: Sequence[str] | None = None,
    folder: str = "",
    named: Sequence[str] = (),
) -> list[Release]:
    """The releases of the specs below a folder, of all tags of a repository; none if it has no releases.

    Tags of modules, of products beside the main one, and pre-releases do not count, nor those that other
    protocols name by the globs `named`. Raises InputError, which lists the groups of tags, if that leaves a
    choice.
    """
    every = repository.releases("*", prerelease).found
    groups = release_groups(release for release in every if not is_named_by(named, release.name))
    main = main_group(groups, folder)
    if main is not None:
        kafkas = kafkas_own(repository, main.releases)
        if not kafkas:
            return list(main.releases)
        # A fork that keeps the tags of its origin: they are not its own releases.
        others = [release for release in main.releases if release not in kafkas]
        rest = [*release_groups(others), *(group for group in groups if group is not main)]
        rest = [group for group in rest if _has_specs(repository, group)]
        if not rest:
            return list(main.releases)
        groups = [ReleaseGroup("", tuple(kafkas)), *rest]
    if not groups:
        return []
    listed = ", ".join(map(str, groups[:_LISTED]))
    more = f" and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
    note = f"; the first are {KAFKAS_RELEASES}" if main is not None else ""
    raise InputError(
        f"the tags name releases of several products: {listed}{more}{note}; choose with --releases GLOB",
        repository.path,
    )


def _has_specs(repository: GitRepo, group: ReleaseGroup) -> bool:
    return bool(repository.entries(group.releases[-1].commit))
