"""The thin MkDocs plugin: hands the pages of docgen.render to MkDocs as they are, past Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink, TableOfContents

from wirebook.docgen.render.pages.book import Book
from wirebook.docgen.render.pages.page import Heading, Page
from wirebook.docgen.site.build import watched
from wirebook.specs.problems import InputError

ASSETS = Path(__file__).resolve().parent / "theme" / "assets"

_ID = re.compile(r' id="([^"]+)"')
_API_LINK = re.compile(r"\[([^\]]+)\]\((api/[^)#]+/index\.md)\)")


class WirebookConfig(Config):  # type: ignore[no-untyped-call]
    """What mkdocs.yml says of the plugin."""

    catalog = config_options.Type(str, default="build/catalog")


class WirebookPlugin(BasePlugin[WirebookConfig]):  # type: ignore[no-untyped-call]
    """Adds the generated pages and downloads; fills the places that hand-written pages leave for data."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.pages: dict[str, Page] = {}
        self.inserts: dict[str, str] = {}

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the catalog, and name its list of ApiVersions or releases in the navigation."""
        try:
            serving = watched()
            if serving is not None:
                serving.refresh()
            self.book = Book.of(Path(config.config_file_path).parent / self.config.catalog)
        except InputError as error:
            raise PluginError(str(error)) from None
        self.inserts = self.book.inserts()
        config.extra_css.append("assets/wirebook.css")
        config.extra_javascript.append("assets/wirebook.js")
        if config.nav:
            config.nav.insert(2, {self.book.levels[0]: f"{self.book.levels[1]}index.md"})
        return config

    def on_serve(self, server: LiveReloadServer, **_: Any) -> LiveReloadServer:
        """Watch the specs too."""
        serving = watched()
        if serving is not None and serving.folder is not None:
            server.watch(str(serving.folder))
        return server

    @event_priority(100)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add a file for every generated page and every download."""
        assert self.book is not None
        for page in self.book.pages():
            source = f"{page.path}index.md"
            self.pages[source] = page
            files.append(
                File.generated(
                    config, source, content=_front_matter(page), inclusion=InclusionLevel.NOT_IN_NAV
                )
            )
        for asset in sorted(ASSETS.iterdir()):
            files.append(
                File(f"assets/{asset.name}", str(ASSETS.parent), config.site_dir, config.use_directory_urls)
            )
        for path, content in self.book.downloads():
            files.append(File.generated(config, path, content=content))
        return files

    def on_page_markdown(self, markdown: str, **_: Any) -> str:
        """Fill `<!-- wirebook: name -->` in hand-written pages with what the book has for it.

        A link to an API that this book does not have becomes its plain text: the guide goes with any source.
        """
        for name in self.inserts:
            mark = f"<!-- wirebook: {name} -->"
            markdown = markdown.replace(mark, f'<div class="wb-insert" data-name="{name}"></div>')
        return _API_LINK.sub(lambda link: link[0] if link[2] in self.pages else link[1], markdown)

    def on_page_content(self, html: str, *, page: SitePage, **_: Any) -> str:
        """Put the ready HTML of a generated page in, with its contents list."""
        made = self.pages.get(page.file.src_uri)
        if made is not None:
            page.toc = _contents(made.headings)
            # MkDocs checks links to anchors against this, and knows only those that Markdown made.
            page.present_anchor_ids = set(_ID.findall(made.html))
            return str(made.html)
        for name, text in self.inserts.items():
            html = html.replace(f'<div class="wb-insert" data-name="{name}"></div>', text)
        return html

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Add what the book itself tells the search to the index that the theme has written."""
        assert self.book is not None
        path = Path(config.site_dir) / "search" / "search_index.json"
        if path.is_file():
            index = json.loads(path.read_text(encoding="utf-8"))
            index["docs"] += self.book.found()
            path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _front_matter(page: Page) -> str:
    """Title, description and search settings; JSON is YAML, so no text of a spec can break out of it."""
    meta: dict[str, Any] = {"title": page.title}
    if page.description:
        meta["description"] = page.description
    if page.words:
        meta["tags"] = list(page.words)
    meta["search"] = {"boost": page.boost} if page.boost else {"exclude": True}
    meta["hide"] = ["navigation"] if page.headings else ["navigation", "toc"]
    return f"---\n{json.dumps(meta)}\n---\n"


def _contents(headings: tuple[Heading, ...]) -> TableOfContents:
    """The contents list; a heading of level 3 stands below the one of level 2 before it."""
    made: list[AnchorLink] = []
    for item in headings:
        link = AnchorLink(item.title, item.id, item.level)
        (made[-1].children if made and item.level > made[-1].level else made).append(link)
    return TableOfContents(made)
