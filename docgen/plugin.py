"""The thin MkDocs plugin: hands the pages of docgen.render to MkDocs as they are, past Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink, TableOfContents

from docgen.render import book
from docgen.render.pages import Heading, Page
from specs.problems import InputError


class WirebookConfig(Config):  # type: ignore[no-untyped-call]
    """What mkdocs.yml says of the plugin."""

    catalog = config_options.Type(str, default="build/catalog")


class WirebookPlugin(BasePlugin[WirebookConfig]):  # type: ignore[no-untyped-call]
    """Adds the generated pages and downloads; fills the places that hand-written pages leave for data."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.inserts: dict[str, str] = {}

    @event_priority(100)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add a file for every generated page and every download."""
        folder = Path(config.config_file_path).parent / self.config.catalog
        try:
            made = book.Book.of(folder)
        except InputError as error:
            raise PluginError(str(error)) from None
        self.inserts = made.inserts()
        for page in made.pages():
            source = f"{page.path}index.md"
            self.pages[source] = page
            file = File.generated(
                config, source, content=_front_matter(page), inclusion=InclusionLevel.NOT_IN_NAV
            )
            files.append(file)
        for path, content in made.downloads():
            files.append(File.generated(config, path, content=content))
        return files

    def on_page_markdown(self, markdown: str, *, page: SitePage, **_: Any) -> str:
        """Fill `<!-- wirebook: name -->` in hand-written pages with what the book has for it."""
        for name in self.inserts:
            mark = f"<!-- wirebook: {name} -->"
            if mark in markdown:
                markdown = markdown.replace(mark, f'<div class="wb-insert" data-name="{name}"></div>')
        return markdown

    def on_page_content(self, html: str, *, page: SitePage, **_: Any) -> str:
        """Put the ready HTML of a generated page in, with its contents list."""
        made = self.pages.get(page.file.src_uri)
        if made is not None:
            page.toc = _contents(made.headings)
            return str(made.html)
        for name, text in self.inserts.items():
            html = html.replace(f'<div class="wb-insert" data-name="{name}"></div>', text)
        return html


def _front_matter(page: Page) -> str:
    """Title, description and search settings; JSON is YAML, so no text of a spec can break out of it."""
    meta: dict[str, Any] = {"title": page.title}
    if page.description:
        meta["description"] = page.description
    if page.words:
        meta["tags"] = list(page.words)
    meta["search"] = {"boost": page.boost} if page.boost else {"exclude": True}
    meta["hide"] = ["navigation"]
    return f"---\n{json.dumps(meta)}\n---\n"


def _contents(headings: tuple[Heading, ...]) -> TableOfContents:
    return TableOfContents([AnchorLink(item.title, item.id, item.level) for item in headings])
