"""The home page: the way to the search, the picture of the history, every API and the newest changes."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, SnapshotRecord
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.groups import grouped, kind_title
from wirebook.docgen.render.kit.stories import Story, stories
from wirebook.docgen.render.pictures.history import chart, columns, strips


def _newest_changes(
    index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord, count: int
) -> list[tuple[SnapshotRecord, list[Story]]]:
    """The newest snapshots that changed something, with what they changed.

    Of Kafka, only requests and responses count: its other messages are internal to brokers.
    """
    changed: list[tuple[SnapshotRecord, list[Story]]] = []
    for snapshot in reversed(snapshots):
        apis, others = stories(snapshot, index)
        news = apis if protocol.family else [*apis, *others]
        if news:
            changed.append((snapshot, news))
        if len(changed) == count:
            break
    return changed


def home_extract(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
) -> Markup:
    """What the home page shows of the catalog: every API with its history, and the newest changes."""
    apis = [row for row in index if row.is_api]
    apis.sort(key=lambda item: key_order(item.api_key))
    groups = grouped(apis)
    for row in sorted(index, key=lambda row: key_order(row.api_key)):
        if row.is_of_own_type:
            groups.setdefault(kind_title(row.kind), []).append(row)
    return render(
        "home.html.jinja",
        root="./",
        by_group=groups,
        has_apis=bool(apis),
        strips=strips(index, columns(index, snapshots)),
        newest=snapshots[-1] if snapshots else None,
        changes=_newest_changes(index, snapshots, protocol, 3),
        protocol=protocol,
        place=RELEASES,
        slug=snapshot_slug,
    )


def history_extract(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord,
) -> Markup:
    """What a home page opens with: the link to the search, numbers, and the picture of the history."""
    apis = sum(row.is_api for row in index)
    address = {snapshot.name: f"./{RELEASES}{snapshot_slug(snapshot.name)}/" for snapshot in snapshots}
    lines = columns(index, snapshots)
    released = [snapshot for snapshot in snapshots if snapshot.kind != "source"] or snapshots
    return render(
        "history.html.jinja",
        root="./",
        place=RELEASES,
        slug=snapshot_slug,
        apis=apis,
        others=[row for row in index if not row.is_api],
        released=released,
        unreleased=snapshots[-1] if released and released[-1] is not snapshots[-1] else None,
        picture=chart(lines, address),
        examples=_examples(index, protocol),
    )


def _examples(index: Sequence[IndexRow], protocol: ProtocolRecord) -> list[str]:
    """What a reader may search for: an API with a version, a key, and what only an embedded protocol has."""
    if protocol.family:
        return ["Fetch 12", "Fetch 2.8", "key 18", "topic_id", "error 35", "KIP-516"]
    apis = [row for row in index if row.is_api and row.newest_stable is not None]
    examples = [f"{api.api} {api.newest_stable}" for api in apis[:1]]
    return [*examples, *(f"key {api.api_key}" for api in apis[-1:] if api.api_key is not None)]


def front(index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord) -> Markup:
    """The home page of a protocol without a hand-written one."""
    return render(
        "front.html.jinja",
        root="./",
        protocol=protocol,
        place=RELEASES,
        history=history_extract(index, snapshots, protocol),
        extract=home_extract(index, snapshots, protocol),
    )
