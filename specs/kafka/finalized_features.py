"""Features that a cluster must have finalized before brokers accept versions of APIs (KIP-584)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.versions import Versions

_PATH = FOLDER / "finalized_features.json"


@dataclass(frozen=True, slots=True)
class FinalizedFeature:
    """A level of a feature, and the versions that need it, by the name of their API."""

    name: str
    level: int
    versions: Mapping[str, Versions]


@cache
def finalized_features() -> tuple[FinalizedFeature, ...]:
    """The features by name (finalized_features.json)."""
    return tuple(
        FinalizedFeature(
            row["name"],
            row["level"],
            {api: Versions.parse(versions) for api, versions in row["versions"].items()},
        )
        for row in json.loads(_PATH.read_text(encoding="utf-8"))["features"]
    )
