"""The pages and anchors of a site: what links from elsewhere can lead to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

NAME = "anchors.json"
SCHEMA = "wirebook/anchors/1"

Anchors = Mapping[str, Iterable[str]]


def anchors_text(pages: Anchors, moved: Mapping[str, str]) -> str:
    """The inventory of a site as JSON: the ids of each page by its URL, and where former pages lead."""
    lines = ",\n".join(f"{json.dumps(url)}:{_compact(sorted(set(pages[url])))}" for url in sorted(pages))
    return (
        f'{{"schema":"{SCHEMA}","moved":{_compact(dict(sorted(moved.items())))},"pages":{{\n{lines}\n}}}}\n'
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
