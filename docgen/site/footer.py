"""The end of every page: what the site was built from, and where to report a mistake or correct a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from html import escape
from urllib.parse import quote, urlencode, urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page as SitePage
from mkdocs.utils import get_build_date

from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.site.mkdocs_config import is_builtin
from wirebook.specs.kafka.origins import REPOSITORY, release_commit
from wirebook.specs.kafka.text_lines import text_lines
from wirebook.specs.printable import visible

_WEB = re.compile(r"https?://")
_API = re.compile(r"api/([^/]+)/(?:v(\d+)/)?")
_FLOW = re.compile(r"flows/([^/]+)/")
# The files of the pages that are about Kafka's protocol as a whole.
_TABLES = {"kips/": "kips.json", "levels/": "api_versions.json", "errors/": "errors.json"}
_KAFKAS = (
    "Apache, Apache Kafka and Kafka are trademarks of The Apache Software Foundation, which does not endorse "
    "this site."
)


@dataclass(frozen=True)
class Footer:
    """The footer of the pages of a site.

    `issues` is the address of a new issue; "" for one in the repository that `repo_url` names.
    """

    book: Book
    config: MkDocsConfig
    issues: str = ""

    def html(self, page: SitePage, generated: Page | None) -> str:
        """The footer of a page; `generated` is the page if it is not written by hand."""
        links = [
            f'<a class="wb-{kind}" href="{escape(address)}">{words}</a>'
            for kind, words, address in (
                ("report", "Report a mistake on this page", self._report(page, generated)),
                ("edit", "Edit this text", self._text(page, generated)),
            )
            if address
        ]
        lines = [self._built, *([" &middot; ".join(links)] if links else []), *self._trademark]
        return f'<footer class="wb-foot">{"".join(f"<p>{line}</p>" for line in lines)}</footer>'

    @cached_property
    def _built(self) -> str:
        tool = self.book.catalog.manifest.tool
        words = f"Built on {get_build_date()} by {tool.name} {tool.version} from {self._sources}."
        return escape(visible(words + self._compared))

    @property
    def _sources(self) -> str:
        """What the catalog was made from: releases, and the commit of the newest."""
        snapshots = self.book.snapshots
        if not snapshots:
            return "no specs"
        first, last = snapshots[0], snapshots[-1]
        commit = f" (commit {last.commit[:12]})" if last.commit else ""
        names = first.name if first is last else f"{first.name} to {last.name}"
        words = names
        if last.kind == "release":
            words = f"the {'release' if first is last else 'releases'} {names}"
        if self.book.has_embedded and not last.commit:
            words = f"its own specs of {words}"
        return f"{words}{commit}"

    @property
    def _compared(self) -> str:
        """The newest release that the descriptions were compared with; "" if there are none of ours."""
        verified = next((each.verified for each in self.book.documents if each.verified), "")
        if not verified:
            return ""
        whose = "" if self.book.has_embedded else " of Apache Kafka"
        commit = f" (commit {release_commit(verified)[:12]})"
        return f" The descriptions were compared with release {verified}{whose}{commit}."

    @property
    def _trademark(self) -> tuple[str, ...]:
        return (_KAFKAS,) if self.book.has_embedded else ()

    @cached_property
    def _root(self) -> str:
        """The address of the repository of the site; "" for none, and for that of Apache Kafka.

        Kafka's repository has neither these texts nor issues.
        """
        root = str(self.config.repo_url or "").removesuffix("/").removesuffix(".git")
        return "" if root == REPOSITORY or not _WEB.match(root) else root

    def _report(self, page: SitePage, generated: Page | None) -> str:
        """The address of a new issue about a page; a script adds the version and field of its anchor."""
        is_gitlab = "gitlab" in urlsplit(self._root).netloc
        own = f"{self._root}{'/-' if is_gitlab else ''}/issues/new" if self._root else ""
        address = self.issues or own
        if not address:
            return ""
        api, version = self._subject(generated)
        url = page.canonical_url or page.url or "/"
        lines = [f"Page: {url}"]
        if api:
            lines += [f"API: {api}", f"Version: {version}", "Field: "]
        title = f"Mistake on the page {page.title}"
        body = "\n".join((*lines, "", "What is wrong, and how to see that:", ""))
        keys = ("issue[title]", "issue[description]") if "/-/issues/" in address else ("title", "body")
        mark = "&" if "?" in address else "?"
        return f"{address}{mark}{urlencode(dict(zip(keys, (title, body), strict=True)), quote_via=quote)}"

    def _subject(self, generated: Page | None) -> tuple[str, str]:
        """The API of a page and its version; "" for those of none."""
        match = _API.match(generated.path) if generated is not None else None
        if match is None:
            return "", ""
        return self._apis.get(match[1], ""), match[2] or ""

    @cached_property
    def _apis(self) -> dict[str, str]:
        return {row.slug: row.api for row in self.book.index}

    def _text(self, page: SitePage, generated: Page | None) -> str:
        """The address of the text of a page in the repository; "" if it has none."""
        if generated is None:
            if is_builtin(self.config.config_file_path):
                return f"{self._root}/blob/HEAD/site_src/{page.file.src_uri}" if self._root else ""
            return str(page.edit_url or "")
        place = self._kafkas(generated) if self.book.has_embedded else self._spec(generated)
        return f"{self._root}/blob/HEAD/{place}" if self._root and place else ""

    def _kafkas(self, page: Page) -> str:
        """The file with the texts of a page about Kafka's protocol, and its line."""
        api, _ = self._subject(page)
        lines = text_lines(api) if api else None
        if lines is not None:
            return f"specs/kafka/texts/{api}.json#L{lines.purpose}"
        if flow := _FLOW.fullmatch(page.path):
            return f"specs/kafka/flows/{flow[1]}.json"
        folder = next((folder for folder in _TABLES if page.path.startswith(folder)), "")
        return f"specs/kafka/{_TABLES[folder]}" if folder else ""

    def _spec(self, page: Page) -> str:
        """The newest spec of the API of a page, and its line."""
        api, _ = self._subject(page)
        for document in self.book.documents if api else ():
            if document.api == api:
                versions = [each for message in document.messages for each in message.versions.values()]
                origins = [each.origin for each in versions if each.origin.snapshot in self.book.sources.tags]
                return f"{quote(origins[0].path)}#L{origins[0].line}" if origins else ""
        return ""
