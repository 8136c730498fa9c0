"""The addresses of all pages and their parts: slugs, anchors and paths from the site's root."""

from __future__ import annotations

import re
from collections import Counter

from wirebook.docgen.catalog.addresses import snapshot_slug
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord

_OTHER = re.compile(r"[^a-z0-9]+")


def anchor(text: str) -> str:
    """A text as part of an id: `Topics.Partitions` is "topics-partitions"; never empty."""
    return _OTHER.sub("-", text.lower()).strip("-") or "x"


def version_anchor(version: int, message_type: str, path: str = "") -> str:
    """The id of a version or of a field of it: "v12", "v12-response-topics"."""
    id_ = f"v{version}"
    if message_type == "response" or (message_type == "request" and not path):
        id_ += f"-{message_type}"
    return f"{id_}-{anchor(path)}" if path else id_


def field_place(document: ApiDocument, message: MessageRecord, version: int, path: str) -> str:
    """Where a version of an API or of another message of Kafka has a field, from the root of the
    site."""
    page = f"v{version}/" if document.is_api else ""
    return f"api/{document.slug}/{page}#{version_anchor(version, message.type, path)}"


def release_page(name: str) -> str:
    """The page of a release, from the root of the site."""
    return f"releases/{snapshot_slug(name)}/"


class Ids:
    """Hands out ids that are unique on one page: the second "a" becomes "a-2"."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def take(self, id_: str) -> str:
        """The id to write."""
        self._seen[id_] += 1
        count = self._seen[id_]
        return id_ if count == 1 else self.take(f"{id_}-{count}")
