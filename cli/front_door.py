"""Opens the workspace of a command, and reports on stderr which specs it has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.kafka import KAFKA
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import PROFILE

if TYPE_CHECKING:
    from wirebook.rules.project.workspace import Workspace

HELP = "where the specs are; kafka selects the built-in ones (default: those here, otherwise kafka)"


def open_workspace(source: str | None) -> Workspace:
    """The specs of a SOURCE, or else those here, or else the embedded ones.

    stderr names those that the command line does not name. Raises InputError if they cannot be read, OSError.
    """
    from wirebook.rules.project.workspace import Workspace

    workspace = Workspace.open(Path(), source)
    tell_fallback(workspace)
    # What cannot be read is one line on stderr, without this one.
    if workspace.is_here and workspace.contents:
        print(f"wirebook: using the specs in {visible(workspace.shown_folder)}", file=sys.stderr)
    return workspace


def tell_fallback(workspace: Workspace) -> None:
    """Say on stderr that the embedded specs take the place of those that the folder does not have."""
    if workspace.is_fallback:
        product = workspace.profile.product
        print(f"wirebook: no specs here: these are the embedded specs of {product}", file=sys.stderr)


def of_kafka() -> bool:
    """Whether the specs here are Kafka's or a fork's; also True if they are unknown or unreadable."""
    from wirebook.rules.project.config import find_config

    here = Path.cwd()
    try:
        if find_config(here) is None and not any(
            (each / PROFILE).is_file() for each in (here, *here.parents)
        ):
            return True
        from wirebook.rules.project.workspace import Workspace

        specs = Workspace.here(here)
        return not specs.texts or specs.profile.family == KAFKA
    except (InputError, OSError):
        return True
