"""The pages and anchors of a site, and those of the last one that it lost: published links must not break."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wirebook.specs.problems import InputError

NAME = "anchors.json"
SCHEMA = "wirebook/anchors/1"
_SHOWN = 10

Anchors = Mapping[str, Iterable[str]]


def anchors_text(pages: Anchors, moved: Mapping[str, str]) -> str:
    """The inventory of a site as JSON: the ids of each page by its URL, and where former pages lead."""
    lines = ",\n".join(f"{json.dumps(url)}:{_compact(sorted(set(pages[url])))}" for url in sorted(pages))
    return (
        f'{{"schema":"{SCHEMA}","moved":{_compact(dict(sorted(moved.items())))},"pages":{{\n{lines}\n}}}}\n'
    )


def read_anchors(path: Path) -> dict[str, Any]:
    """An inventory, from its file or the folder of its site. Raises InputError if it is not one."""
    file = path / NAME if path.is_dir() else path
    try:
        anchors: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(error.strerror or str(error), str(file)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not an inventory of anchors ({error})", str(file)) from None
    pages = anchors.get("pages") if isinstance(anchors, dict) and anchors.get("schema") == SCHEMA else None
    if not isinstance(pages, dict) or not all(isinstance(ids, list) for ids in pages.values()):
        raise InputError(f"this is not an inventory of anchors ({SCHEMA})", str(file))
    return anchors


def check_anchors(last: Path, site: Path) -> None:
    """Raise InputError if a page or an anchor of the last site is not in the new one and has not moved."""
    old, new = read_anchors(last), read_anchors(site)
    lost = list(missing(old, new))
    if not lost:
        return
    listed = ", ".join(lost[:_SHOWN]) + (f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else "")
    one = len(lost) == 1
    raise InputError(
        f"the new site lacks {len(lost)} {'address' if one else 'addresses'} of the last one: {listed}; "
        f"keep {'it' if one else 'them'}, or name the new page in the option `redirects` of the plugin",
        str(last),
    )


def missing(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    """The addresses of an inventory that another one lacks, in order; for a missing page, only the page."""
    moved = new.get("moved", {})
    for url, ids in old["pages"].items():
        if url in moved:
            continue
        page = new["pages"].get(url)
        if page is None:
            yield url or "./"
            continue
        page_ids = set(page)
        yield from (f"{url}#{each}" for each in ids if each not in page_ids)
    yield from (url for url in old.get("moved", {}) if url not in moved and url not in new["pages"])


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
