"""A protocol that is not Kafka's, for peers on a network."""

from __future__ import annotations

TABLES = """
[protocol.tables]
servers = "tables/gateways.json"
clients = "tables/devices.json"
levels = "tables/levels.json"
"""


GATEWAYS = {
    "schema": "wirebook/broker-versions/1",
    "apis": {
        "0": {"name": "Hello"},
        "1": {"name": "OpenSession", "was": ["Open"]},
        "2": {"name": "SendReadings"},
    },
    "releases": [
        {"release": "1.0", "versions": {"0": "0", "1": "0-1"}, "listeners": {"gateway": "0-1"}},
        {
            "release": "2.0",
            "versions": {"0": "0-2", "1": "0-3", "2": "0-2"},
            "deprecated": {"1": "0"},
            "listeners": {"gateway": "0-2", "edge": "0-1"},
        },
        {"release": "pike", "versions": {"0": "0-2", "18": "0-7"}, "listeners": {"gateway": "0,18"}},
    ],
}


GATEWAYS["apis"]["18"] = {"name": "Dive"}  # type: ignore[index]


DEVICES = {
    "schema": "wirebook/clients/1",
    "clients": [
        {"id": "tiny", "name": "Tiny device 3", "from": "its firmware", "versions": {"0": "0", "1": "0-2"}}
    ],
}


LEVELS = [{"id": 0, "version": "L0", "release": "1.0"}, {"id": 1, "version": "L1", "release": "2.0"}]
