"""The MkDocs plugin: adds the pages of docgen.pages to a site unchanged, bypassing Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel, file_sort_key
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.utils import get_relative_url, nest_paths

from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import api_archive, downloads, front_page, pages
from wirebook.docgen.pages.first_client import code
from wirebook.docgen.pages.home import home
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.worked import worked
from wirebook.docgen.progress import SILENT, Progress
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.footer import built_from
from wirebook.docgen.site.front_matter import PAGE, contents, front_matter, theme_text
from wirebook.docgen.site.menu import Menu, api_items, items_of
from wirebook.docgen.site.mkdocs_config import is_builtin
from wirebook.docgen.site.navigation import with_pages
from wirebook.docgen.site.own_config import STYLE, fit, style
from wirebook.docgen.site.search_index import write_search
from wirebook.docgen.site.watch import Watched
from wirebook.specs.problems import InputError

ASSETS = Path(__file__).resolve().parent / "theme" / "assets"
LEFT_OUT = (InclusionLevel.EXCLUDED, InclusionLevel.DRAFT)
THEMES = ("material", "readthedocs")  # those with styles of their own

# A line of a hand-written page in whose place something is put: inside another line, it is an
# example. Only bytes have lines of hex.
PLACE = re.compile(
    r"^<!-- wirebook: (\w+)(?: ([^\n]+?))?(?:\n([0-9a-f\s]+))? ?-->[ \t]*$", re.MULTILINE
)
_ID = re.compile(r' id="([^"]+)"')
TOP = "top"  # the fragment that leads to the top of any page of HTML, which needs no such id


class WirebookConfig(Config):  # type: ignore[no-untyped-call]
    """The options in mkdocs.yml."""

    catalog = config_options.Type(str, default="build/catalog")
    folder = config_options.Type(str, default="")
    nav = config_options.Type(bool, default=True)


@dataclass(frozen=True)
class Run:
    """What `wirebook build` and `wirebook serve` tell the plugin, which MkDocs makes."""

    catalog: Path
    progress: Progress = SILENT
    watched: Watched | None = None


class GeneratedPage(SitePage):
    """A page whose content the plugin sets, without MkDocs' Markdown extensions."""

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Leave the content to `on_page_content`."""
        self.content = ""


class WirebookPlugin(BasePlugin[WirebookConfig]):  # type: ignore[no-untyped-call]
    """Adds generated pages, downloads, styles and scripts; fills placeholders."""

    run: ClassVar[Run | None] = None
    task: Run
    folder: str
    book: Book
    is_builtin: bool
    is_own: bool
    pages: dict[str, Page]
    files: Files
    nav: Navigation
    addresses: Addresses

    @event_priority(-100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the catalog, and load the styles and scripts."""
        self.folder = f"{self.config.folder.strip('/')}/".lstrip("/")
        # MkDocs runs by itself if no command does.
        self.task = self.run or Run(Path(config.config_file_path).parent / self.config.catalog)
        try:
            if self.task.watched is not None:
                self.task.watched.refresh()
            book = Book.open(self.task.catalog)
        except InputError as error:
            raise PluginError(f"wirebook: {error}") from None
        self.book = replace(book, repository=str(config.repo_url or ""))
        self.is_builtin = is_builtin(config.config_file_path)
        self.is_own = self.is_builtin and not self.book.has_embedded
        if self.is_own:
            fit(config, self.book)
        # A name that is empty is the one in the profile.
        config.site_name = config.site_name or theme_text(self.book.protocol.heading)
        config.copyright = config.copyright or built_from(self.book)
        assets = f"{self.folder}assets/"
        config.extra_css.append(f"{assets}wirebook.css")
        if config.theme.name in THEMES:
            config.extra_css.append(f"{assets}{config.theme.name}.css")
        # The second script loads the rest of the search when it is used.
        config.extra_javascript += [f"{assets}wirebook.js", f"{assets}finder.js"]
        return config

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, **_: Any
    ) -> LiveReloadServer:
        """Watch the specs as well, or the catalog if the specs are not known."""
        task = self.task
        if self.is_own:
            # A copy, which the catalog has of the profile's pages.
            server.unwatch(config.docs_dir)
        for path in [task.catalog] if task.watched is None else task.watched.roots:
            if path.exists():
                server.watch(str(path))
        return server

    # After plugins that read the source of every file, which a generated page does not have.
    @event_priority(-200)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add a file for every generated page, every download, and every style and script."""
        try:
            self.pages = {f"{self.folder}{page.path}index.md": page for page in pages(self.book)}
            if self.is_own and files.get_file_from_path("index.md") is None:
                self.pages["index.md"] = front_page(self.book)
            made = list(self._generated(config))
        except InputError as error:
            raise PluginError(f"wirebook: {error}") from None
        others = {file.dest_uri: file for file in files}
        for file in made:
            if file.dest_uri in others:
                raise PluginError(
                    f'wirebook: "{others[file.dest_uri].src_uri}" and a generated file have one '
                    f'address, "{file.url}"; give the generated pages a folder of their own with '
                    'the option "folder"'
                )
            files.append(file)
        if self.config.nav:
            if config.nav is None:
                listed = files.documentation_pages(inclusion=InclusionLevel.is_in_nav)
                paths = [each.src_uri for each in sorted(listed, key=file_sort_key)]
                config.nav = nest_paths(paths)  # type: ignore[no-untyped-call]
            config.nav = with_pages(config.nav, self.pages)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Make the pages that the navigation does not name, and note the addresses of all."""
        self.files = files
        self.nav = nav
        # Those of the navigation have their titles from there.
        named = {page.file.src_uri for page in nav.pages}
        for source in self.pages.keys() - named:
            GeneratedPage(None, files.src_uris[source], config)
        there = (file for file in files if file.inclusion not in LEFT_OUT)
        self.addresses = Addresses.of(there, self.folder)
        urls = self.addresses.urls
        for value, key in self.book.keys.items():
            # A key is a part of the page of its value.
            urls[f"api/{key.slug}/"] = f"{urls[f'api/{value}/']}#key"
        return nav

    def on_page_context(self, context: Any, **_: Any) -> Any:
        """Count a page."""
        self.task.progress.advance()
        return context

    def on_env(self, env: Any, *, files: Files, **_: Any) -> None:
        """Make the menu of our theme, now that every page has its title, and begin to count."""
        pages = [file.page for file in files.documentation_pages()]
        if self.is_builtin:
            apis = api_items(self.book.index, self.addresses.urls)
            titles = {page.url: str(page.title) for page in pages if page}
            env.globals["wirebook_menu"] = Menu(items_of(self.nav.items, "api/", apis), titles)
            # Live reload runs a script that the policy of the pages would refuse.
            env.globals["wirebook_served"] = self.task.watched is not None
        self.task.progress.step("rendering pages", len(pages))

    def on_page_content(self, html: str, *, page: SitePage, **_: Any) -> str:
        """Put in the HTML of a generated page with its contents, or into another what is to be in
        the place of each `<!-- wirebook: NAME -->`, which Markdown leaves as it is."""
        generated = self.pages.get(page.file.src_uri)
        if generated is not None:
            page.toc = contents(generated)
            fitted = self.addresses.fit(generated.html, generated.path, page.url)
            html = f'<div class="wb-page" id="{PAGE}">\n{fitted}\n</div>'
            # MkDocs checks links to anchors against this, and knows only those of Markdown.
            page.present_anchor_ids = {*_ID.findall(html), TOP}
            return html
        if page.present_anchor_ids is not None:
            page.present_anchor_ids.add(TOP)
        numbers = count()

        def insert(place: re.Match[str]) -> str:
            kind, words, digits = place.groups()
            if kind == "bytes":
                text = worked(words, bytes.fromhex(digits), f"x{next(numbers)}")
            elif kind == "code":
                text = code(words)
            elif kind == "home":
                text = home(self.book)
            else:
                return place[0]
            return f'<div class="wb-page">{self.addresses.fit(text, "", page.url)}</div>'

        html = PLACE.sub(insert, html)
        if 'class="wb-hex"' in html:
            script = get_relative_url(f"{self.folder}assets/bytes.js", page.url)
            html += f'<script src="{script}" defer></script>'
        return html

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the index of the search."""
        place = Path(config.site_dir) / self.folder
        write_search(place, self.folder, self.book, self.pages, self.files, self.addresses)

    def _generated(self, config: MkDocsConfig) -> Iterator[File]:
        for source, page in self.pages.items():
            content = front_matter(page)
            inclusion = InclusionLevel.NOT_IN_NAV
            yield File.generated(config, source, content=content, inclusion=inclusion)
        for asset in sorted(ASSETS.iterdir()):
            if asset.name != "negotiate.js" or self.book.has_embedded:
                place = f"{self.folder}assets/{asset.name}"
                yield File.generated(config, place, abs_src_path=str(asset))
        texts = dict(downloads(self.book))
        for path, text in texts.items():
            yield File.generated(config, f"{self.folder}{path}", content=text)
        yield File.generated(config, f"{self.folder}data/api.zip", content=api_archive(texts))
        if self.is_own:
            yield File.generated(config, STYLE, content=style(self.book.protocol.site))
