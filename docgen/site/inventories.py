"""The inventories of a site: objects.inv for other documentation, and anchors.json for its next build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.utils import get_relative_url

from wirebook.docgen.render.data.inventory import NAME, InventoryItem, lines, read_lines, written
from wirebook.docgen.site.addresses import Addresses

_MOVED = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; base-uri 'none'">
<title>{title}</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="{url}">
<noscript><meta http-equiv="refresh" content="0; url={url}"></noscript>
<script src="{script}" defer></script>
</head>
<body><h1>This page has moved</h1><p><a href="{url}">{title}</a></p></body>
</html>
"""


def write_objects(
    site_dir: Path, items: Iterable[InventoryItem], addresses: Addresses, project: str, version: str
) -> None:
    """Write objects.inv; what another plugin, such as mkdocstrings, has written there stays."""
    path = site_dir / NAME
    existing: list[str] = []
    if path.is_file():
        try:
            existing = read_lines(path.read_bytes())
        except ValueError as error:
            raise PluginError(f"wirebook: {path} cannot be extended: {error}") from None
    published = [(thing, addresses.urls[thing.page]) for thing in items if thing.page in addresses.urls]
    path.write_bytes(written([*existing, *lines(published)], project, version))


def write_redirects(
    site_dir: Path, redirects: Mapping[str, str], addresses: Addresses, folder: str
) -> dict[str, str]:
    """Write a page at each former address, which leads to the page that took its place, and keeps the anchor.

    Addresses are those below `folder`, the folder of the reference; returns them as URLs of the site. Raises
    PluginError if the site has no such new page, or still has one at the former address.
    """
    moved = {}
    for old, new in redirects.items():
        parts = str(old).removesuffix("/").split("/")
        if old in addresses.urls or not str(old).endswith("/") or {"", ".", ".."} & set(parts):
            raise PluginError(
                f'wirebook: "{old}" of `redirects` is not the former address of a page, such as "api/foo/"'
            )
        page, hash_, place = str(new).partition("#")
        url = addresses.urls.get(page)
        if url is None:
            raise PluginError(f'wirebook: `redirects` leads from "{old}" to "{new}", which the site lacks')
        old_path = f"{folder}{old}"
        link = escape(get_relative_url(url, old_path) + hash_ + place)
        script = escape(get_relative_url(f"{folder}assets/moved.js", old_path))
        target = site_dir / old_path / "index.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        page = _MOVED.format(title=escape(str(new)), url=link, script=script)
        target.write_text(page, encoding="utf-8")
        moved[old_path] = url
    return moved
