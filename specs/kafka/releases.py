"""The releases of Apache Kafka that our texts may name (releases.json)."""

from __future__ import annotations

from functools import cache

from wirebook.specs.kafka import facts
from wirebook.specs.release_ranges import ReleaseList


@cache
def known_releases() -> ReleaseList:
    """The releases, and the newest one that the texts describe."""
    document = facts("releases.json")
    return ReleaseList(tuple(document["releases"]), document["verified"])
