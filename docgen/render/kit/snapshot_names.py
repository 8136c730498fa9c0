"""What the snapshots of a site are called, and the folder of their pages."""

from __future__ import annotations

from collections.abc import Sequence

from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import SnapshotRecord

RELEASES = "releases/"


def snapshot_folder(snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord) -> str:
    """Where the pages of the snapshots are."""
    return protocol.levels_folder if are_levels(snapshots) else RELEASES


def snapshot_word(snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord) -> str:
    """What one of the snapshots is called in a title."""
    return protocol.level_title if are_levels(snapshots) else "Release"


def are_levels(snapshots: Sequence[SnapshotRecord]) -> bool:
    """Whether the snapshots are protocol levels; otherwise they are releases."""
    return bool(snapshots) and snapshots[-1].kind == "api_version"
