"""The pages of releases, and the list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.order import key_order, order_releases
from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.render.guides.releases import ReleaseGuide
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.folders import LEVELS, RELEASES
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.removals import removed_by_reason
from wirebook.docgen.render.kit.sources import NO_SOURCES, Sources
from wirebook.docgen.render.kit.stories import first_release, stories
from wirebook.specs.kafka.brokers import kafka_releases


def snapshot_pages(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    levels: Sequence[LevelRecord],
    protocol: ProtocolRecord,
    guides: Mapping[str, ReleaseGuide],
    mentions: Mentions,
    sources: Sources = NO_SOURCES,
) -> Iterator[Page]:
    """A page for each release, and the list of them.

    `levels` are those of the protocol, if it has any. `guides` are what each release requires of authors of
    clients, by its name; `mentions` are the names that become links in them; `sources` has the address
    of each release.
    """
    names = {row.slug: row for row in index}
    levels_of: dict[str, list[LevelRecord]] = {}
    for level in levels:
        levels_of.setdefault(level.snapshot or "", []).append(level)
    # Specs have only the current name of an API.
    former = kafka_releases().former if protocol.family else {}
    for number, snapshot in enumerate(snapshots):
        path = f"{RELEASES}{snapshot_slug(snapshot.name)}/"
        rows = [
            (names[slug], in_snapshot)
            for slug, in_snapshot in snapshot.apis.items()
            if slug in names and names[slug].is_api
        ]
        rows.sort(key=lambda row: key_order(row[0].api_key))
        other = [
            (names[slug], in_snapshot)
            for slug, in_snapshot in sorted(snapshot.apis.items())
            if slug in names and not names[slug].is_api
        ]
        apis_changed, others_changed = stories(_news(snapshot, ""), index)
        reasons = removed_by_reason(snapshot, protocol)
        html = render(
            "snapshot.html.jinja",
            root=root_of(path),
            protocol=protocol,
            first=first_release(snapshot, index, protocol),
            apis_changed=apis_changed,
            others_changed=others_changed,
            reasons=reasons,
            by_release=[
                (release, *stories(_news(snapshot, release), index)) for release in _releases(snapshot)
            ],
            levels=levels_of.get(snapshot.name, ()),
            level_place=LEVELS,
            snapshot=snapshot,
            source=sources.snapshot(snapshot),
            guide=guides.get(snapshot.name),
            link=partial(mentions.linked, root=root_of(path)),
            rows=rows,
            former=former,
            other=other,
            place=RELEASES,
            data=f"data/{RELEASES}{snapshot_slug(snapshot.name)}.json",
            slug=snapshot_slug,
            newest=number == len(snapshots) - 1,
            previous=snapshots[number - 1] if number else None,
            next=snapshots[number + 1] if number + 1 < len(snapshots) else None,
        )
        headings = [Heading("What changed", "changes", 2)]
        if snapshot.name in levels_of:
            headings.append(Heading(f"{protocol.level_title}s", "levels", 2))
        headings.append(Heading("APIs and versions", "apis", 2))
        if reasons:
            headings.insert(0, Heading("What was removed, and why", "removed", 2))
        if snapshot.name in guides:
            headings.insert(0, Heading(f"What {protocol.client} authors must do", "clients", 2))
        servers = f"{protocol.server}s"
        about = f"What changed in the protocol with {snapshot.name}, and which versions its {servers} serve."
        yield Page(
            path,
            f"Release {snapshot.name}" if snapshot.kind == "release" else f"The protocol of {snapshot.name}",
            html,
            tuple(headings),
            boost=0,
            description=about,
        )
    html = render(
        "snapshots.html.jinja",
        root=root_of(RELEASES),
        protocol=protocol,
        levels=LEVELS if levels else "",
        snapshots=snapshots[::-1],
        place=RELEASES,
        slug=snapshot_slug,
    )
    yield Page(RELEASES, "Releases", html, boost=4.0)


def _news(snapshot: SnapshotRecord, release: str) -> SnapshotRecord:
    """The snapshot with only the news of this patch release of the line before; "" for all other news."""

    def those(items: Sequence[NewsItem]) -> tuple[NewsItem, ...]:
        return tuple(news_item for news_item in items if news_item.by_release == release)

    return replace(
        snapshot,
        new=those(snapshot.new),
        returned=those(snapshot.returned),
        deprecated=those(snapshot.deprecated),
        removed=those(snapshot.removed),
        changed=those(snapshot.changed),
    )


def _releases(snapshot: SnapshotRecord) -> list[str]:
    """The patch releases of the line before that brought news, in their order."""
    lists = (snapshot.new, snapshot.returned, snapshot.deprecated, snapshot.removed, snapshot.changed)
    releases = {news_item.by_release for items in lists for news_item in items} - {""}
    return [release.name for release in order_releases(sorted(releases))]
