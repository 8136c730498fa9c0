"""What a site is built from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.rules.project.tags import default_releases, matching_releases
from wirebook.rules.project.workspace import SpecOrigin, Workspace
from wirebook.specs.problems import InputError
from wirebook.specs.sources.git import GitRepo
from wirebook.specs.sources.releases import Release


@dataclass(frozen=True)
class BuildRequest:
    """What a site is built from.

    With `history`, a git repository, the tags that match one of `releases` are shown. `names_releases` is
    whether the command line names the releases. `catalog` is the folder
    of the tables and documents that the site is built from. `master` and `conf` are for a new Spark session
    and take precedence over the user's own Spark configuration.
    """

    workspace: Workspace = field(default_factory=Workspace.embedded)
    history: str | None = None
    releases: tuple[str, ...] = ()
    master: str | None = None
    catalog: Path = Path("build") / "catalog"
    conf: Mapping[str, str] = field(default_factory=dict)
    names_releases: bool = False

    def __post_init__(self) -> None:
        _check_together(self.history, self.releases)

    @classmethod
    def of(
        cls,
        source: str | None,
        history: str | None = None,
        releases: str | None = None,
        *,
        here: Path = Path(),
    ) -> BuildRequest:
        """The meaning of the arguments of a command that runs `here`.

        Without a SOURCE, the specs of `history` count, or else those of the repository or folder here with
        its releases, or else the embedded ones. Without a glob, the releases are those that the settings
        name, or else those of all tags that are of the specs. Raises InputError if something cannot be read
        or is ambiguous.
        """
        if source is None and history is not None:
            workspace = _of_history(history, here)
        else:
            workspace = Workspace.open(here, source)
        if history is None:
            tags = (releases,) if releases else workspace.releases()
            if not tags or workspace.origin is not SpecOrigin.HERE:
                return cls(workspace, None, tags, names_releases=bool(releases))
            history = str(workspace.folder)
            return cls(workspace, history, tags, names_releases=bool(releases))
        with GitRepo(str(here / history)) as repository:
            matching = _found(repository, releases, workspace)
        tags = (releases,) if releases else tuple(each.name for each in matching)
        return cls(workspace, history, tags, names_releases=bool(releases))


def _check_together(history: str | None, releases: Collection[str] | None) -> None:
    if (history is None) != (not releases):
        raise InputError(
            "--history and --releases must be given together: the repository, and the tags that are releases"
        )


def _of_history(history: str, here: Path) -> Workspace:
    """The specs of a repository: of its folder, or of its HEAD if it has none."""
    if (here / history / ".git").exists():
        workspace = Workspace.open(here / history)
        if workspace.is_fallback:
            raise InputError("no message specs in its folder: name the SOURCE of the site", history)
    else:
        workspace = Workspace.open(here, f"git:{history}@HEAD")
    return workspace


def _found(repository: GitRepo, glob: str | None, workspace: Workspace) -> list[Release]:
    """The releases of a repository that match a glob, or else those of its specs. Raises InputError."""
    if glob is not None:
        releases = matching_releases(repository, [glob])
        wrong = f'no tag of {repository.path} matches "{glob}"'
    elif workspace.origin is SpecOrigin.HERE:
        names = workspace.releases()
        releases = [release for release in repository.releases("*").found if release.name in names]
        wrong = f"no tag of {repository.path} names a release"
    else:
        releases = default_releases(repository)
        wrong = f"no tag of {repository.path} names a release"
    if not releases:
        raise InputError(wrong)
    return releases
