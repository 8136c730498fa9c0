"""Sites built once for all tests that look at one: of our own specs, and of a source that means
harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from tests.repositories import FOLDER, Repo
from tests.shared import built_once, is_shared
from tests.support import ROOT

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}{% raw %}</textarea>\"'><img src=x onerror=alert(2)>\u202eevil\x1b[31m"
WORD = "W" * 5000


# What git takes for a name of a tag.
TAGS = (
    "1.0.0",
    "1.1.0+</title><script>alert(4)</script>",
    '1.2.0+"><img/src=x/onerror=alert(5)>',
    "1.3.0+'onmouseover='alert(6)'&lt;img/src=x&gt;",
)


def hostile_spec(*, names: bool = True) -> dict[str, Any]:
    """A spec whose every text tries to get out of a page; with `names`, also those that a build
    refuses."""
    odd = HOSTILE if names else ""
    return {
        "apiKey": 900,
        "type": "request",
        "listeners": ["broker", HOSTILE],
        "name": "HarmRequest",
        "validVersions": "0-1",
        "flexibleVersions": "1+",
        "unheard" + HOSTILE: HOSTILE,
        "fields": [
            {"name": "Field" + odd, "type": "string", "versions": "0+", "about": HOSTILE + " " + WORD},
            {"name": WORD, "type": "int32", "versions": "0+", "about": "_i_ *x* [a](javascript:alert(3))"},
            {"name": "Text", "type": "string", "versions": "0+", "default": HOSTILE, "about": "&lt;b&gt;",
             "entityType": HOSTILE},
            {"name": "Text-" if names else "text", "type": "int8", "versions": "0+",
             "about": "an anchor like its neighbour's"},
            {"name": "List", "type": "[]S" + odd, "versions": "0+", "about": HOSTILE, "fields": [
                {"name": "In", "type": "int8", "versions": "1+", "taggedVersions": "1+", "tag": 0,
                 "about": HOSTILE}]},
        ],
    }  # fmt: skip


WIREBOOK, WITHOUT_SPARK = "wirebook.cli.main", "tests.docgen.without_spark"


def run(
    *arguments: str, program: str = WIREBOOK, **environment: str
) -> subprocess.CompletedProcess[str]:
    """`wirebook …` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


# The day that built pages name.
BUILT = {"SOURCE_DATE_EPOCH": "1600000000"}


@cache
def own_site() -> Path:
    """The default site, which all processes of a run share; its catalog lies beside it, in
    `catalog`.

    Spark would make the same catalog in twice the processor time:
    tests/docgen/pipeline/test_pipeline.py.
    """
    return built_once("own-site", _build_own_site) / "site"


def _build_own_site(folder: Path) -> None:
    done = run(
        "build", "--site-dir", str(folder / "site"), "--catalog", str(folder / "catalog"),
        program=WITHOUT_SPARK, **BUILT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"The site is in {folder / 'site'}" in done.stdout


def _hostile_text(fields: int) -> str:
    """The hostile spec with its first fields, and comments that are hostile, too."""
    spec = hostile_spec(names=False)
    comment = HOSTILE.replace("\x1b", "")
    text = json.dumps(spec | {"fields": spec["fields"][:fields]}, indent=1)
    return f"// {comment}\n" + text.replace(
        '"validVersions"', f'// Version 1 {comment}\n "validVersions"', 1
    )


@cache
def hostile_site() -> Path:
    """The site of a foreign source and its releases, with hostile specs, comments and tags."""
    return built_once("hostile-site", _build_hostile_site) / "site"


def _build_hostile_site(folder: Path) -> None:
    source = folder / "source"
    source.mkdir()
    (source / "HarmRequest.json").write_text(_hostile_text(5))
    response = {
        "apiKey": 900,
        "type": "response",
        "name": "HarmResponse",
        "validVersions": "0-1",
        "flexibleVersions": "1+",
    }
    (source / "HarmResponse.json").write_text(json.dumps(response | {"fields": []}))
    history = Repo(folder / "history")
    for number, tag in enumerate(TAGS):
        history.write(f"{FOLDER}/HarmRequest.json", _hostile_text(2 + number))
        history.write(f"{FOLDER}/HarmResponse.json", (source / "HarmResponse.json").read_text())
        history.commit(f"Release {number}")
        history.git("tag", tag)
    done = run(
        "build", str(source), "--history", str(history.folder), "--releases", "*",
        "--site-dir", str(folder / "site"), "--catalog", str(folder / "catalog"), program=WITHOUT_SPARK,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


class PageReader(HTMLParser):
    """What a test asks of a page: ids, links, headings, what it loads, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "a" and values.get("href") is not None:
            self.links.append(str(values["href"]))
        for name in ("src", "data", "poster"):
            if values.get(name):
                self.loads.append(str(values[name]))
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loads.append(str(values.get("href")))
        self.handlers += [name for name in values if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts.append(data)
        self.words.append(data)


def page_files(site: Path) -> dict[str, Path]:
    """The files of the pages of a site by their addresses."""
    return {
        path.relative_to(site).as_posix().removesuffix("index.html"): path
        for path in sorted(site.rglob("*.html"))
    }


class Pages(Mapping[str, PageReader]):
    """The pages of a site by their address from the root ("api/fetch/"), each read when it is asked
    for."""

    def __init__(self, site: Path) -> None:
        self._site = site
        self._paths = page_files(site)
        self._pages: dict[str, PageReader] = {}

    def __getitem__(self, address: str) -> PageReader:
        if address not in self._pages:
            self._pages[address] = PageReader(self._paths[address].read_text(encoding="utf-8"))
        return self._pages[address]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, address: object) -> bool:
        return address in self._paths


@cache
def _pages_once(site: Path) -> Pages:
    return Pages(site)


def read_pages(site: Path) -> Mapping[str, PageReader]:
    """The pages of a site; those of a site that tests share are read once in a process."""
    return _pages_once(site) if is_shared(site) else Pages(site)


def target(page: str, link: str) -> tuple[str, str] | None:
    """The (address, fragment) a link leads to inside the site; None for one that leads out of
    it."""
    parts = urlsplit(urljoin(f"http://site/{page}", link))
    if parts.netloc != "site" or parts.scheme != "http":
        return None
    return unquote(parts.path.lstrip("/")), unquote(parts.fragment)


def broken_links(site: Path) -> list[tuple[str, str]]:
    """Every (page, link) of a site that leads to a page, a file or an anchor which the site does
    not have.

    What a page loads, such as its scripts, is a link of it, too.
    """
    pages = read_pages(site)
    broken = []
    for address, page in pages.items():
        # Material's page for lost visitors is the only one with links from the root.
        for link in (*page.links, *page.loads) if address != "404.html" else ():
            found = target(address, link)
            if found is None:
                continue
            path, fragment = found
            there = pages.get(path.removesuffix("index.html"))
            lost = there is None and not (site / path).is_file()
            anchor = "" if "=" in fragment else fragment  # one with "=" holds what was chosen there
            if lost or (anchor and there is not None and anchor not in there.ids):
                broken.append((address, link))
    return broken
