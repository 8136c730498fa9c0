"""Every generated page of the site, from the documents of the catalog: title, contents and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup

from wirebook.docgen.render.environment import render
from wirebook.docgen.render.links import Ids, anchor, version_anchor
from wirebook.docgen.render.mentions import Mentions
from wirebook.docgen.render.pages.lifeline import lifeline, numbers
from wirebook.docgen.render.pages.stories import Story, stories

Doc = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of a page's contents."""

    title: str
    id: str
    level: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its place ("api/fetch/"), title, HTML, contents, and what the theme's search is told.

    `boost` lifts it there; 0 leaves it out, where search.py has better entries. `words` are others
    that it is found by.
    """

    path: str
    title: str
    html: Markup
    headings: tuple[Heading, ...] = ()
    boost: float = 1.0
    words: tuple[str, ...] = ()
    description: str = ""


def root_of(path: str) -> str:
    """The way from a page to the root of the site: "../../" for "api/fetch/"."""
    return "../" * path.count("/") or "./"


@dataclass
class Row:
    """A row of a field table: a field at its depth, or the tagged section of a struct."""

    id: str
    depth: int
    parents: str
    field: Doc | None
    versions: str = ""
    since: str = ""
    section: str = ""


@dataclass
class Part:
    """One message of one version. `same_as` is the lowest version of the very same layout, where that is
    another one: its table is then not written again, and each row only points there."""

    title: str
    id: str
    message: Doc
    version: Doc
    rows: list[Row] = field(default_factory=list)
    same_as: int | None = None
    prefix: str = ""


def field_rows(layout: Doc, known: Mapping[str, Doc], prefix: str, ids: Ids) -> Iterator[Row]:
    """The rows of a layout in wire order; every flexible struct shows its tagged section."""

    def level(fields: Sequence[Doc], depth: int, above: str) -> Iterator[Row]:
        plain = [item for item in fields if item["tag"] is None]
        tagged = [item for item in fields if item["tag"] is not None]
        for item in plain:
            yield from one(item, depth, above)
        if layout["flexible"]:
            here = f"{prefix}-{anchor(above)}-tags" if above else f"{prefix}-tags"
            told = ", ".join(f"{item['tag']} {item['name']}" for item in tagged)
            yield Row(ids.take(here), depth, above, None, section=told)
            for item in tagged:
                yield from one(item, depth + 1, above)

    def one(item: Doc, depth: int, above: str) -> Iterator[Row]:
        about = known.get(item["path"], {})
        yield Row(
            ids.take(f"{prefix}-{anchor(item['path'])}"),
            depth,
            above,
            item,
            versions=about.get("versions", ""),
            since=since_release(about.get("events", ())),
        )
        if item["fields"] is not None:
            yield from level(item["fields"], depth + 1, item["path"])

    yield from level(layout["fields"], 0, "")


def since_word(events: Iterable[Doc], kind: str = "added") -> str:
    """When something happened, in a word: "3.7.0", "3.7-IV4", "2.2.0 or earlier"; "" if unknown."""
    for event in events:
        if event["event"] == kind:
            return moment(event["since"])
    return ""


def since_release(events: Iterable[Doc]) -> str:
    """The release in which something was added, alone: "3.7.0"; "" if unknown or before the first one."""
    since = next((event["since"] for event in events if event["event"] == "added"), None)
    return (
        "" if since is None or since["at_or_before"] else str(since["release"] or since["api_version"] or "")
    )


def moment(since: Doc | None) -> str:
    """A Since of the catalog as text: the release, with the ApiVersion where it says more."""
    if not since:
        return ""
    name = since["release"] or since["api_version"] or ""
    level = since["api_version"]
    if level and since["release"] and level != since["release"]:
        name = f"{since['release']} ({level})"
    return f"{name} or earlier" if since["at_or_before"] and since["api_version_id"] != 0 else name


def event_words(event: Doc) -> str:
    """An event in words: "removed in 4.0.0 (4.0-IV3)"."""
    link = {"removed": "in", "returned": "in", "added": "in"}.get(event["event"], "since")
    word = {"undeprecated": "no longer deprecated"}.get(event["event"], event["event"].replace("_", " "))
    more = f": {event['words']}" if event.get("words") else ""
    return f"{word} {link} {moment(event['since'])}{more}"


def api_page(document: Doc, mentions: Mentions | None = None, errors: Sequence[Doc] = ()) -> Page:
    """The page of one API or other message: lifeline, versions, and every version's messages.

    `mentions` are the names that become links, `errors` the error codes of the book.
    """
    mentions = mentions or Mentions()
    ids = Ids()
    newest = document["newest_stable"]
    sections = version_sections(document, ids)
    gone = [
        {
            "message": message,
            "prefix": "gone-response" if message["type"] == "response" else "gone",
            "fields": [_ended(item, document) for item in message["fields"] if _left(item, newest)],
        }
        for message in document["messages"]
    ]
    gone = [item for item in gone if item["fields"]]
    tags = [(message, message["tags"]) for message in document["messages"] if message["tags"]]
    named = [error for error in errors if document["api"] in error.get("apis", ())]
    path = f"api/{document['slug']}/"
    html = render(
        "api.html.jinja",
        root=root_of(path),
        document=document,
        sections=sections,
        picture=lifeline(document["api"], document["presence"]),
        events=[event_words(event) for event in document["lifecycle"]["events"]],
        gone=gone,
        errors=named,
        link=lambda text: mentions.linked(text, root_of(path), document["api"]),
        tags=tags,
        take=ids.take,
        moment=moment,
        event_words=event_words,
        since_word=since_word,
        current=_current(document, "versions"),
        unstable=_current(document, "unstable"),
    )
    headings = [Heading("Versions", "versions", 2)]
    for section in sections:
        headings.append(Heading(f"Version {section['number']}", section["id"], 2))
        if section["open"] and len(section["parts"]) > 1:
            headings += [Heading(part.title, part.id, 3) for part in section["parts"]]
    after = [("Errors", "errors", named), ("Fields that are gone", "gone", gone), ("Tags", "tags", tags)]
    headings += [Heading(title, place, 2) for title, place, there in after if there]
    return Page(
        path,
        document["api"],
        html,
        tuple(headings),
        boost=0,
        description=document["purpose"].split("\n")[0][:200],
    )


def version_sections(document: Doc, ids: Ids) -> list[dict[str, Any]]:
    """What is shown of each version, the newest stable one first; its ids are those of the API's page."""
    newest = document["newest_stable"]
    sections: list[dict[str, Any]] = []
    for version in document["versions"]:
        number = version["version"]
        shown = number == newest or (newest is None and version is document["versions"][0])
        parts = list(_parts(document, number, shown, ids))
        previous = next((item["version"] for item in document["versions"] if item["version"] < number), None)
        sections.append(
            {
                "number": number,
                "id": ids.take(f"v{number}"),
                "info": version,
                "parts": parts,
                "previous": previous,
                "events": [event_words(event) for event in version["events"]],
                "told": _told(parts),
                "open": shown,
            }
        )
    sections.sort(key=lambda section: not section["open"])
    return sections


def _parts(document: Doc, number: int, shown: bool, ids: Ids) -> Iterator[Part]:
    for message in document["messages"]:
        version = message["versions"].get(str(number))
        if version is None:
            continue
        known = {item["path"]: item for item in message["fields"]}
        prefix = version_anchor(number, message["type"])
        short = f"v{number}" if message["type"] != "response" else prefix
        part = Part(_title(message), ids.take(prefix), message, version, prefix=short)
        part.rows = list(field_rows(version["layout"], known, short, ids))
        same = number if shown else _same_as(message["versions"], number)
        if same != number:
            part.same_as = same
        yield part


def _told(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """(whose, what changed) for the messages of a version; nobody's where all of them say the same."""
    told = {part.title: told_of(part.version) for part in parts if told_of(part.version)}
    if len(set(told.values())) < 2:
        return [("", text) for text in told.values()][:1]
    return list(told.items())


def told_of(version: Doc) -> str:
    """What a message's version changed, in its history's words or else in those of its comments."""
    return version.get("about") or " ".join(version["notes"])


def _same_as(versions: Mapping[str, Doc], number: int) -> int:
    """The lowest version from which on the layout is the one of `number`, without a gap."""
    while True:
        this, before = versions[str(number)], versions.get(str(number - 1))
        if before is None or this["changes"] or _shape(this["layout"]) != _shape(before["layout"]):
            return number
        number -= 1


def _shape(layout: Doc) -> dict[str, Any]:
    """A layout without its version and marks: what two versions of the same table share."""
    return {key: layout[key] for key in ("flexible", "header_version", "fields")}


def _title(message: Doc) -> str:
    name: str = message["name"]
    return {"request": "Request", "response": "Response"}.get(message["type"], name)


def _left(item: Doc, newest: int | None) -> bool:
    """Whether a field is no longer in the newest stable version, or in no snapshot at all."""
    if item["gone"] or newest is None:
        return bool(item["gone"])
    return newest not in numbers(_closed(item["versions"]))


def _ended(item: Doc, document: Doc) -> dict[str, Any]:
    """What became of a field that newer versions do not have: where it ended, and whether it is removed."""
    versions = {version["version"]: version for version in document["versions"]}
    held = [number for number in sorted(numbers(_closed(item["versions"]))) if number in versions]
    after = versions.get(held[-1] + 1) if held else None
    served = [number for number in held if versions[number]["state"] != "removed"]
    since = since_word(after["events"]) if after else ""
    ended = f"not in version {after['version']} and later" if after else ""
    ended += f", since {since}" if since else ""
    removed = since_word(item["events"], "removed")
    if not removed and held and not served:
        removed = since_word(versions[held[-1]]["events"], "removed")
    return {"field": item, "ended": ended, "removed": removed if item["gone"] or not served else ""}


def _closed(versions: str) -> str:
    """A text of ranges with an upper end, so that its numbers can be listed."""
    return versions.replace("+", "-2000")


def _current(document: Doc, which: str) -> str:
    """What the newest snapshot says of its versions, or of its unstable ones."""
    last = document["presence"][-1] if document["presence"] else None
    return str(last[which]) if last else "none"


def api_index(index: Sequence[Doc], snapshots: Sequence[Doc]) -> Page:
    """The table of all APIs and other messages."""
    path = "api/"
    apis = [item for item in index if item["kind"] == "api"]
    others = [item for item in index if item["kind"] != "api"]
    groups: dict[str, list[Doc]] = {}
    for item in others:
        groups.setdefault(item["kind"], []).append(item)
    html = render(
        "api_index.html.jinja",
        root=root_of(path),
        apis=apis,
        groups=groups,
        moment=moment,
        since_word=since_word,
    )
    headings = [Heading("APIs", "apis", 2), *(Heading(_plural(kind), anchor(kind), 2) for kind in groups)]
    return Page(path, "All APIs", html, tuple(headings), boost=3.0)


def _plural(kind: str) -> str:
    return {
        "header": "Headers",
        "data": "Data",
        "metadata": "Metadata records",
        "coordinator-key": "Coordinator record keys",
        "coordinator-value": "Coordinator record values",
    }.get(kind, kind)


def snapshot_pages(
    index: Sequence[Doc], snapshots: Sequence[Doc], levels_told: bool = False
) -> Iterator[Page]:
    """A page for each ApiVersion or release, and the list of them.

    `levels_told` is whether ApiVersions have pages beside those of releases.
    """
    names = {item["slug"]: item for item in index}
    place = snapshot_folder(snapshots)
    for number, snapshot in enumerate(snapshots):
        path = f"{place}{snapshot_slug(snapshot)}/"
        rows = [
            (names[slug], there)
            for slug, there in snapshot["apis"].items()
            if slug in names and names[slug]["kind"] == "api"
        ]
        rows.sort(key=lambda row: row[0]["api_key"] if row[0]["api_key"] is not None else 1 << 20)
        other = [
            (names[slug], there)
            for slug, there in sorted(snapshot["apis"].items())
            if slug in names and names[slug]["kind"] != "api"
        ]
        apis_changed, others_changed = stories(snapshot, index)
        html = render(
            "snapshot.html.jinja",
            root=root_of(path),
            apis_changed=apis_changed,
            others_changed=others_changed,
            snapshot=snapshot,
            rows=rows,
            other=other,
            place=place,
            slug=snapshot_slug,
            newest=number == len(snapshots) - 1,
            previous=snapshots[number - 1] if number else None,
            next=snapshots[number + 1] if number + 1 < len(snapshots) else None,
        )
        kind = "ApiVersion" if snapshot["kind"] == "api_version" else "Release"
        headings = (Heading("What changed", "changes", 2), Heading("APIs and versions", "apis", 2))
        about = f"What changed in the protocol with {snapshot['name']}, and which versions its brokers serve."
        yield Page(path, f"{kind} {snapshot['name']}", html, headings, boost=0, description=about)
    html = render(
        "snapshots.html.jinja",
        root=root_of(place),
        levels_told=levels_told,
        snapshots=snapshots[::-1],
        place=place,
        slug=snapshot_slug,
    )
    title = "Releases" if place == "releases/" else "ApiVersions"
    yield Page(place, title, html, boost=4.0)


def snapshot_folder(snapshots: Sequence[Doc]) -> str:
    """Where the pages of the snapshots lie."""
    return "api-versions/" if snapshots and snapshots[-1]["kind"] == "api_version" else "releases/"


def snapshot_slug(snapshot: Doc) -> str:
    """A snapshot's name as part of an address; dots stay."""
    return "".join(c if c.isalnum() or c in ".-_" else "-" for c in snapshot["name"]).strip(".") or "x"


def matrix_page(index: Sequence[Doc], snapshots: Sequence[Doc]) -> Page:
    """API by release, newest first; neighbouring releases that serve the same share a column.

    Of the ApiVersions of one release the last stands for it, since that is what its brokers have.
    """
    path = "matrix/"
    apis = [item for item in index if item["kind"] == "api"]
    apis.sort(key=lambda item: item["api_key"] if item["api_key"] is not None else 1 << 20)
    columns: list[list[Doc]] = []
    for snapshot in _last_of_release(snapshots):
        if columns and columns[-1][-1]["apis"] == snapshot["apis"]:
            columns[-1].append(snapshot)
        else:
            columns.append([snapshot])
    html = render(
        "matrix.html.jinja",
        root=root_of(path),
        apis=apis,
        columns=columns[::-1],
        place=snapshot_folder(snapshots),
        slug=snapshot_slug,
        ranges=_ranges(apis, columns),
    )
    return Page(path, "Support matrix", html, boost=4.0)


def _last_of_release(snapshots: Sequence[Doc]) -> list[Doc]:
    last: dict[str, Doc] = {}
    for snapshot in snapshots:
        name = snapshot["release"] if snapshot["kind"] == "api_version" else snapshot["name"]
        last[name or snapshot["name"]] = snapshot
    return list(last.values())


def _ranges(apis: Sequence[Doc], columns: Sequence[Sequence[Doc]]) -> dict[str, list[tuple[str, str]]]:
    """For each API the (text, class) of its cells, newest first."""
    made: dict[str, list[tuple[str, str]]] = {}
    for item in apis:
        cells: list[tuple[str, str]] = []
        for column in columns:
            there = column[-1]["apis"].get(item["slug"])
            text = there["versions"].replace("-", "–") if there else ""
            changed = bool(cells) and cells[-1][0] != text
            cells.append((text, "new" if changed and text else "none" if not text else ""))
        made[item["slug"]] = cells[::-1]
    return made


def deprecations_page(documents: Iterable[Doc]) -> Page:
    """What is deprecated, what was, and what has been removed."""
    path = "deprecations/"
    now: list[tuple[Doc, Doc]] = []
    removed: list[tuple[Doc, Doc]] = []
    before: list[tuple[Doc, Doc]] = []
    for document in documents:
        for version in document["versions"]:
            kinds = {event["event"] for event in version["events"]}
            if version["state"] == "deprecated":
                now.append((document, version))
            elif version["state"] == "removed":
                removed.append((document, version))
            elif "deprecated" in kinds:
                before.append((document, version))
    html = render(
        "deprecations.html.jinja",
        root=root_of(path),
        now=_spans(now),
        removed=_spans(removed),
        before=_spans(before),
    )
    headings = (
        Heading("Deprecated now", "now", 2),
        Heading("Removed", "removed", 2),
        Heading("Deprecated once, and still there", "before", 2),
    )
    return Page(path, "Deprecations", html, headings)


def _place(document: Doc) -> tuple[bool, int, str]:
    """Requests and responses by their key; other messages, whose keys count something else, by name."""
    is_api = document["kind"] == "api" and document["api_key"] is not None
    return (not is_api, document["api_key"] if is_api else 0, document["api"])


def _spans(found: Sequence[tuple[Doc, Doc]]) -> list[dict[str, Any]]:
    """Versions of one API with the same events as one row."""
    rows: list[dict[str, Any]] = []
    for document, version in sorted(
        found,
        key=lambda pair: (*_place(pair[0]), pair[1]["version"]),
    ):
        events = [event_words(event) for event in version["events"] if event["event"] not in ("flexible",)]
        told = [text for text in events if not text.startswith(("added", "stable", "unstable"))]
        last = rows[-1] if rows else None
        if (
            last
            and last["document"] is document
            and last["events"] == told
            and last["high"] == version["version"] - 1
        ):
            last["high"] = version["version"]
        else:
            rows.append(
                {"document": document, "low": version["version"], "high": version["version"], "events": told}
            )
    return rows


def tags_page(documents: Iterable[Doc]) -> Page:
    """Every tag of every struct, the burnt ones too."""
    path = "tags/"
    rows = [
        (document, message, tag)
        for document in documents
        for message in document["messages"]
        for tag in message["tags"]
    ]
    rows.sort(key=lambda row: (*_place(row[0]), row[1]["name"], row[2]["struct"], row[2]["tag"]))
    html = render("tags.html.jinja", root=root_of(path), rows=rows)
    return Page(path, "Tags", html, boost=20.0)


def errors_page(errors: Sequence[Doc], index: Sequence[Doc]) -> Page:
    """The error codes: what happened, whether a retry helps, since when, and which API answers it."""
    path = "errors/"
    slugs = {item["api"]: item["slug"] for item in index}
    html = render("errors.html.jinja", root=root_of(path), errors=errors, slugs=slugs)
    return Page(path, "Error codes", html, boost=0)


def changes_extract(
    index: Sequence[Doc], snapshots: Sequence[Doc], count: int
) -> list[tuple[Doc, list[Story]]]:
    """The newest snapshots that changed a request or a response, with what they changed."""
    told = ((item, stories(item, index)[0]) for item in reversed(snapshots))
    return list(islice((pair for pair in told if pair[1]), count))


def home_extract(index: Sequence[Doc], snapshots: Sequence[Doc]) -> Markup:
    """What the home page shows of the catalog: numbers, the newest changes, and a piece of the matrix."""
    apis = [item for item in index if item["kind"] == "api"]
    apis.sort(key=lambda item: item["api_key"] if item["api_key"] is not None else 1 << 20)
    return render(
        "home.html.jinja",
        root="./",
        apis=apis,
        count=len(apis),
        others=len(index) - len(apis),
        snapshots=snapshots,
        newest=snapshots[-1] if snapshots else None,
        changes=changes_extract(index, snapshots, 3),
        place=snapshot_folder(snapshots),
        slug=snapshot_slug,
    )
