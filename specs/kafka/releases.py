"""The releases of Apache Kafka that our texts may name (releases.json)."""

from __future__ import annotations

import json
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.texts.releases import ReleaseList


@cache
def known_releases() -> ReleaseList:
    """The releases, the newest one that the texts describe, and the lines that have none yet."""
    document = json.loads((FOLDER / "releases.json").read_text(encoding="utf-8"))
    return ReleaseList(
        tuple(document["releases"]), document["verified"], tuple(document["unreleased"])
    )
