"""Builds the site with Zensical in place of MkDocs, as a trial: the same pages in other shells.

Material for MkDocs ends in May 2027. What the site shows is finished HTML, so another generator only has to
make the page around it: for each generated page, Zensical gets a stub with title and headings, and the HTML
takes the place of the stub afterwards. Exit 0 if every page and link of the site is there, and the typed
search finds every page; 1 with a list of what is not. Zensical's own search has only the headings of
generated pages.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from wirebook.docgen.render.book import Book
from wirebook.docgen.render.kit.dashes import with_dashes
from wirebook.docgen.render.kit.folders import RELEASES
from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.front_matter import front_matter, theme_text
from wirebook.docgen.site.mkdocs_config import HOME, builtin_config, read_settings
from wirebook.docgen.site.navigation import SNAPSHOTS, MenuItem, resolved
from wirebook.docgen.site.plugin import ASSETS, SEARCH, THEMES, mark
from wirebook.docgen.site.search_index import BYTES, DATA, Written, write_search
from wirebook.docgen.site.sidebar import Sidebar

START, END, SIDEBAR = "wirebook-page-starts", "wirebook-page-ends", "wirebook-sidebar-here"
# Between the paragraphs that hold the marks.
_STUB = re.compile(rf"<p>{START}</p>.*?<p>{END}</p>", re.DOTALL)
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_SITE = "http://site/"
_ARTICLE = re.compile(r"<article\b.*?</article>", re.DOTALL)
_HEADING = re.compile(
    r'<h(?P<level>[12]) id="(?P<id>[^"]*)"[^>]*>(?P<title>.*?)(?:<a class="headerlink"[^>]*>.*?</a>)?</h',
    re.DOTALL,
)


class _Links(HTMLParser):
    """The links of a page and the ids of its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the id and the address."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.links.append(value)


def main(catalog: Path, zensical: str, out: Path) -> int:
    """Build the site of a catalog into `out` with the program `zensical`; the exit code."""
    book = Book.of(catalog)
    pages = {page.path: page for page in book.pages()}
    with tempfile.TemporaryDirectory(prefix="wirebook-zensical-") as folder:
        work = Path(folder)
        inserts = book.inserts()
        urls = _write_sources(work / "docs", book, pages, inserts)
        settings = _write_settings(work, book, pages)
        subprocess.run([zensical, "build", "-f", str(work / "mkdocs.yml")], check=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(work / "site", out)
        titles = _titles(work / "docs")
    addresses = Addresses(urls)
    slugs = {row.slug: urls[f"api/{row.slug}/"] for row in book.index}
    menu = tuple(_menu(settings["nav"], titles))
    sidebar = Sidebar.of(menu, book.index, "api/", slugs)
    for path in out.rglob("*.html"):
        _fill(path, out, pages, inserts, addresses, sidebar)
    texts = book.found(with_fields=True)
    write_search(out, "", book.typed_index(), texts, pages.values(), _written(out, pages), addresses)
    problems = sorted(_problems(out, pages))
    print(f"{len(pages)} generated pages, {len(titles) - len(pages)} written pages, {len(problems)} problems")
    for problem in problems[:50]:
        print(f"  {problem}")
    return 1 if problems else 0


def _write_sources(
    docs: Path, book: Book, pages: Mapping[str, Page], inserts: Iterable[str]
) -> dict[str, str]:
    """Fill the folder of the sources; the URL of each page and file by its address."""
    shutil.copytree(HOME / "site_src", docs)
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        for name in inserts:
            text = mark(name).sub(_place(name), text)
        path.write_text(text, encoding="utf-8")
    for page in pages.values():
        _write(docs / page.path / "index.md", _stub(page))
    for asset in ASSETS.iterdir():
        _copy(asset, docs / "assets" / asset.name)
    for place, content in book.downloads():
        _write(docs / place, content)
    urls = {}
    for path in docs.rglob("*"):
        if path.is_file():
            place = path.relative_to(docs).as_posix()
            place = _address(place) if path.suffix == ".md" else place
            urls[place] = place or "./"
    return urls


def _stub(page: Page) -> str:
    """A page with the title and the headings of another, between marks."""
    headings = [f"{'#' * item.level} {theme_text(item.title)} {{: #{item.id} }}" for item in page.headings]
    parts = [START, f"# {theme_text(page.title)}", *headings, END]
    return front_matter(page, tagged=False, sidebar=True) + "\n" + "\n\n".join(parts) + "\n"


def _place(name: str) -> str:
    return f'<div class="wb-insert" data-name="{name}"></div>'


def _write_settings(work: Path, book: Book, pages: Collection[str]) -> Mapping[str, Any]:
    """Write mkdocs.yml and the templates, as Zensical reads them; the settings."""
    raw = dict(read_settings(builtin_config().file))
    theme = work / "theme"
    shutil.copytree(HOME / raw["theme"]["custom_dir"], theme)
    menu = theme / "partials" / "nav.html"
    menu.write_text(
        menu.read_text(encoding="utf-8").replace("{{ wirebook_sidebar }}", SIDEBAR), encoding="utf-8"
    )
    main = theme / "main.html"
    # The rest of the template puts our search into the header of Material, which is not Zensical's.
    main.write_text(main.read_text(encoding="utf-8").partition("{#")[0], encoding="utf-8")
    raw |= {"docs_dir": "docs", "site_dir": "site", "strict": False}
    raw["theme"] = {**raw["theme"], "custom_dir": "theme", "variant": "classic"}
    raw["plugins"] = ["search"]
    raw["extra_css"] = [
        *raw["extra_css"],
        *(f"assets/{name}" for name in ("wirebook.css", *THEMES["material"])),
    ]
    raw["extra_javascript"] = ["assets/wirebook.js", f"assets/{SEARCH[0]}"]
    raw["nav"] = resolved(raw["nav"], SNAPSHOTS, f"{RELEASES}index.md")
    # JSON is YAML.
    (work / "mkdocs.yml").write_text(json.dumps(raw), encoding="utf-8")
    return raw


def _titles(docs: Path) -> dict[str, str]:
    titles = {}
    for path in docs.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        found = _TITLE.search(text)
        if text.startswith("---\n{"):
            title = json.loads(text.split("\n", 2)[1])["title"]
        else:
            title = found[1] if found else path.stem
        titles[path.relative_to(docs).as_posix()] = title
    return titles


def _menu(nav: Iterable[Any], titles: Mapping[str, str]) -> Iterator[MenuItem]:
    for item in nav:
        title, value = next(iter(item.items())) if isinstance(item, dict) else (titles.get(item, item), item)
        if isinstance(value, list):
            yield MenuItem(title, None, tuple(_menu(value, titles)))
        else:
            yield MenuItem(
                title, value.removesuffix("index.md") if value.endswith("index.md") else f"{value[:-3]}/"
            )


def _address(source: str) -> str:
    """The address of the page that is made from a source: "api/" of api/index.md, "bytes/" of bytes.md."""
    folder, _, name = source.rpartition("index.md")
    return folder if not name and source.endswith("index.md") else f"{source.removesuffix('.md')}/"


def _fill(
    path: Path, out: Path, pages: Mapping[str, Page], inserts: Mapping[str, str],
    addresses: Addresses, sidebar: Sidebar,
) -> None:  # fmt: skip
    """Put the HTML of a generated page in the place of its stub, and data into a written page."""
    place = path.relative_to(out).as_posix().removesuffix("index.html")
    html = path.read_text(encoding="utf-8")
    page = pages.get(place)
    if page is not None:
        fitted = f'<div class="wb-page">\n{addresses.fit(page.html, page.path, place)}\n</div>'
        html = _STUB.sub(lambda _: with_dashes(fitted), html)
    for name, text in inserts.items():
        if _place(name) in html:
            fitted = addresses.fit(text, "" if name in ("home", "front") else "page/", place)
            html = html.replace(_place(name), f'<div class="wb-page">{with_dashes(fitted)}</div>')
    html = html.replace(SIDEBAR, sidebar.on(place, "../" * place.count("/")))
    path.write_text(html, encoding="utf-8")


def _written(out: Path, pages: Collection[str]) -> Iterator[Written]:
    """The hand-written pages of a site, as Zensical wrote them."""
    for path in sorted(out.rglob("index.html")):
        place = path.relative_to(out).as_posix().removesuffix("index.html")
        article = _ARTICLE.search(path.read_text(encoding="utf-8"))
        if place in pages or article is None:
            continue
        levels: dict[str, list[tuple[str, str]]] = {"1": [], "2": []}
        for heading in _HEADING.finditer(article[0]):
            levels[heading["level"]].append((heading["title"], heading["id"]))
        title = levels["1"][0][0] if levels["1"] else place
        yield Written(place, title, article[0], tuple(levels["2"]))


def _problems(out: Path, pages: Mapping[str, Page]) -> Iterator[str]:
    """What is missing in a site: pages, their HTML, the sidebar, and what links lead to."""
    parsed: dict[str, _Links] = {}
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        page = path.relative_to(out).as_posix().removesuffix("index.html")
        parsed[page] = _Links(text)
        for left in (START, END, SIDEBAR, '<div class="wb-insert"'):
            if left in text:
                yield f"{page}: {left} is left"
        if "Content-Security-Policy" not in text:
            yield f"{page}: no Content-Security-Policy"
    for page in pages:
        if page not in parsed:
            yield f"{page}: is missing"
    yield from _problems_of_the_finder(out, parsed.keys())
    yield from _broken_links(out, parsed)


def _problems_of_the_finder(out: Path, pages: Set[str]) -> Iterator[str]:
    """Pages that the data of the finder lacks, and pages in it that do not exist."""
    script = (out / DATA).read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("wirebookFinder.take(").removesuffix(");\n"))
    listed = {row[2] for row in index["things"]} | {row[1] for row in index["snapshots"]}
    listed |= {api["page"] for api in index["apis"]}
    for page in listed - pages:
        yield f"{DATA}: leads to {page}, which is not there"
    for page in pages - listed - {"404.html"}:
        if not BYTES.fullmatch(page):
            yield f"{DATA}: does not find {page}"


def _broken_links(out: Path, parsed: Mapping[str, _Links]) -> Iterator[str]:
    """Links within a site that lead nowhere, each with the first page that has it."""
    missing: Counter[str] = Counter()
    first: dict[str, str] = {}
    for page, content in parsed.items():
        for link in content.links if page != "404.html" else ():
            address, anchor = urldefrag(urljoin(_SITE + page, link))
            if not address.startswith(_SITE):
                continue
            target = unquote(address.removeprefix(_SITE).partition("?")[0])
            if target in parsed:
                # An anchor with "=" is what a reader has chosen, for a script.
                exists = not anchor or "=" in anchor or unquote(anchor) in parsed[target].ids
            else:
                exists = (out / target).is_file()
            if not exists:
                missing[f"{target}#{anchor}"] += 1
                first.setdefault(f"{target}#{anchor}", page)
    for target, count in missing.items():
        yield f"{first[target]}: links to {target}, which is not there ({count} pages)"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: zensical_trial.py CATALOG ZENSICAL OUT")
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
