"""The tags of a repository that are the releases of its specs, when a command is given none or a glob."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.releases import (
    Release,
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
        return list(main.releases)
    if not groups:
        return []
    listed = ", ".join(map(str, groups[:_LISTED]))
    more = f" and {len(groups) - _LISTED} more" if len(groups) > _LISTED else ""
    raise InputError(
        f"the tags name releases of several products: {listed}{more}; choose with --releases GLOB",
        repository.path,
    )
