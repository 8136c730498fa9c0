"""The head of a page: metadata for browsers, previews of links and search engines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

_TAG = re.compile(r"<[^>]*>")
_URL = re.compile(r"\s*<url>\s*<loc>([^<]*)</loc>.*?</url>", re.DOTALL)
_HEAD_END = "</head>"


def with_head(
    output: str,
    page: Page,
    config: MkDocsConfig,
    *,
    listed: bool = True,
) -> str:
    """The HTML of a page with what previews of links show.

    Previews: https://ogp.me. What a theme or plugin has written of these stays. `listed` is whether search
    engines may list the page.
    """
    head_end = output.find(_HEAD_END)
    if head_end < 0:
        return output
    head = output[:head_end]
    tags = [] if listed else ['<meta name="robots" content="noindex, follow">']
    if 'property="og:' not in head:
        tags += [
            f'<meta {kind}="{name}" content="{escape(text)}">' for kind, name, text in _card(page, config)
        ]
    return f"{head}{''.join(f'  {line}{chr(10)}' for line in tags)}{output[head_end:]}"


def _card(page: Page, config: MkDocsConfig) -> Iterator[tuple[str, str, str]]:
    site = _plain(config.site_name)
    about = _plain(str(page.meta.get("description") or config.site_description or ""))
    yield "property", "og:type", "website" if page.is_homepage else "article"
    yield "property", "og:site_name", site
    yield "property", "og:title", site if page.is_homepage else _plain(str(page.title or site))
    if about:
        yield "property", "og:description", about
    if page.canonical_url:
        yield "property", "og:url", page.canonical_url
    yield "name", "twitter:card", "summary"


def without_urls(sitemap: str, unlisted: Sequence[str]) -> str:
    """A sitemap without the pages with these URLs."""
    hidden = {escape(url) for url in unlisted}
    return _URL.sub(lambda found: "" if found[1] in hidden else found[0], sitemap)


def _plain(text: str) -> str:
    return " ".join(unescape(_TAG.sub("", text)).split())
