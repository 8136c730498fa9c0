"""The specs here, if they are of a protocol other than Kafka's."""

from __future__ import annotations

from pathlib import Path

from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.rules.settings import FILE
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.trees import folder_with


def own_specs(cwd: Path) -> OpenedProject | None:
    """The specs of the project that a folder is in; None if they are Kafka's or do not name their protocol.

    Raises InputError for specs and tables that cannot be read.
    """
    # A folder outside of any project may be the root of a disk.
    if Git.find(cwd) is None and folder_with(cwd.resolve(), FILE) is None:
        return None
    here = specs_here(cwd)
    is_foreign = here.profile != NEUTRAL and here.profile.family != KAFKA
    return here if is_foreign and here.project.messages else None
