"""The specs that a command reads: those named, those of the repository here, or the embedded ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirebook.specs.load import load
from wirebook.specs.profiles import EMBEDDED

if TYPE_CHECKING:
    from wirebook.specs.model import Protocol

HELP = "where the specs are, or kafka for those that come with wirebook; default: those here, or else kafka"


def load_specs(source: str | None) -> tuple[Protocol, str]:
    """The protocol of a SOURCE, and one line that describes what was read.

    Without a SOURCE, the specs of the repository or folder here count, or else the embedded ones. Raises
    InputError where the specs cannot be read, OSError.
    """
    if source is not None:
        return load(None if source in EMBEDDED else source)
    from wirebook.docgen.choice import own_texts

    found = own_texts(Path())
    if found is None:
        return load(None)
    from wirebook.specs.profiles import profile_of
    from wirebook.specs.reading.reader import read_protocol

    here, texts = found[0].source, found[1]
    return read_protocol(texts, here.description, profile_of(here, texts)), here.description
