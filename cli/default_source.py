"""The specs that a command reads: the named ones, those of the current repository, or the embedded ones."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from wirebook.specs.load import SourceContents, read_opened, read_protocols, select
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.profile_choice import KAFKA
from wirebook.specs.protocols import chosen, listed

HELP = "where the specs are; kafka selects the built-in ones (default: those here, otherwise kafka)"


@dataclass(frozen=True)
class Specs:
    """The protocols that a command reads, one or more."""

    parts: tuple[SourceContents, ...]

    @property
    def where(self) -> str:
        """A line that describes what was read."""
        return self.parts[0].description

    @property
    def only(self) -> SourceContents:
        """The only protocol. Raises InputError if there are several."""
        return chosen([(part.name, part) for part in self.parts], None, self.where)

    def holding(self, name: str) -> SourceContents:
        """The protocol that has an API or a message. Raises InputError if none or several have it."""
        if len(self.parts) == 1:
            return self.parts[0]
        found = [part for part in self.parts if part.protocol.api(name) or part.protocol.find(name)]
        if len(found) > 1:
            names = listed(part.name for part in found)
            raise InputError(f'"{name}" is in several protocols: {names}; choose one with --protocol')
        if not found:
            select(Protocol.of(message for part in self.parts for message in part.protocol), name, self.where)
        return found[0]

    def select(self, name: str) -> tuple[Message, ...]:
        """The messages of an API, or one message. Raises InputError unless exactly one protocol has it."""
        return select(self.holding(name).protocol, name, self.where)


def declare_protocol(parser: argparse.ArgumentParser) -> None:
    """Declare the option that selects one of several protocols."""
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, if the specs define several")


def load_specs(source: str | None, protocol: str | None = None) -> Specs:
    """Load the specs of a SOURCE, of one of its protocols or of all.

    Without a SOURCE, loads the specs of the current repository or folder, or else the embedded ones. Raises
    InputError if the specs cannot be read or have no such protocol, OSError.
    """
    if source is not None:
        parts = read_protocols(source)
    else:
        from wirebook.docgen.choice import own_texts

        found = own_texts(Path())
        parts = read_protocols(KAFKA) if found is None else read_opened(found[0].source, found[1])
    if protocol is not None:
        parts = [chosen([(part.name, part) for part in parts], protocol, parts[0].description)]
    return Specs(tuple(parts))
