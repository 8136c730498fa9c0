"""What a site is built from: specs, and the releases of a repository."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from wirebook.rules.opened import OpenedProject, open_specs
from wirebook.rules.settings import NOT_YET, Settings
from wirebook.specs import trees
from wirebook.specs.git import Git
from wirebook.specs.kafka.registry import embedded_source
from wirebook.specs.problems import InputError
from wirebook.specs.releases import Release, releases_of, usual_glob


@dataclass(frozen=True)
class BuildRequest:
    """What a site is built from, as a command in the folder `here` names it.

    `source` is a SOURCE; None means the specs of the repository `history`, or else those of the
    repository or folder here with its releases, or else the embedded ones. `releases` is the glob
    of the tags that are shown; None means those that the settings name, or else for the most common
    form.
    """

    source: str | None = None
    history: str | None = None
    releases: str | None = None
    here: Path = Path()


@dataclass(frozen=True, slots=True)
class Sources:
    """The specs of a request, and the releases of the repository in the folder `history`, in
    version order.

    `pattern` are the globs of the releases, and `is_named` is whether the command line has them.
    """

    specs: OpenedProject
    history: Path | None = None
    releases: tuple[Release, ...] = ()
    pattern: str = ""
    is_named: bool = False


def sources_of(request: BuildRequest) -> Sources:
    """Read the specs of a request and find the releases. Raises InputError."""
    history = None if request.history is None else request.here / request.history
    source, here = request.source, request.here
    if source is None and history is not None:
        with Git(history) as git:
            if git.top is None:
                source = f"{request.history}@HEAD"
            else:
                here = history
    specs = open_specs(source, here)
    if history is not None and specs.is_fallback:
        raise InputError(
            "no message specs in its folder: name the SOURCE of the site", request.history
        )
    if specs.is_embedded:
        folder = embedded_source()
        words = "the specs that come with wirebook"
        specs = replace(specs, tree=trees.of_folder(folder), top=folder, where=words)
    if history is None:
        if not specs.is_here or specs.repository is None:
            if request.releases is not None:
                raise InputError("--releases is for a repository: name it with --history")
            return Sources(specs)
        history = specs.repository
    with Git(history) as git:
        globs = (request.releases,) if request.releases else _globs(git, specs.settings)
        found = releases_of(git, globs, specs.settings.prerelease)
    if found:
        return Sources(specs, history, tuple(found), " ".join(globs), bool(request.releases))
    if request.releases or request.history:
        words = f'matches "{request.releases}"' if request.releases else "names a release"
        raise InputError(f"no tag of {request.history or history} {words}")
    return Sources(specs)


def _globs(git: Git, settings: Settings) -> tuple[str, ...]:
    """The globs of the releases that some settings name, or else of all."""
    if settings.released:
        return () if settings.released == (NOT_YET,) else settings.released
    glob = usual_glob(git)
    return () if glob is None else (glob,)
