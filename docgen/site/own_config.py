"""The built-in configuration of MkDocs, fitted to the protocol of a catalog."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.protocol import FILES
from wirebook.docgen.site.front_matter import theme_text
from wirebook.docgen.site.mkdocs_config import HOME, SiteConfig, read_settings
from wirebook.specs.problems import InputError
from wirebook.specs.profile import SiteProfile

STYLE = "assets/protocol.css"
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_FRONT = """\
---
title: {title}
hide:
  - toc
---

<!-- wirebook: front -->
"""
_PRIMARY = """\
[data-md-color-scheme] {{ --md-primary-fg-color: {0}; --md-primary-fg-color--light: {0}; \
--md-primary-fg-color--dark: {0}; --md-primary-bg-color: {1}; \
--md-primary-bg-color--light: {1}b3; }}
"""
# A dark color is invisible on a dark page.
_ACCENT = """\
[data-md-color-scheme] {{ --md-accent-fg-color: {0}; --md-accent-fg-color--transparent: {0}1a; }}
[data-md-color-scheme="slate"] {{ --md-accent-fg-color: color-mix(in srgb, {0} 50%, #fff); }}
"""


@contextmanager
def fitted_settings(catalog: Path, site: SiteConfig) -> Iterator[dict[str, Any]]:
    """The settings that fit the built-in configuration to the protocol of a catalog; none for
    another one.

    The hand-written pages are part of the site of the embedded protocol only. Any other has its own
    pages and those generated from its specs, also one that extends the embedded one.
    """
    opened = Catalog.open(catalog) if site.is_builtin else None
    if opened is None or opened.protocol.family:
        yield {}
        return
    protocol, own = opened.protocol, opened.protocol.site
    raw, style = read_settings(site.file), _style(own)
    theme = {**raw["theme"], "custom_dir": str(HOME / raw["theme"]["custom_dir"])}
    theme |= {"logo": own.logo} if own.logo else {}
    theme |= {"favicon": own.favicon} if own.favicon else {}
    title = theme_text(protocol.heading)
    about = own.description or f"{protocol.heading}, every version of every message"
    with tempfile.TemporaryDirectory(prefix="wirebook-pages-") as folder:
        docs = Path(folder)
        (docs / "index.md").write_text(_FRONT.format(title=json.dumps(title)), encoding="utf-8")
        if (catalog / FILES).is_dir():
            shutil.copytree(catalog / FILES, docs, dirs_exist_ok=True)
        (docs / STYLE).parent.mkdir(parents=True, exist_ok=True)
        (docs / STYLE).write_text(style, encoding="utf-8")
        yield {
            "site_name": title,
            "site_description": theme_text(about),
            "theme": theme,
            "extra_css": [*raw["extra_css"], STYLE],
            "nav": _navigation(opened),
            "docs_dir": folder,
        }


def _navigation(catalog: Catalog) -> list[Any]:
    """The menu of a protocol without hand-written pages of wirebook's."""
    level, guides = f"{catalog.protocol.level_title}s", catalog.protocol.site.guides
    pages = (
        ("Support matrix", "matrix", True),
        (level, "levels", catalog.levels),
        ("Types and their bytes", "types", True),
        ("Error codes", "errors", catalog.error_table is not None),
        ("Fields by name", "fields", True),
        ("Tags", "tags", True),
        ("Deprecations", "deprecations", True),
        ("Data", "data", True),
        ("Decode and encode", "decode", True),
        ("Compare versions", "compare", True),
    )
    return [
        {"Home": "index.md"},
        {"APIs": "api/index.md"},
        {"Releases": "releases/index.md"},
        {"Protocol": [{title: f"{page}/index.md"} for title, page, is_there in pages if is_there]},
        {"Rules": "rules/index.md"},
        *([{"Guide": list(guides)}] if guides else []),
    ]


def _style(site: SiteProfile) -> str:
    """The colours of the profile as a style sheet; "" for none. Raises InputError."""
    for key, colour in (("primary", site.primary), ("accent", site.accent)):
        if colour and not _HEX.fullmatch(colour):
            raise InputError(f'the {key} color of the site, "{colour}", is not #rrggbb')
    style = ""
    if site.primary:
        style += _PRIMARY.format(site.primary, "#000000" if is_bright(site.primary) else "#ffffff")
    return style + (_ACCENT.format(site.accent) if site.accent else "")


def is_bright(colour: str) -> bool:
    """Whether black is easier to read on a colour (#rrggbb) than white, by its relative luminance
    (WCAG 2.2, with the exponent 2.2 of sRGB)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return bool(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.179)
