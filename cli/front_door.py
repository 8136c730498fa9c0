"""Opens the specs of a command, and reports on stderr which ones it has."""

import sys
from pathlib import Path

from wirebook.rules.opened import OpenedProject, open_specs, specs_here
from wirebook.specs.kafka import KAFKA
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

HELP = "where the specs are; kafka selects the built-in ones (default: those here, otherwise kafka)"


def open_and_tell(source: str | None) -> OpenedProject:
    """The specs of a SOURCE, or else those here, or else the embedded ones.

    stderr names those that the command line does not name. Raises InputError if they cannot be
    read, OSError.
    """
    specs = open_specs(source)
    tell_fallback(specs)
    if specs.is_here:
        folder = visible(specs.shown(specs.folder, Path()))
        print(f"wirebook: using the specs in {folder}", file=sys.stderr)
    return specs


def tell_fallback(specs: OpenedProject) -> None:
    """Say on stderr that the folder has no specs, if the embedded ones are used for them."""
    if specs.is_fallback:
        used = f"the embedded specs of {specs.profile.product}"
        print(f"wirebook: no specs here: these are {used}", file=sys.stderr)


def of_kafka() -> bool:
    """Whether the specs here are Kafka's or a fork's, or nobody can say."""
    try:
        specs = specs_here(Path())
    except (InputError, OSError):
        return True
    return not specs.project.messages or specs.profile.family == KAFKA
