"""What a site is built from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirebook.rules.project.workspace import SpecOrigin, Workspace
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import EMBEDDED, embedded_profile
from wirebook.specs.protocols import chosen


@dataclass(frozen=True)
class BuildRequest:
    """What a site is built from.

    With `history`, a git repository, the tags that match one of `releases` are shown. `catalog` is the folder
    of the tables and documents that the site is built from. `master` and `conf` are for a new Spark session
    and take precedence over the user's own Spark configuration. `tables` is a URI to which executors write
    the tables as well.
    """

    workspace: Workspace = field(default_factory=Workspace.embedded)
    history: str | None = None
    releases: tuple[str, ...] = ()
    master: str | None = None
    catalog: Path = Path("build") / "catalog"
    conf: Mapping[str, str] = field(default_factory=dict)
    tables: str | None = None

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
        protocol: str | None = None,
    ) -> BuildRequest:
        """The meaning of the arguments of a command that runs `here`.

        Without a SOURCE, the specs of `history` count, or else those of the repository or folder here with
        its releases, or else the embedded ones, which are also used for a history of their own protocol.
        Raises InputError if something cannot be read.
        """
        _check_together(history, releases)
        if source is None and history is not None:
            workspace = _of_history(history, here, protocol)
        else:
            workspace = Workspace.open(here, source, protocol)
        if history is None and workspace.origin is SpecOrigin.HERE:
            tags = workspace.releases()
            return cls(workspace, str(workspace.folder) if tags else None, tags)
        return cls(workspace, history, (releases,) if releases else ())

    def protocols(self) -> list[str]:
        """The names of the protocols to build sites for; "" for the only one.

        Specs that no [[protocol]] claims have no name and no site. Raises InputError if there is no such
        protocol.
        """
        names = [part.name for part in self.workspace.parts]
        if self.workspace.name is not None:
            return [chosen([(name, name) for name in names], self.workspace.name, self.workspace.where)]
        return [name for name in names if name] if len(names) > 1 else names

    def choosing(self, protocol: str) -> BuildRequest:
        """A request for one of the protocols; "" is the only one."""
        return replace(self, workspace=self.workspace.choosing(protocol)) if protocol else self


def _check_together(history: str | None, releases: Collection[str] | None) -> None:
    if (history is None) != (not releases):
        raise InputError(
            "--history and --releases must be given together: the repository, and the tags that are releases"
        )


def _of_history(history: str, here: Path, protocol: str | None) -> Workspace:
    """The specs of a repository: of its folder, or of its HEAD if it has none."""
    if (here / history / ".git").exists():
        workspace = Workspace.open(here / history, None, protocol)
        if workspace.is_fallback:
            raise InputError("no message specs in its folder: name the SOURCE of the site", history)
    else:
        workspace = Workspace.open(here, f"git:{history}@HEAD", protocol)
    parts = workspace.parts
    is_embedded = len(parts) == 1 and parts[0].profile in map(embedded_profile, EMBEDDED)
    return Workspace.embedded(here, protocol) if is_embedded else workspace
