"""The pages of releases or protocol levels, the matrix of both against APIs, and the home page."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from markupsafe import Markup

from wirebook.docgen.catalog.protocol import NEUTRAL_PROTOCOL, ProtocolRecord
from wirebook.docgen.catalog.records import IndexRow, NewsItem, SnapshotRecord
from wirebook.docgen.render.environment import render
from wirebook.docgen.render.groups import grouped
from wirebook.docgen.render.guides.releases import ReleaseGuide
from wirebook.docgen.render.mentions import Mentions
from wirebook.docgen.render.pages.page import Heading, Page, root_of
from wirebook.docgen.render.pages.stories import Story, stories
from wirebook.docgen.render.pictures.history import chart, columns, strips
from wirebook.docgen.render.pictures.lifeline import numbers
from wirebook.specs.kafka.advisories import all_advisories
from wirebook.specs.versions import VersionSet

RELEASES = "releases/"
NO_GUIDES: Mapping[str, ReleaseGuide] = {}
_NO_ABOUTS: Mapping[str, str] = {}


def snapshot_pages(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    abouts: Mapping[str, str] = _NO_ABOUTS,
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
    guides: Mapping[str, ReleaseGuide] = NO_GUIDES,
    mentions: Mentions | None = None,
    printed: Container[str] = (),
) -> Iterator[Page]:
    """A page for each level or release, and the list of them.

    `abouts` describes each level by its name; it is empty if the protocol has no levels. `guides` are what
    each asks of authors of clients, by its name; `mentions` are the names that become links in them.
    Those that `printed` names have a page for print below theirs.
    """
    mentions = mentions or Mentions(links=protocol.links)
    names = {item.slug: item for item in index}
    place = snapshot_folder(snapshots, protocol)
    for number, snapshot in enumerate(snapshots):
        path = f"{place}{snapshot_slug(snapshot.name)}/"
        rows = [
            (names[slug], there)
            for slug, there in snapshot.apis.items()
            if slug in names and names[slug].is_api
        ]
        rows.sort(key=lambda row: row[0].api_key if row[0].api_key is not None else 1 << 20)
        other = [
            (names[slug], there)
            for slug, there in sorted(snapshot.apis.items())
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
            guide=guides.get(snapshot.name),
            link=partial(mentions.linked, root=root_of(path)),
            rows=rows,
            other=other,
            place=place,
            printed=snapshot.name in printed,
            data=f"data/{place}{snapshot_slug(snapshot.name)}.json",
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
            listed=number == len(snapshots) - 1,
        )
    html = render(
        "snapshots.html.jinja",
        root=root_of(place),
        protocol=protocol,
        levels_told=bool(abouts),
        snapshots=snapshots[::-1],
        place=place,
        slug=snapshot_slug,
    )
    yield Page(place, f"{snapshot_word(snapshots, protocol)}s", html, boost=4.0)


def _news(snapshot: SnapshotRecord, release: str) -> SnapshotRecord:
    """The snapshot with only the news of which nothing but this release is known; "" for all other news."""

    def those(items: Sequence[NewsItem]) -> tuple[NewsItem, ...]:
        return tuple(item for item in items if item.by_release == release)

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
    return sorted({item.by_release for items in lists for item in items} - {""})


def snapshot_folder(snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord = NEUTRAL_PROTOCOL) -> str:
    """Where the pages of the snapshots lie."""
    return protocol.levels_folder if _are_levels(snapshots) else RELEASES


def snapshot_word(snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord = NEUTRAL_PROTOCOL) -> str:
    """What one of the snapshots is called in a title."""
    return protocol.level_title if _are_levels(snapshots) else "Release"


def _are_levels(snapshots: Sequence[SnapshotRecord]) -> bool:
    return bool(snapshots) and snapshots[-1].kind == "api_version"


def snapshot_slug(name: str) -> str:
    """A snapshot's name as part of an address; dots stay."""
    return "".join(c if c.isalnum() or c in ".-_" else "-" for c in name).strip(".") or "x"


def matrix_page(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
    mentions: Mentions | None = None,
) -> Page:
    """API by release, newest first; neighbouring releases that serve the same share a column.

    Of the levels of one release the last stands for it, since that is what its servers have. Releases that do
    otherwise are listed below.
    """
    path = "matrix/"
    apis = [item for item in index if item.is_api]
    apis.sort(key=lambda item: item.api_key if item.api_key is not None else 1 << 20)
    columns: list[list[SnapshotRecord]] = []
    for snapshot in _last_of_release(snapshots):
        if columns and columns[-1][-1].apis == snapshot.apis:
            columns[-1].append(snapshot)
        else:
            columns.append([snapshot])
    linked = (mentions or Mentions()).linked
    rows = {item.api: item for item in apis}
    known = all_advisories() if protocol.family else ()
    advisories = [(item, rows[item.api]) for item in known if item.api in rows]
    html = render(
        "matrix.html.jinja",
        root=root_of(path),
        apis=apis,
        columns=columns[::-1],
        protocol=protocol,
        place=snapshot_folder(snapshots, protocol),
        slug=snapshot_slug,
        ranges=_ranges(apis, columns),
        advisories=advisories,
        link=lambda text: linked(text, root_of(path)),
    )
    headings = (Heading("Exceptions", "exceptions", 2),) if advisories else ()
    return Page(path, "Support matrix", html, headings, boost=4.0)


def _last_of_release(snapshots: Sequence[SnapshotRecord]) -> list[SnapshotRecord]:
    last: dict[str, SnapshotRecord] = {}
    for snapshot in snapshots:
        name = snapshot.release if snapshot.kind == "api_version" else snapshot.name
        last[name or snapshot.name] = snapshot
    return list(last.values())


def _ranges(
    apis: Sequence[IndexRow], columns: Sequence[Sequence[SnapshotRecord]]
) -> dict[str, list[tuple[str, str]]]:
    """For each API the (text, class) of its cells, newest first."""
    made: dict[str, list[tuple[str, str]]] = {}
    for item in apis:
        cells: list[tuple[str, str]] = []
        before = VersionSet.NONE
        for column in columns:
            there = column[-1].apis.get(item.slug)
            text = there.served.replace("-", "–") if there and there.served != "none" else ""
            now = numbers(there.served) if there else VersionSet.NONE
            marks = [] if text else ["none"]
            if cells and any(version not in before for version in now):
                marks.append("new")
            if any(version not in now for version in before):
                marks.append("cut")
            cells.append((text or ("removed" if before else ""), " ".join(marks)))
            before = now
        made[item.slug] = cells[::-1]
    return made


def changes_extract(
    index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord], count: int
) -> list[tuple[SnapshotRecord, list[Story]]]:
    """The newest snapshots that changed a request or a response, with what they changed."""
    changed = ((item, stories(item, index)[0]) for item in reversed(snapshots))
    return list(islice((pair for pair in changed if pair[1]), count))


def home_extract(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
) -> Markup:
    """What the home page shows of the catalog: every API with its history, and the newest changes."""
    apis = [item for item in index if item.is_api]
    apis.sort(key=lambda item: item.api_key if item.api_key is not None else 1 << 20)
    return render(
        "home.html.jinja",
        root="./",
        by_group=grouped(apis),
        strips=strips(index, columns(index, snapshots)),
        newest=snapshots[-1] if snapshots else None,
        changes=changes_extract(index, snapshots, 3),
        protocol=protocol,
        place=snapshot_folder(snapshots, protocol),
        slug=snapshot_slug,
    )


def history_extract(
    index: Sequence[IndexRow],
    snapshots: Sequence[SnapshotRecord],
    protocol: ProtocolRecord = NEUTRAL_PROTOCOL,
) -> Markup:
    """What a home page opens with: the way to the search, numbers, and the picture of the history."""
    place, apis = snapshot_folder(snapshots, protocol), sum(item.is_api for item in index)
    address = {item.name: f"./{place}{snapshot_slug(item.name)}/" for item in snapshots}
    word = protocol.level if _are_levels(snapshots) else "release"
    lines = columns(index, snapshots)
    return render(
        "history.html.jinja",
        root="./",
        place=place,
        slug=snapshot_slug,
        word=word,
        apis=apis,
        others=len(index) - apis,
        snapshots=snapshots,
        picture=chart(lines, address, word),
        examples=_examples(index, protocol),
    )


def _examples(index: Sequence[IndexRow], protocol: ProtocolRecord) -> list[str]:
    """What a reader may search for: an API with a version, a key, and what only an embedded protocol has."""
    if protocol.family:
        return ["Fetch 12", "Fetch 2.8", "key 18", "topic_id", "error 35", "KIP-516"]
    known = [item for item in index if item.is_api and item.newest_stable is not None]
    found = [f"{item.api} {item.newest_stable}" for item in known[:1]]
    return [*found, *(f"key {item.api_key}" for item in known[-1:] if item.api_key is not None)]


def front(index: Sequence[IndexRow], snapshots: Sequence[SnapshotRecord], protocol: ProtocolRecord) -> Markup:
    """The home page of a protocol without a hand-written one."""
    return render(
        "front.html.jinja",
        root="./",
        protocol=protocol,
        place=snapshot_folder(snapshots, protocol),
        history=history_extract(index, snapshots, protocol),
        extract=home_extract(index, snapshots, protocol),
    )
