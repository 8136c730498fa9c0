"""Negotiations of a protocol other than Kafka's: its specs and its levels."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.live.negotiation.documentation import Documentation
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import ReleaseTable
from wirebook.specs.levels import Registry
from wirebook.specs.load import registry_of
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.reader import read_protocol


@dataclass(frozen=True)
class OwnProtocol:
    """The data for negotiations of a protocol: its specs, and the names of its APIs."""

    documentation: Documentation
    table: ReleaseTable


def is_foreign(profile: Profile) -> bool:
    """Whether a profile belongs to a protocol that is neither Kafka's nor that of a fork."""
    return profile != NEUTRAL and profile.family != KAFKA


def own_protocol(workspace: Workspace) -> OwnProtocol | None:
    """Read the data for negotiations from the specs of a workspace; None if they are Kafka's or do not name
    their protocol.

    Raises InputError for specs and tables that cannot be read.
    """
    source, profile = workspace.source, workspace.profile
    if not is_foreign(profile):
        return None
    protocol = read_protocol(workspace.texts, source.description, profile)
    registry = registry_of(source, workspace.texts, profile) or Registry(())
    documentation = Documentation(protocol, registry, explicit=True, word=profile.level)
    names = documentation.names
    keys = {name.lower(): key for key, name in names.items()}
    return OwnProtocol(documentation, ReleaseTable((), names, keys, profile.server))
