"""A site as one zip file whose pages work when they are opened from a disk: every link names its file."""

from __future__ import annotations

import io
import os
import posixpath
import re
import time
import zipfile
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote, unquote

from wirebook.specs.output import HOSTING, LIST
from wirebook.specs.problems import InputError

_LINK = re.compile(r'(<(?:a|area|link|form)\b[^>]*?\s(?:href|action)=")([^"?#]*)([^"]*")')
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)
# Files that only a server uses: the page of lost addresses, the map for search engines, and the index of
# Material's search, which reads it by a worker, which browsers do not let a file start.
_LEFT_OUT = {"404.html", "sitemap.xml", "sitemap.xml.gz", LIST, *HOSTING}
_FULLTEXT_INDEX = "search/search_index.json"
_THEME_SEARCH = (
    (' data-md-component="search" ', " "),
    ('class="md-search__form" name="search"', 'class="md-search__form"'),
)
# The script by which pages load published JSON.
_LOADER = "assets/published.js"
_FIRST_DAY = 315_532_800  # 1980-01-01, the first day that zip can represent


def check_zip(target: Path, site_dir: Path) -> None:
    """Raise InputError if a zip file cannot be written there, or is in the site, which is replaced."""
    if target.resolve().is_relative_to(site_dir.resolve()):
        raise InputError(f"is in the folder of the site, {site_dir}, which the build replaces", str(target))
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise InputError("is not the name of a file in a folder that exists", str(target))


def zipped(site: Path, name: str) -> bytes:
    """A built site as a zip file with one folder of that name. Raises OSError.

    The same site gives the same bytes: files are in the order of their names, with the time of
    SOURCE_DATE_EPOCH, or else of the newest file.
    """
    files = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*")) if path.is_file()}
    members = {path: file for path, file in files.items() if not _is_left_out(path)}
    newest = max((file.stat().st_mtime for file in members.values()), default=0)
    moment = max(_FIRST_DAY, int(os.environ.get("SOURCE_DATE_EPOCH") or newest))
    day = time.gmtime(moment)[:6]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(members):
            content = members[path].read_bytes()
            if path.endswith(".html"):
                content = offline_page(content.decode("utf-8"), path, members).encode("utf-8")
            written = {path: content}
            if path.endswith(".json") and _is_loaded(path, members):
                written[f"{path}.js"] = b"window.wirebookFile = " + content.strip() + b";\n"
            for path_in_zip, data in written.items():
                entry = zipfile.ZipInfo(f"{name}/{path_in_zip}", day)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def offline_page(html: str, name: str, files: Collection[str]) -> str:
    """The HTML of the file `name` of a site, with the index.html of each folder that it links to."""
    folder = posixpath.dirname(name)

    def named(match: re.Match[str]) -> str:
        path = match[2]
        if not path or _OUTSIDE.match(path):
            return match[0]
        target = posixpath.normpath(posixpath.join(folder, unquote(path)))
        page = "index.html" if target == "." else f"{target}/index.html"
        if target in files or page not in files:
            return match[0]
        return f"{match[1]}{quote(posixpath.relpath(page, folder or '.'))}{match[3]}"

    html = _LINK.sub(named, html)
    # Without its worker, Material's search hides its field, which opens ours, and still loads its index.
    for old, new in _THEME_SEARCH:
        html = html.replace(old, new, 1)
    return html


def _is_loaded(name: str, files: Collection[str]) -> bool:
    """Whether pages load a JSON file: in a site that is opened as files they load it as a script."""
    folder = next((each.removesuffix(_LOADER) for each in files if each.endswith(_LOADER)), None)
    return folder is not None and name.startswith((f"{folder}data/", f"{folder}api/"))


def _is_left_out(name: str) -> bool:
    base = posixpath.basename(name)
    return base in _LEFT_OUT or f"/{name}".endswith(f"/{_FULLTEXT_INDEX}")
