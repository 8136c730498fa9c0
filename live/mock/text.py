"""Formats the log of a mock broker as lines of text."""

from __future__ import annotations

from wirebook.specs.model import Json
from wirebook.specs.printable import quiet, visible


def text(event: dict[str, Json]) -> str:
    """Format an event as a line that can control neither a terminal nor a CI runner."""
    return quiet(visible(_line(event)))


def _line(event: dict[str, Json]) -> str:
    if event["event"] == "listening":
        assert isinstance(event["brokers"], list)
        where = ", ".join(
            f"{node['host']}:{node['port']}" for node in event["brokers"] if isinstance(node, dict)
        )
        return f"listening on {where}: release {event['release']}, mode {event['mode']}"
    head = f"{event['at']:>9.3f}  #{event['connection']}"
    if event["event"] == "closed":
        return f"{head} closed: {event['why']}"
    if event["event"] == "token":
        return f"{head} token for {event['mechanism']} -> {event['answer']}"
    api = event["api"] or f"API key {event['key']}"
    details = [str(event[key]) for key in ("client_id", "mechanism", "user") if event.get(key)]
    software = event.get("software")
    if isinstance(software, list):
        details.append(" ".join(map(str, software)))
    suffix = f" ({', '.join(details)})" if details else ""
    return f"{head} {api} {event['version']}{suffix} -> {event['answer']}"
