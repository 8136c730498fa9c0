"""Negotiations of a protocol other than Kafka's: its levels, and the tables that its profile names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from wirebook.live.negotiation.documentation import Documentation
from wirebook.live.negotiation.negotiate import Peer
from wirebook.rules.project.workspace import Workspace
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.brokers import ReleaseTable, read_release_table
from wirebook.specs.levels import Registry
from wirebook.specs.load import registry_of
from wirebook.specs.problems import InputError, unusable_json
from wirebook.specs.profile import NEUTRAL, Profile
from wirebook.specs.reading.reader import read_protocol
from wirebook.specs.sources.beside import texts_beside
from wirebook.specs.sources.source import Source
from wirebook.specs.versions import Versions, VersionsError


@dataclass(frozen=True)
class OwnProtocol:
    """The data for negotiations of a protocol: its specs, its releases, and its own clients by name."""

    documentation: Documentation
    table: ReleaseTable
    clients: Mapping[str, Peer] = field(default_factory=dict)


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
    servers = _table(source, profile, "servers")
    table = ReleaseTable((), {}, {}, False, profile.level, profile.server)
    if servers is not None:
        table = read_release_table(*servers, profile)
    # The specs include APIs that no release has yet.
    table = ReleaseTable(
        table.brokers,
        {**table.names, **names},
        {**table.keys, **{name.lower(): key for key, name in names.items()}},
        False,
        profile.level,
        profile.server,
    )
    clients = _table(source, profile, "clients")
    return OwnProtocol(documentation, table, {} if clients is None else read_clients(*clients))


def _table(source: Source, profile: Profile, what: str) -> tuple[bytes, str] | None:
    """The text and the path of a table that the profile names. Raises InputError if it does not exist."""
    path = profile.tables.get(what)
    if path is None:
        return None
    for text in texts_beside(source, [path]):
        return text.text, path
    raise InputError(f'there is no "{path}", the table of {what} of the profile', profile.path)


def read_clients(text: bytes, path: str) -> dict[str, Peer]:
    """Read the clients from a file in the format of live/schema/clients.json."""
    try:
        return {
            str(row["id"]): Peer.of(
                str(row["name"]),
                {int(key): Versions.parse(each) for key, each in row["versions"].items()},
                kind="known",
                origin=str(row["from"]),
            )
            for row in json.loads(text)["clients"]
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, VersionsError) as error:
        words = "this is not a table of clients, see live/schema/clients.json"
        raise InputError(f"{words} ({unusable_json(error)})", path) from None
