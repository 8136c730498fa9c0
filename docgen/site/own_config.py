"""The built-in configuration of MkDocs, fitted to the protocol of a catalog.

The hand-written pages are part of the site of the embedded protocol only. Any other has its own
pages and those generated from its specs, also one that extends the embedded one.
"""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from wirebook.docgen.catalog.protocol import FILES
from wirebook.docgen.pages.book import Book
from wirebook.docgen.site.front_matter import theme_text
from wirebook.specs.profile import SiteProfile

# The sections with generated pages; those of the profile follow.
SECTIONS = ("APIs", "Releases", "Protocol", "Rules")
STYLE = "assets/protocol.css"
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


def fit(config: MkDocsConfig, book: Book) -> None:
    """Set title, look, menu and pages of the site to those of the protocol."""
    own = book.protocol.site
    title = book.protocol.heading
    config.site_name = theme_text(title)
    config.site_description = theme_text(
        own.description or f"{title}, every version of every message"
    )
    for key, image in (("logo", own.logo), ("favicon", own.favicon)):
        if image:
            config.theme[key] = image
    config.extra_css.append(STYLE)
    sections: list[Any] = [{title: []} for title in SECTIONS]
    config.nav = [{"Home": "index.md"}, *sections, {"Guide": list(own.guides)}]
    config.docs_dir = str(book.folder / FILES)


def style(site: SiteProfile) -> str:
    """The colours of the profile as a style sheet; "" for none."""
    text = ""
    if site.primary:
        text += _PRIMARY.format(site.primary, "#000000" if is_bright(site.primary) else "#ffffff")
    return text + (_ACCENT.format(site.accent) if site.accent else "")


def is_bright(colour: str) -> bool:
    """Whether black is easier to read on a colour (#rrggbb) than white, by its relative luminance
    (WCAG 2.2, with the exponent 2.2 of sRGB)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return bool(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.179)
