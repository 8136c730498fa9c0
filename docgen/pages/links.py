"""The addresses of all pages and their parts: slugs, anchors and paths from the site's root."""

from __future__ import annotations

import re
from collections import Counter

_OTHER = re.compile(r"[^a-z0-9]+")


def anchor(text: str) -> str:
    """A text as part of an id: `Topics.Partitions` is "topics-partitions"; never empty."""
    return _OTHER.sub("-", text.lower()).strip("-") or "x"


def version_anchor(version: int, message_type: str, path: str = "") -> str:
    """The id of a version or of a field of it: "v12", "v12-response-topics"."""
    parts = [f"v{version}"]
    if message_type == "response":
        parts.append("response")
    elif not path and message_type == "request":
        parts.append("request")
    if path:
        parts.append(anchor(path))
    return "-".join(parts)


class Ids:
    """Hands out ids that are unique on one page: the second "a" becomes "a-2"."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def take(self, id_: str) -> str:
        """The id to write."""
        self._seen[id_] += 1
        count = self._seen[id_]
        return id_ if count == 1 else self.take(f"{id_}-{count}")
