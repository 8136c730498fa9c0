"""Who sends some versions, in words: plain text, not escaped."""

from __future__ import annotations

from wirebook.rules.usage.model import FleetSender, FleetUse

NAMED = 3


def used(use: FleetUse, most: int = NAMED) -> str:
    """Who sends the versions, naming the clients with the most requests, or that nobody does."""
    when = f" from {use.first} to {use.last}" if use.first and use.last else ""
    if not use.requests:
        return f"no client of the fleet sends {_them(use)}{when}"
    if use.between_servers:
        return f"only servers send {_them(use)}{when}"
    parts = [sends(sender, use.api) for sender in use.senders[:most]]
    more = use.clients - len(parts)
    if more > 0:
        least = "at least " if use.is_least else ""
        parts.append(f"and {least}{more:,} more {'client' if more == 1 else 'clients'}")
    return "; ".join(parts)


def sends(sender: FleetSender, api: str) -> str:
    """A client and what it sends: "billing-export (payments), 1,200,000 requests on 2026-11-20, …"."""
    owner = f" ({sender.owner})" if sender.owner else ""
    return f"{sender.name}{owner}, {requests_of(sender)}, still sends {api} v{sender.versions}"


def client_of(sender: FleetSender) -> str:
    """A client with its software, if it reports that."""
    if sender.software in ("", "unknown"):
        return sender.name
    number = "" if sender.software_version in ("", "unknown") else f" {sender.software_version}"
    return f"{sender.name}, {sender.software}{number}"


def requests_of(sender: FleetSender) -> str:
    """The requests of a client on its last day, or all of them if no line has a date."""
    number = sender.last_day_requests if sender.last_day else sender.requests
    on = f" on {sender.last_day}" if sender.last_day else ""
    return f"{number:,} {'request' if number == 1 else 'requests'}{on}"


def _them(use: FleetUse) -> str:
    return f"{use.api} v{use.versions}" if use.versions else f"these versions of {use.api}"
