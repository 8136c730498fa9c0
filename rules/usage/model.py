"""Who sends some versions of an API, as part of a finding or a consequence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from wirebook.specs.versions import VersionSet

MOST_SENDERS = 20


@dataclass(frozen=True, slots=True)
class FleetSender:
    """A client and what it sends; `last_day` is the last day on which it did, None if no line has a date.

    All names come from clients: they are untrusted and plain.
    """

    software: str
    software_version: str
    client_id: str
    principal: str
    owner: str
    versions: VersionSet
    requests: int
    last_day: str | None
    last_day_requests: int

    @property
    def name(self) -> str:
        """The display name of the client."""
        return self.client_id or self.principal or "a client without a name"

    def to_json(self) -> dict[str, Any]:
        """The client as wirebook/findings/1 has it."""
        return {**asdict(self), "versions": self.versions.text}


@dataclass(frozen=True, slots=True)
class FleetUse:
    """What a fleet sends of some versions of an API, from `first` to `last` (days; None without one).

    `versions` are those that are sent, none if nobody sends any. `senders` are the clients with the most
    requests. `clients` counts all of them, or is a lower bound if `is_least` is set. `between_servers` is set
    for requests that only brokers send to each other.
    """

    api: str
    versions: VersionSet
    requests: int
    clients: int
    senders: tuple[FleetSender, ...]
    first: str | None
    last: str | None
    is_least: bool = False
    between_servers: bool = False

    @property
    def cuts_off(self) -> bool:
        """Whether clients send one of the versions."""
        return self.requests > 0 and not self.between_servers

    def to_json(self) -> dict[str, Any]:
        """The use as wirebook/findings/1 has it."""
        return {
            "versions": self.versions.text,
            "requests": self.requests,
            "clients": self.clients,
            "clients_is_least": self.is_least,
            "between_servers": self.between_servers,
            "senders": [sender.to_json() for sender in self.senders],
        }


def together(senders: Iterable[FleetSender]) -> list[FleetSender]:
    """The senders of several versions, each client once, most requests first."""
    by_client: dict[tuple[str, ...], FleetSender] = {}
    for sender in senders:
        client = (sender.software, sender.software_version, sender.client_id, sender.principal, sender.owner)
        before = by_client.get(client)
        by_client[client] = sender if before is None else _added(before, sender)
    return sorted(
        by_client.values(),
        key=lambda sender: (-sender.requests, sender.name, sender.principal, sender.software),
    )


def _added(one: FleetSender, other: FleetSender) -> FleetSender:
    last = max(one.last_day or "", other.last_day or "")
    on_last = sum(sender.last_day_requests for sender in (one, other) if last and sender.last_day == last)
    return FleetSender(
        one.software,
        one.software_version,
        one.client_id,
        one.principal,
        one.owner,
        one.versions | other.versions,
        one.requests + other.requests,
        last or None,
        on_last,
    )
