"""The built-in configuration of MkDocs, fitted to the protocol of a catalog: title, pages, menu and
look."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.catalog.protocol import FILES, SiteRecord
from wirebook.docgen.site.front_matter import theme_text
from wirebook.docgen.site.mkdocs_config import HOME, SiteConfig, read_settings
from wirebook.specs.problems import InputError

STYLE = "assets/protocol.css"
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
# The colors that Material for MkDocs knows by name.
_COLOURS = {
    "red": "#ef5552", "pink": "#e92063", "purple": "#ab47bd", "deep purple": "#7e56c2",
    "indigo": "#4051b5",
    "blue": "#2094f3", "light blue": "#02a6f2", "cyan": "#00bdd6", "teal": "#009485",
    "green": "#4cae4f",
    "light green": "#8bc34b", "lime": "#cbdc38", "yellow": "#ffec3d", "amber": "#ffc105",
    "orange": "#ffa724",
    "deep orange": "#ff6e42", "brown": "#795649", "grey": "#757575", "blue grey": "#546d78",
    "black": "#000000", "white": "#ffffff",
}  # fmt: skip
_FRONT = """\
---
title: {title}
hide:
  - toc
---

<!-- wirebook: front -->
"""


@contextmanager
def fitted_settings(catalog: Path, site: SiteConfig) -> Iterator[dict[str, Any]]:
    """The settings that fit the built-in configuration to the protocol of a catalog; none for
    another one.

    The hand-written pages are part of the site of the embedded protocol only. Any other has its own
    pages and those generated from its specs, also one that extends the embedded one.
    """
    if not site.is_builtin:
        yield {}
        return
    opened = Catalog.open(catalog)
    protocol = opened.protocol
    if protocol.family:
        yield {}
        return
    own = protocol.site
    raw = read_settings(site.file)
    about = own.description or f"{protocol.heading}, every version of every message"
    settings: dict[str, Any] = {
        "site_name": theme_text(protocol.heading),
        "site_description": theme_text(about),
    }
    settings["theme"] = _theme(raw["theme"], own)
    style = _style(own)
    if style:
        settings["extra_css"] = [*raw["extra_css"], STYLE]
    settings["nav"] = _navigation(opened)
    with tempfile.TemporaryDirectory(prefix="wirebook-pages-") as folder:
        docs = Path(folder)
        front = _FRONT.format(title=json.dumps(theme_text(protocol.heading)))
        (docs / "index.md").write_text(front, encoding="utf-8")
        if (catalog / FILES).is_dir():
            shutil.copytree(catalog / FILES, docs, dirs_exist_ok=True)
        if style:
            (docs / STYLE).parent.mkdir(parents=True, exist_ok=True)
            (docs / STYLE).write_text(style, encoding="utf-8")
        yield {**settings, "docs_dir": folder}


def _theme(raw: Mapping[str, Any], site: SiteRecord) -> dict[str, Any]:
    theme = {**raw, "custom_dir": str(HOME / raw["custom_dir"])}
    theme |= {key: path for key, path in (("logo", site.logo), ("favicon", site.favicon)) if path}
    return theme


def _navigation(catalog: Catalog) -> list[Any]:
    """The menu of a protocol without hand-written pages of wirebook's."""
    protocol = catalog.protocol
    pages = [{"Support matrix": "matrix/index.md"}]
    if catalog.levels:
        pages.append({f"{protocol.level_title}s": "levels/index.md"})
    pages.append({"Types and their bytes": "types/index.md"})
    if catalog.errors is not None:
        pages.append({"Error codes": "errors/index.md"})
    pages += [
        {"Fields by name": "fields/index.md"},
        {"Tags": "tags/index.md"},
        {"Deprecations": "deprecations/index.md"},
    ]
    pages.append({"Data": "data/index.md"})
    pages += [
        {"Decode and encode": "decode/index.md"},
        {"Compare versions": "compare/index.md"},
    ]
    menu: list[Any] = [
        {"Home": "index.md"},
        {"APIs": "api/index.md"},
        {"Releases": "releases/index.md"},
        {"Protocol": pages},
    ]
    menu.append({"Rules": "rules/index.md"})
    if protocol.site.guides:
        menu.append({"Guide": list(protocol.site.guides)})
    return menu


def _style(site: SiteRecord) -> str:
    """The colours of the profile as a style sheet; "" for none."""
    rules: list[tuple[str, dict[str, str]]] = []
    if site.primary:
        primary = _colour("primary", site.primary)
        text = "#000000" if _is_bright(primary) else "#ffffff"
        names = ("", "--light", "--dark")
        values = {f"--md-primary-fg-color{name}": primary for name in names}
        values |= {"--md-primary-bg-color": text, "--md-primary-bg-color--light": f"{text}b3"}
        rules.append(("[data-md-color-scheme]", values))
    if site.accent:
        accent = _colour("accent", site.accent)
        values = {
            "--md-accent-fg-color": accent,
            "--md-accent-fg-color--transparent": f"{accent}1a",
        }
        rules.append(("[data-md-color-scheme]", values))
        # A dark color is invisible on a dark page.
        lighter = {"--md-accent-fg-color": f"color-mix(in srgb, {accent} 50%, #fff)"}
        rules.append(('[data-md-color-scheme="slate"]', lighter))
    return "".join(
        f"{selector} {{ {' '.join(f'{name}: {value};' for name, value in values.items())} }}\n"
        for selector, values in rules
    )


def _colour(key: str, value: str) -> str:
    """A colour as #rrggbb."""
    if _HEX.fullmatch(value):
        digits = value[1:].lower()
        return f"#{digits}" if len(digits) == 6 else "#" + "".join(digit * 2 for digit in digits)
    colour = _COLOURS.get(value.lower().replace("-", " "))
    if colour is None:
        raise InputError(
            f'the {key} color of the site, "{value}", is neither #rrggbb nor one of '
            f"{', '.join(_COLOURS)}"
        )
    return colour


def _is_bright(colour: str) -> bool:
    """Whether black is easier to read on a colour than white (WCAG 2.2, relative luminance)."""
    parts = [int(colour[offset : offset + 2], 16) / 255 for offset in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return (
        sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
        > 0.179
    )
