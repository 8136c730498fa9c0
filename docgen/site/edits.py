"""What `wirebook serve` does after an edit: the edited pages at once, then the whole site beside them."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation

from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.generated_page import GeneratedPage
from wirebook.docgen.site.watch import NOTHING, Changed, Watched
from wirebook.docgen.site.whole import WholeSite
from wirebook.specs.problems import InputError


class BuiltSite(Protocol):
    """What a build leaves of the plugin, for the pages that are rendered after it."""

    book: Book | None
    folder: str
    pages: dict[str, Page]
    addresses: Addresses
    files: Files | None
    nav: Navigation | None
    env: Any

    def catalog_folder(self, config: MkDocsConfig) -> Path:
        """The folder of the catalog."""

    def file_of(self, source: str, page: Page, config: MkDocsConfig) -> File:
        """The file of a generated page."""


class Edits:
    """The builder of a server that has built its site once, with the built-in configuration.

    Only the pages of an edited API and edited hand-written pages are rendered, with what the last build
    knows of all others. What lists or summarizes them, and the search, follow with the whole site, which
    replaces the served folder when it is complete.
    """

    def __init__(
        self, plugin: BuiltSite, config: MkDocsConfig, server: LiveReloadServer, watched: Watched
    ) -> None:
        self.plugin, self.config, self.server, self.watched = plugin, config, server, watched
        self.catalog = plugin.catalog_folder(config)
        self.texts = self._texts()
        self.folder = Path(tempfile.mkdtemp(prefix="wirebook-edits-"))
        # The server watches it: only its builder may change what is served.
        self.signal = self.folder / "complete"
        self.signal.touch()
        server.watch(str(self.signal))
        self.first = server.root
        self.whole = WholeSite(self.catalog, str(config.site_url), self._update, self.signal.touch)

    def build(self) -> None:
        """Show what has changed. Raises Abort."""
        complete = self.whole.take()
        if complete is not None:
            self._serve(complete)
        try:
            self._show_edits(was_signal=complete is not None)
        except InputError as error:
            raise Abort(f"wirebook: {error}") from None

    def stop(self) -> None:
        """End what is running, and remove the folders."""
        self.whole.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.server.root != self.first:
            shutil.rmtree(self.server.root, ignore_errors=True)

    def _show_edits(self, *, was_signal: bool) -> None:
        changed = self.watched.changed()
        if changed.pages:
            self.watched.write_pages(Path(self.config.docs_dir))
        written = [*self._written()]
        if changed != NOTHING or written or not was_signal:
            self.whole.want(changed)
        assert self.plugin.book is not None
        files = [
            file
            for document in (self.watched.edited() if changed.specs else ())
            for page in self.plugin.book.pages_of(document)
            if (file := self._generated(page)) is not None
        ]
        self._render([*files, *written])
        if files or written:
            # No sooner than now does the wait for the next edit begin.
            self.whole.want(NOTHING)

    def _update(self, changed: Changed) -> None:
        """Update the catalog, and have the next edited pages refer to what it has."""
        self.watched.update(changed)
        if changed.specs:
            book = Book.of(self.catalog, str(self.config.repo_url or ""))
            # Read here, in the thread that builds the whole site: it takes a second.
            assert book.mentions is not None
            self.plugin.book = book

    def _serve(self, folder: Path) -> None:
        """Serve a complete site in place of the one that is served."""
        former, self.server.root = self.server.root, str(folder)
        not_found = folder / "404.html"
        self.server.error_handler = lambda code: not_found.read_bytes() if code == 404 else None
        self.config.site_dir = str(folder)
        assert self.plugin.files is not None
        for file in self.plugin.files:
            file.dest_dir = str(folder)
            # Computed from the folder when it is first used.
            file.__dict__.pop("abs_dest_path", None)
        if former != self.first:
            shutil.rmtree(former, ignore_errors=True)

    def _generated(self, page: Page) -> File | None:
        """The file of a generated page if the page differs from the one that is served."""
        plugin = self.plugin
        source = f"{plugin.folder}{page.path}index.md"
        if plugin.pages.get(source) == page:
            return None
        assert plugin.files is not None
        present = plugin.files.get_file_from_path(source)
        plugin.pages[source] = page
        file = plugin.file_of(source, page, self.config)
        if present is None:
            plugin.files.append(file)
            plugin.addresses = plugin.addresses.with_page(page.path, file.url)
            GeneratedPage(None, file, self.config)
            return file
        present.content_string = file.content_string
        return present

    def _written(self) -> Iterator[File]:
        """The files of hand-written pages whose text has changed."""
        assert self.plugin.files is not None
        before, self.texts = self.texts, self._texts()
        for path, digest in self.texts.items():
            file = self.plugin.files.get_file_from_path(path)
            if before.get(path) != digest and file is not None and file.page is not None:
                yield file

    def _texts(self) -> dict[str, bytes]:
        top = Path(self.config.docs_dir)
        return {
            path.relative_to(top).as_posix(): hashlib.sha256(path.read_bytes()).digest()
            for path in top.rglob("*.md")
        }

    def _render(self, edited: Sequence[File]) -> None:
        plugin = self.plugin
        assert plugin.files is not None
        assert plugin.nav is not None
        # As MkDocs builds a site, for some of its pages only.
        documents = plugin.files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        for file in edited:
            assert file.page is not None
            _populate_page(file.page, self.config, plugin.files)
        for file in edited:
            assert file.page is not None
            is_draft = file.inclusion is InclusionLevel.EXCLUDED
            _build_page(file.page, self.config, documents, plugin.nav, plugin.env, excluded=is_draft)
