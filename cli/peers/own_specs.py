"""The specs here, if they are of a protocol other than Kafka's."""

from __future__ import annotations

from pathlib import Path

from wirebook.rules.opened import OpenedProject, specs_here
from wirebook.rules.settings import FILE, settings_files
from wirebook.specs.git import Git
from wirebook.specs.kafka import KAFKA
from wirebook.specs.profile import NEUTRAL
from wirebook.specs.trees import folder_with, of_working_tree


def own_specs(cwd: Path) -> OpenedProject | None:
    """The specs of the project that a folder is in; None if they are Kafka's or do not name their protocol.

    Raises InputError for specs and tables that cannot be read.
    """
    git = Git.find(cwd)
    if git is not None and git.top is not None:
        has_settings = bool(settings_files(of_working_tree(git)))
    else:
        has_settings = folder_with(cwd.resolve(), FILE) is not None
    # Without settings, nothing here has to be read: a folder may be the root of a disk.
    if not has_settings:
        return None
    here = specs_here(cwd)
    is_foreign = here.profile != NEUTRAL and here.profile.family != KAFKA
    return here if is_foreign and here.project.messages else None
