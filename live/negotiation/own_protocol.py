"""Negotiations of a protocol other than Kafka's: its specs and its levels."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.live.negotiation.documentation import Documentation
from wirebook.rules.opened import OpenedProject
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import ReleaseTable
from wirebook.specs.levels import Registry
from wirebook.specs.profile import NEUTRAL, Profile


@dataclass(frozen=True)
class OwnProtocol:
    """The data for negotiations of a protocol: its specs, and the names of its APIs."""

    documentation: Documentation
    table: ReleaseTable


def is_foreign(profile: Profile) -> bool:
    """Whether a profile belongs to a protocol that is neither Kafka's nor that of a fork."""
    return profile != NEUTRAL and profile.family != KAFKA


def own_protocol(specs: OpenedProject) -> OwnProtocol | None:
    """Read the data for negotiations from some specs; None if they are Kafka's or do not name their protocol.

    Raises InputError for specs and tables that cannot be read.
    """
    profile = specs.profile
    if not is_foreign(profile):
        return None
    registry = specs.registry or Registry(())
    documentation = Documentation(specs.protocol, registry, explicit=True, word=profile.level)
    names = documentation.names
    keys = {name.lower(): key for key, name in names.items()}
    return OwnProtocol(documentation, ReleaseTable((), names, keys, profile.server))
