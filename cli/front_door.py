"""Opens the specs of a command, and reports on stderr which ones it has."""

import sys
from pathlib import Path

from wirebook.rules.opened import OpenedProject, open_specs
from wirebook.specs.printable import visible

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
