"""A protocol that is not Kafka's, for peers on a network."""

from __future__ import annotations

TABLES = """
[tables]
levels = "tables/levels.json"
"""


LEVELS = [{"id": 0, "version": "L0", "release": "1.0"}, {"id": 1, "version": "L1", "release": "2.0"}]
