"""The pages of releases or protocol levels, and the list of them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from wirebook.docgen.catalog.order import key_order
from wirebook.docgen.catalog.protocol import ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.catalog.rows import snapshot_slug
from wirebook.docgen.render.guides.releases import ReleaseGuide
from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.page import Heading, Page, root_of
from wirebook.docgen.render.kit.snapshot_names import snapshot_folder, snapshot_word
from wirebook.docgen.render.kit.sources import NO_SOURCES, Sources
from wirebook.docgen.render.kit.stories import stories


def snapshot_pages(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    abouts: Mapping[str, str],
    protocol: ProtocolRecord,
    guides: Mapping[str, ReleaseGuide],
    mentions: Mentions,
    printed: Container[str],
    sources: Sources = NO_SOURCES,
) -> Iterator[Page]:
    """A page for each level or release, and the list of them.

    `abouts` describes each level by its name; it is empty if the protocol has no levels. `guides` are what
    each requires of authors of clients, by its name; `mentions` are the names that become links in them.
    Those that `printed` names have a page for print below theirs; `sources` has the address of each.
    """
    names = {row.slug: row for row in index}
    folder = snapshot_folder(snapshots, protocol)
    for number, snapshot in enumerate(snapshots):
        path = f"{folder}{snapshot_slug(snapshot.name)}/"
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
        html = render(
            "snapshot.html.jinja",
            root=root_of(path),
            protocol=protocol,
            apis_changed=apis_changed,
            others_changed=others_changed,
            by_release=[
                (release, *stories(_news(snapshot, release), index)) for release in _releases(snapshot)
            ],
            about=mentions.linked(abouts.get(snapshot.name, ""), root_of(path)),
            snapshot=snapshot,
            source=sources.snapshot(snapshot),
            guide=guides.get(snapshot.name),
            link=partial(mentions.linked, root=root_of(path)),
            rows=rows,
            other=other,
            place=folder,
            printed=snapshot.name in printed,
            data=f"data/{folder}{snapshot_slug(snapshot.name)}.json",
            slug=snapshot_slug,
            newest=number == len(snapshots) - 1,
            previous=snapshots[number - 1] if number else None,
            next=snapshots[number + 1] if number + 1 < len(snapshots) else None,
        )
        kind = snapshot_word(snapshots, protocol)
        headings = [Heading("What changed", "changes", 2), Heading("APIs and versions", "apis", 2)]
        if snapshot.name in guides:
            headings.insert(0, Heading(f"What {protocol.client} authors must do", "clients", 2))
        servers = f"{protocol.server}s"
        about = f"What changed in the protocol with {snapshot.name}, and which versions its {servers} serve."
        yield Page(
            path,
            f"{kind} {snapshot.name}",
            html,
            tuple(headings),
            boost=0,
            description=about,
        )
    html = render(
        "snapshots.html.jinja",
        root=root_of(folder),
        protocol=protocol,
        levels_told=bool(abouts),
        snapshots=snapshots[::-1],
        place=folder,
        slug=snapshot_slug,
    )
    yield Page(folder, f"{snapshot_word(snapshots, protocol)}s", html, boost=4.0)


def _news(snapshot: SnapshotRecord, release: str) -> SnapshotRecord:
    """The snapshot with only the news of which only this release is known; "" for all other news."""

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
    """The releases that brought news whose level is not known, in their order."""
    lists = (snapshot.new, snapshot.returned, snapshot.deprecated, snapshot.removed, snapshot.changed)
    return sorted({news_item.by_release for items in lists for news_item in items} - {""})
