"""What a site is built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirebook.rules.opened import OpenedProject, open_specs
from wirebook.rules.settings import NOT_YET
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.problems import InputError
from wirebook.specs.releases import releases_of, tag_names, usual_glob


@dataclass(frozen=True)
class BuildRequest:
    """What a site is built from.

    `source` is the SOURCE of the specs as a command in the folder `here` names it, None for those there. With
    `history`, a git repository, the tags that match one of the globs `releases` are shown. `names_releases`
    is whether the command line names them. `catalog` is the folder of the tables and documents that the site
    is built from. `master` and `conf` are for a new Spark session and take precedence over the user's own
    Spark configuration.
    """

    source: str | None = KAFKA
    here: Path = Path()
    history: Path | None = None
    releases: tuple[str, ...] = ()
    names_releases: bool = False
    master: str | None = None
    catalog: Path = Path("build") / "catalog"
    conf: Mapping[str, str] = field(default_factory=dict)

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
        name, or else those of the most common form. Raises InputError if something cannot be read.
        """
        place = None if history is None else here / history
        if source is None and place is not None:
            with Git(place) as git:
                bare = git.top is None
            here, source = (here, f"{history}@HEAD") if bare else (place, None)
        request = cls(source, here, place)
        specs = request.open()
        if place is not None and specs.is_fallback:
            raise InputError("no message specs in its folder: name the SOURCE of the site", history)
        if place is None and (not specs.is_here or specs.repository is None):
            if releases is not None:
                raise InputError("--releases is for a repository: name it with --history")
            return request
        place = place or specs.repository
        assert place is not None
        globs = (releases,) if releases else _globs(place, specs)
        with Git(place) as git:
            found = releases_of(git, globs, specs.settings.prerelease)
        if found:
            return cls(source, here, place, globs, bool(releases))
        if releases or history is not None:
            words = f'matches "{releases}"' if releases else "names a release"
            raise InputError(f"no tag of {history or place} {words}")
        return cls(source, here)

    def open(self) -> OpenedProject:
        """Read the specs. Raises InputError."""
        return open_specs(self.source, self.here)


def _globs(history: Path, specs: OpenedProject) -> tuple[str, ...]:
    """The globs of the releases that the settings of the specs name, or else of all."""
    named = specs.settings.released
    if named:
        return () if named == (NOT_YET,) else named
    with Git(history) as git:
        glob = usual_glob(tag_names(git))
    return () if glob is None else (glob,)
