"""What other documentation links to by name: the objects of a site, and the file objects.inv that lists them.

The format is version 2 of Sphinx's inventory, which mkdocstrings reads too:
https://sphobjinv.readthedocs.io/en/stable/syntax.html.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wirebook.docgen.catalog.protocol import LevelRecord, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord, SnapshotRecord
from wirebook.docgen.catalog.rows import snapshot_slug
from wirebook.docgen.render.bytes.types import shown_groups
from wirebook.docgen.render.kit.folders import LEVELS, RELEASES
from wirebook.docgen.render.kit.links import anchor
from wirebook.docgen.render.kit.sections import PartIds
from wirebook.docgen.render.search.fulltext import walk
from wirebook.rules.rule import shown_rules
from wirebook.specs.kafka.kips import all_kips
from wirebook.specs.printable import visible
from wirebook.specs.reading.tables.errors import DescribedError

NAME = "objects.inv"
DOMAIN = "wirebook"
_HEAD = "# Sphinx inventory version 2\n# Project: {}\n# Version: {}\n"
_ZLIB = b"# The remainder of this file is compressed using zlib.\n"


@dataclass(frozen=True, slots=True)
class InventoryItem:
    """An object: its role and name, the address of its page, its id there, and the text of a link to it."""

    role: str
    name: str
    page: str
    id: str = ""
    title: str = ""


def inventory(
    documents: Iterable[ApiDocument],
    snapshots: Sequence[SnapshotRecord],
    errors: Iterable[DescribedError],
    levels: Iterable[LevelRecord],
    kips: Iterable[int],
    protocol: ProtocolRecord,
    *,
    of_family: bool = True,
) -> Iterator[InventoryItem]:
    """The objects of a catalog, with the addresses of pages as docgen.render writes them.

    `of_family` is whether it has the types and rules that only protocols of the embedded family have.
    """
    for document in documents:
        yield from _of_api(document)
    for error in errors:
        place = anchor(error.name)
        for name in (error.name, *error.former_names):
            yield InventoryItem("error", name, "errors/", place)
    for snapshot in snapshots:
        yield InventoryItem("release", snapshot.name, f"{RELEASES}{snapshot_slug(snapshot.name)}/")
    for level in levels:
        yield InventoryItem("level", level.version, LEVELS, f"id-{level.id}")
    for group in shown_groups(of_family).values():
        for item in group:
            yield InventoryItem("type", item["name"], "types/", anchor(item["name"]))
    for rule in shown_rules(of_family):
        yield InventoryItem("rule", rule.name, f"rules/{rule.name}/")
    for number in kips:
        kip = all_kips()[number]
        yield InventoryItem("kip", kip.name, kip.place, title=f"{kip.name}: {kip.title}")


def _of_api(document: ApiDocument) -> Iterator[InventoryItem]:
    page = f"api/{document.slug}/"
    if document.is_api:
        for name in (document.api, *document.former_names):
            yield InventoryItem("api", name, page)
    for version in document.versions:
        number = version.version
        yield InventoryItem(
            "version", f"{document.api}.v{number}", page, f"v{number}", f"{document.api} {number}"
        )
    ids = PartIds(document)
    for message in document.messages:
        yield from _of_message(document, message, page, ids)


def _of_message(
    document: ApiDocument, message: MessageRecord, page: str, ids: PartIds
) -> Iterator[InventoryItem]:
    """A message, and each of its fields in the newest stable version that has it, else in the newest."""
    stable = document.newest_stable if document.newest_stable is not None else -1
    order = sorted(message.versions, key=lambda number: (number <= stable, number), reverse=True)
    if order:
        yield InventoryItem("message", message.name, page, ids.of(order[0], message.type))
    newest: dict[str, int] = {}
    for number in order:
        for field in walk(message.versions[number].layout.fields):
            newest.setdefault(field.path, number)
    for path, number in newest.items():
        yield InventoryItem("field", f"{message.name}.{path}", page, ids.of(number, message.type, path), path)


def lines(items: Iterable[tuple[InventoryItem, str]]) -> Iterator[str]:
    """The lines of an inventory for objects with the URLs of their pages.

    Sphinx resolves only names of domains that it knows, so each object is also a label of its domain `std`:
    `:ref:` takes `api-fetch` for the API Fetch. Labels are in lower case there.
    """
    names: set[tuple[str, str]] = set()
    for thing, url in items:
        name = visible("".join(thing.name.split()))
        if not name or (thing.role, name) in names:
            continue
        names.add((thing.role, name))
        uri = f"{url}#{thing.id}" if thing.id else url or "./"
        title = visible(thing.title or thing.name)
        yield f"{name} {DOMAIN}:{thing.role} 1 {uri} {'-' if title == name else title}"
        label = name.lower() if thing.role == "kip" else f"{thing.role}-{name.lower()}"
        yield f"{label} std:label -1 {uri} {title}"


def written(lines: Iterable[str], project: str, version: str) -> bytes:
    """An inventory of these lines."""
    text = "".join(f"{line}\n" for line in lines)
    head = _HEAD.format(visible(" ".join(project.split())), visible("".join(version.split())))
    return head.encode() + _ZLIB + zlib.compress(text.encode(), 9)


def read_lines(content: bytes) -> list[str]:
    """The lines of an inventory that another tool has written; raises ValueError if it is not one."""
    *head, packed = content.split(b"\n", 4)
    if len(head) != 4 or not head[0].endswith(b"version 2"):
        raise ValueError("not an inventory of version 2")
    try:
        return zlib.decompress(packed).decode().splitlines()
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None
