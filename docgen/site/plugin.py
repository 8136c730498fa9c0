"""The MkDocs plugin: adds the pages of docgen.pages to a site unchanged, bypassing Markdown."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.utils import get_relative_url

from wirebook.docgen.catalog.protocol import FILES
from wirebook.docgen.pages.book import Book
from wirebook.docgen.pages.contents import api_archive, downloads, inserts, pages
from wirebook.docgen.pages.first_client import PLACE as CODE
from wirebook.docgen.pages.first_client import code
from wirebook.docgen.pages.page import Page
from wirebook.docgen.pages.search import search_index
from wirebook.docgen.pages.worked import PLACE as BYTES
from wirebook.docgen.pages.worked import worked
from wirebook.docgen.progress import Progress
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.footer import built_from
from wirebook.docgen.site.front_matter import contents, front_matter, theme_text
from wirebook.docgen.site.generated_page import GeneratedPage
from wirebook.docgen.site.menu import TITLE, Menu, add_pages
from wirebook.docgen.site.mkdocs_config import is_builtin
from wirebook.docgen.site.search_index import write_search, written_pages
from wirebook.docgen.site.skip import with_skip_link
from wirebook.docgen.site.watch import Watched
from wirebook.specs.problems import InputError

ASSETS = Path(__file__).resolve().parent / "theme" / "assets"
LEFT_OUT = (InclusionLevel.EXCLUDED, InclusionLevel.DRAFT)
# The search; the first script loads the others when it is used.
SEARCH = ("finder.js", "minisearch.js", "search.js")
# Pages that need several scripts load them as one file, and pages of the built-in configuration one
# style.
BUNDLES = {
    "compare.bundle.js": ("published.js", "layoutdiff.js", "compare.js"),
    "decode.bundle.js": (
        "published.js", "codec.js", "notation.js", "records.js", "readings.js", "bytes.js",
        "decoded.js",
        "decode.js", "encode.js",
    ),
}  # fmt: skip
STYLE = "assets/site.css"
# What else a theme needs.
THEMES = {
    "material": ["material.css"],
    "materialx": ["material.css"],
    "readthedocs": ["readthedocs.css"],
}

_RESERVED = '<div class="wb-insert" data-name="{}"></div>'
_ID = re.compile(r' id="([^"]+)"')
TOP = "top"  # the fragment that leads to the top of any page of HTML, which needs no such id
# Generated pages for a navigation, in order; those of the second group are about an embedded
# protocol.
_MAIN = (
    "api/",
    "releases/",
    "levels/",
    "matrix/",
    "types/",
    "errors/",
    "tags/",
    "fields/",
    "deprecations/",
    "data/",
    "decode/",
    "compare/",
    "rules/",
)
_EMBEDDED = ("negotiate/", "features/", "flows/", "kips/")


class WirebookConfig(Config):  # type: ignore[no-untyped-call]
    """The options of the plugin in mkdocs.yml; `watched` and `progress` are set by wirebook
    only."""

    catalog = config_options.Type(str, default="build/catalog")
    folder = config_options.Type(str, default="")
    nav = config_options.Type((str, bool), default=TITLE)
    search = config_options.Type(bool, default=True)
    watched = config_options.Optional(config_options.Type(Watched))
    progress = config_options.Optional(config_options.Type(Progress))


class WirebookPlugin(BasePlugin[WirebookConfig]):  # type: ignore[no-untyped-call]
    """Adds generated pages, downloads, styles and scripts; fills placeholders in hand-written
    pages."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.folder = ""
        self.pages: dict[str, Page] = {}
        self.inserts: dict[str, str] = {}
        self.shown: dict[str, list[str]] = {}
        self.addresses = Addresses({})
        self.files: Files | None = None
        self.nav: Navigation | None = None
        self.menu = Menu()
        self.is_served = False
        self.styles: list[str] = []

    def on_startup(self, *, command: str, **_: Any) -> None:
        """Note whether pages are served: live reload runs a script that their policy would
        refuse."""
        self.is_served = command == "serve"

    @event_priority(-100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the catalog, and load the styles and scripts."""
        self.folder = _folder(self.config.folder)
        try:
            if self.config.watched is not None:
                self.config.watched.refresh()
            self.book = Book.of(self.catalog_folder(config), str(config.repo_url or ""))
            pages = self.catalog_folder(config) / FILES
            if (
                self.config.watched is not None
                and _has_own_pages(self.book, config)
                and pages.is_dir()
            ):
                shutil.copytree(pages, config.docs_dir, dirs_exist_ok=True)
            self.inserts = inserts(self.book)
        except InputError as error:
            raise PluginError(f"wirebook: {error}") from None
        # A name that is empty is the one in the profile.
        config.site_name = config.site_name or theme_text(self.book.protocol.heading)
        config.copyright = config.copyright or built_from(self.book)
        styles = ["wirebook.css", *THEMES.get(str(config.theme.name), ())]
        scripts = ["wirebook.js", *(SEARCH[:1] if self.config.search else ())]
        for loaded, names in ((config.extra_css, styles), (config.extra_javascript, scripts)):
            loaded += [
                path for name in names if (path := f"{self.folder}assets/{name}") not in loaded
            ]
        if is_builtin(config.config_file_path) and config.extra_css != [STYLE]:
            # After the other plugins have added theirs.
            self.styles, config.extra_css = config.extra_css, [STYLE]
        return config

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, **_: Any
    ) -> LiveReloadServer:
        """Watch the specs as well, or the catalog if the specs are not known."""
        watched = self.config.watched
        if watched is None:
            server.watch(str(self.catalog_folder(config)))
            return server
        for path in (*([watched.folder] if watched.folder is not None else []), *watched.pages):
            if path.exists():
                server.watch(str(path))
        return server

    # After plugins that read the source of every file, which a generated page does not have.
    @event_priority(-200)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add a file for every generated page, every download, and every style and script."""
        assert self.book is not None
        try:
            self.pages = {f"{self.folder}{page.path}index.md": page for page in pages(self.book)}
        except InputError as error:
            raise PluginError(f"wirebook: {error}") from None
        others = {file.dest_uri: file for file in files}
        for file in self._generated(self.book, config):
            if file.dest_uri in others:
                raise PluginError(
                    f'wirebook: "{others[file.dest_uri].src_uri}" and a generated file have one '
                    "address, "
                    f'"{file.url}"; give the generated pages a folder of their own with the '
                    'option "folder"'
                )
            files.append(file)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Add the main pages to the navigation, unless the option `nav` is false."""
        assert self.book is not None
        self.files = files
        # Those of the navigation have their titles from there.
        named = {page.file.src_uri for page in nav.pages}
        for source in self.pages:
            file = files.get_file_from_path(source)
            if file is not None and source not in named:
                GeneratedPage(None, file, config)
        addresses = Addresses.of(
            (file for file in files if file.inclusion not in LEFT_OUT), self.folder
        ).urls
        # A key is a part of the page of its value.
        keys = {
            f"api/{key.slug}/": f"{addresses[f'api/{value}/']}#key"
            for value, key in self.book.keys.items()
        }
        self.addresses = Addresses({**addresses, **keys})
        if self.config.nav is not False:
            title = TITLE if self.config.nav is True else str(self.config.nav)
            main = _MAIN + (
                _EMBEDDED if self.book.has_embedded and self.book.catalog.levels else ()
            )
            paths = [path for path in main if path != "errors/" or self.book.errors]
            pages = [files.get_file_from_path(f"{self.folder}{path}index.md") for path in paths]
            add_pages(
                nav,
                title,
                [file.page for file in pages if file is not None and file.page is not None],
            )
        self.nav = nav
        return nav

    def on_page_context(self, context: Any, *, page: SitePage, **_: Any) -> Any:
        """Give our own theme what it shows of the menu; another theme has no place for it."""
        url = page.url.removeprefix("./")
        headings = [heading for heading in page.toc if heading.level > 1]
        return context | {
            "wirebook_sidebar": self.menu.sidebar(url, "../" * url.count("/")),
            "wirebook_contents": headings or [below for top in page.toc for below in top.children],
            "wirebook_tab": self.menu.path(url)[0],
            "wirebook_path": self.menu.path(url)[1],
        }

    def on_template_context(self, context: Any, *, template_name: str, **_: Any) -> Any:
        """The page for unknown addresses, which is shown at any of them."""
        if template_name == "404.html":
            root = f"{str(context['base_url']).rstrip('/')}/"
            context["wirebook_sidebar"] = self.menu.sidebar("404.html", root)
        return context

    def on_env(self, env: Any, *, files: Files, config: MkDocsConfig, **_: Any) -> None:
        """Make the sidebar, now that every page has its title, and begin to count pages."""
        if is_builtin(config.config_file_path):
            # The theme's templates are one part in twenty of a page without the lines that only had
            # a tag.
            env.trim_blocks = env.lstrip_blocks = True
        assert self.book is not None
        assert self.nav is not None
        urls = {row.slug: self.addresses.urls[f"api/{row.slug}/"] for row in self.book.index}
        titles = {
            file.url.removeprefix("./"): str(file.page.title or "")
            for file in files.documentation_pages()
            if file.page is not None
        }
        self.menu = Menu.of(
            self.nav.items, titles, self.book.index, self.addresses.urls["api/"], urls
        )
        env.globals["wirebook_tabs"] = self.menu.tabs
        env.globals["wirebook_search"] = self.config.search
        env.globals["wirebook_served"] = self.is_served
        if self.config.progress is not None:
            self.config.progress.step("rendering pages", len(files.documentation_pages()))

    def on_post_page(self, output: str, *, page: SitePage, config: MkDocsConfig, **_: Any) -> str:
        """Complete a page, and count it."""
        if self.config.progress is not None:
            self.config.progress.advance()
        return with_skip_link(output)

    def on_post_template(self, output: str, *, template_name: str, **_: Any) -> str:
        """Complete the page for unknown addresses."""
        return with_skip_link(output) if template_name == "404.html" else output

    def on_page_markdown(
        self, markdown: str, *, page: SitePage, config: MkDocsConfig, **_: Any
    ) -> str:
        """Put an empty box in the place of each `<!-- wirebook: name -->`; `on_page_content` fills
        them."""
        if "<!-- wirebook: " not in markdown:
            return markdown
        for name in self.inserts:
            markdown = mark(name).sub(_RESERVED.format(name), markdown)
        shown = self.shown[page.file.src_uri] = []

        def place(text: str) -> str:
            shown.append(text)
            return _RESERVED.format(len(shown) - 1)

        markdown = BYTES.sub(
            lambda found: place(worked(found[1], bytes.fromhex(found[2]), f"x{len(shown)}")),
            markdown,
        )
        return CODE.sub(lambda found: place(code(found[1])), markdown)

    def on_page_content(self, html: str, *, page: SitePage, config: MkDocsConfig, **_: Any) -> str:
        """Put in the HTML of a generated page with its contents list, or the inserts of another
        page."""
        generated = self.pages.get(page.file.src_uri)
        if generated is not None:
            page.toc = contents(generated.headings)
            # MkDocs checks links to anchors against this, and knows only those that Markdown made.
            page.present_anchor_ids = {*_ID.findall(generated.html), TOP}
            fitted = self.addresses.fit(generated.html, generated.path, page.url)
            return f'<div class="wb-page">\n{fitted}\n</div>'
        if page.present_anchor_ids is not None:
            page.present_anchor_ids.add(TOP)
        shown = self.shown.pop(page.file.src_uri, [])
        for number, text in enumerate(shown):
            html = html.replace(_RESERVED.format(number), f'<div class="wb-page">{text}</div>')
        if any('class="wb-hex"' in text for text in shown):
            html += (
                f'<script src="{get_relative_url(self.folder + "assets/bytes.js", page.url)}" '
                "defer></script>"
            )
        for name, text in self.inserts.items():
            if (marker := _RESERVED.format(name)) in html:
                fitted = self.addresses.fit(text, "", page.url)
                html = html.replace(marker, f'<div class="wb-page">{fitted}</div>')
        return html

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the styles as one file, and the index of the search."""
        assert self.book is not None
        assert self.files is not None
        site_dir = Path(config.site_dir)
        if self.styles:
            styles = ((site_dir / path).read_text(encoding="utf-8") for path in self.styles)
            (site_dir / STYLE).write_text("\n".join(styles), encoding="utf-8")
        if not config.site_url:
            # Without the address of the site, a sitemap lists nothing.
            for name in ("sitemap.xml", "sitemap.xml.gz"):
                (site_dir / name).unlink(missing_ok=True)
        if self.config.search:
            written = written_pages(self.files, self.pages)
            index = search_index(self.book)
            write_search(site_dir, self.folder, index, self.pages.values(), written, self.addresses)

    def catalog_folder(self, config: MkDocsConfig) -> Path:
        """The folder of the catalog."""
        return Path(config.config_file_path).parent / self.config.catalog

    def file_of(self, source: str, page: Page, config: MkDocsConfig) -> File:
        """The file of a generated page."""
        tagged = (
            "material/tags" not in config.plugins
        )  # which would list the search words of every page
        matter = front_matter(page, tagged=tagged)
        return File.generated(config, source, content=matter, inclusion=InclusionLevel.NOT_IN_NAV)

    def _generated(self, book: Book, config: MkDocsConfig) -> Iterator[File]:
        for source, page in self.pages.items():
            yield self.file_of(source, page, config)
        for asset in sorted(ASSETS.iterdir()):
            if asset.name == "negotiate.js" and not book.has_embedded:
                continue
            if asset.name in SEARCH and not self.config.search:
                continue
            yield File.generated(
                config, f"{self.folder}assets/{asset.name}", abs_src_path=str(asset)
            )
        for name, scripts in BUNDLES.items():
            content = "\n".join((ASSETS / script).read_text(encoding="utf-8") for script in scripts)
            yield File.generated(config, f"{self.folder}assets/{name}", content=content)
        texts = dict(downloads(book))
        for path, text in texts.items():
            yield File.generated(config, f"{self.folder}{path}", content=text)
        yield File.generated(config, f"{self.folder}data/api.zip", content=api_archive(texts))


def _has_own_pages(book: Book, config: MkDocsConfig) -> bool:
    """Whether the hand-written pages are those of the profile, copied from the catalog."""
    return is_builtin(config.config_file_path) and not book.protocol.family


def mark(name: str) -> re.Pattern[str]:
    """The placeholder line for data in a hand-written page; inside another line, it is an
    example."""
    return re.compile(rf"^<!-- wirebook: {re.escape(name)} -->[ \t]*$", re.MULTILINE)


def _folder(option: str) -> str:
    """The option `folder` as the beginning of a path: "" or "a/b/"; raises PluginError."""
    path = PurePosixPath(option)
    if path.is_absolute() or ".." in path.parts or "\\" in option:
        raise PluginError(f'wirebook: the option "folder" is a folder of the site, not "{option}"')
    return "" if path == PurePosixPath() else f"{path}/"
