"""Why releases removed versions of APIs and other messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.versions import VersionSet

_PATH = FOLDER / "removals.json"


@dataclass(frozen=True, slots=True)
class Removal:
    """What a release line removed for one reason: versions by the name of the API or message."""

    release: str
    title: str
    reason: str
    source: str
    versions: Mapping[str, VersionSet]

    def is_of(self, release: str) -> bool:
        """Whether a release is of the line that removed them: "4.0.1" is of "4.0"."""
        line = order_of(self.release)
        return order_of(release)[: len(line)] == line


@cache
def all_removals() -> tuple[Removal, ...]:
    """The removals with their reasons, by release (removals.json)."""
    rows = json.loads(_PATH.read_text(encoding="utf-8"))["removals"]
    return tuple(_removal(row) for row in rows)


def removals_of(name: str) -> tuple[Removal, ...]:
    """The removals of versions of an API or message."""
    return tuple(removal for removal in all_removals() if name in removal.versions)


def _removal(row: Mapping[str, Any]) -> Removal:
    versions = {name: VersionSet.parse(text) for name, text in row["versions"].items()}
    return Removal(**{**row, "versions": versions})
