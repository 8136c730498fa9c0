"""The page of MkDocs for one of ours, which has no Markdown to convert."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page


class GeneratedPage(Page):
    """A page whose content the plugin sets; MkDocs would set up all its Markdown extensions for
    it."""

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Leave the content to `on_page_content`."""
        self.content = ""
