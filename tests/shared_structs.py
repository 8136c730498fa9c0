"""A small protocol whose specs share a struct."""

from __future__ import annotations

from typing import Any

COMMON = "messages/Common.json"
ENDPOINT = [
    {"name": "Host", "type": "string", "versions": "0+", "about": "The host."},
    {"name": "Port", "type": "int32", "versions": "0+", "about": "The port."},
    {"name": "Rack", "type": "string", "versions": "1+", "about": "The rack."},
]


def structs(*fields: dict[str, Any], name: str = "Endpoint", **keys: Any) -> dict[str, Any]:
    """A file with one struct."""
    return {
        "type": "structs",
        **keys,
        "commonStructs": [{"name": name, "versions": "0+", "fields": [*fields]}],
    }


def changed(**keys: Any) -> dict[str, Any]:
    """The file of structs with other keys of the second field."""
    host, port, rack = ENDPOINT
    return structs(host, {**port, **keys}, rack)


def join(kind: str, **keys: Any) -> dict[str, Any]:
    """A request or a response that imports the struct."""
    field, type_ = {"request": ("Self", "Endpoint"), "response": ("Members", "[]Endpoint")}[kind]
    return {
        "apiKey": 1,
        "type": kind,
        "name": f"Join{kind.title()}",
        "validVersions": "0-1",
        "flexibleVersions": "none",
        "imports": ["Common.json"],
        "fields": [{"name": field, "type": type_, "versions": "0+", "about": "Who."}],
        **keys,
    }


def ping(kind: str) -> dict[str, Any]:
    return {**join(kind), "apiKey": 2, "name": f"Ping{kind.title()}", "imports": [], "fields": []}
