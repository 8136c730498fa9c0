"""The built site: links, anchors, ids, sizes, what it loads, and that text of a spec stays text."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.docgen.sites import (
    HOSTILE,
    WORD,
    PageReader,
    broken_links,
    hostile_site,
    own_site,
    read_pages,
    run,
    target,
)
from tests.support import ROOT, free_port
from wirebook.docgen.site.build import render_site
from wirebook.docgen.site.watch import Watched
from wirebook.specs.output import SITE, replaced
from wirebook.specs.problems import InputError

pytestmark = pytest.mark.xdist_group("site")

SITES = {"own": own_site, "hostile": hostile_site}


# Reading every page of the large one takes a minute.
@pytest.fixture(params=[pytest.param("own", marks=pytest.mark.long), "hostile"], name="site")
def each_site(request: pytest.FixtureRequest) -> Path:
    return SITES[request.param]()


def test_every_link_and_anchor_leads_somewhere(site: Path) -> None:
    assert broken_links(site) == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for address, page in read_pages(site).items():
        outside = [
            load
            for load in page.loads
            if target(address, load) is None and not load.startswith("data:")
        ]
        assert outside == [], address
    for path in [*site.rglob("assets/wirebook.*")]:
        assert "http" not in path.read_text(encoding="utf-8")


def test_sizes_stay_within_their_budgets(site: Path) -> None:
    sizes = {
        path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*.html")
    }
    # Every field of every API, with its releases: a tenth of that when compressed.
    assert sizes.pop("fields/index.html") <= 370_000
    largest = max(sizes, key=lambda path: sizes[path])
    assert sizes[largest] <= 330_000, largest


def test_text_of_a_spec_stays_text() -> None:
    site = hostile_site()
    pages = read_pages(site)
    harm = pages["api/harm/"]
    plain = PageReader((own_site() / "api" / "fetch" / "index.html").read_text(encoding="utf-8"))
    assert harm.tags.count("script") == plain.tags.count("script")
    assert "img" not in harm.tags
    assert not any(name.startswith("on") for page in pages.values() for name in page.handlers)
    text = "".join(harm.words)
    for part in (
        "<script>alert(1)</script>",
        "{{ 7*7 }}",
        "{% raw %}",
        "</textarea>",
        "\\u202eevil",
        "\\u001b[31m",
        WORD,
    ):
        assert part in text
    assert "&lt;b&gt;" in text
    assert "_i_ *x* [a](javascript:alert(3))" in text
    raw = (site / "api/harm/index.html").read_text(encoding="utf-8")
    assert "\u202e" not in raw
    assert "\x1b" not in raw
    assert not any(link.startswith("javascript:") for page in pages.values() for link in page.links)
    assert HOSTILE not in raw
    assert "v1-text" in harm.ids
    assert "v1-text-2" in harm.ids


def test_every_page_has_the_policy_and_needs_no_exception_from_it(site: Path) -> None:
    """The policy that is documented as a header is that of the pages, with what a <meta> cannot
    say."""
    text = (ROOT / "site_src" / "own-site.md").read_text(encoding="utf-8")
    header = re.search(r"Content-Security-Policy: (.*)", text)
    assert header is not None
    policy = header[1].removesuffix("; frame-ancestors 'none'")
    assert policy != header[1]
    assert "unsafe" not in policy
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        head = page.partition("<title>")[0]
        first = re.search("<meta [^>]*>", head)
        assert first is not None
        assert first[0] == f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        assert not re.search(
            r'<script(?! (?:id="__config" type="application/json"|type="application/json"|src="))',
            page,
        )
        assert not re.search(r"<style|<[^>]* style=", page)


def test_anchors_are_the_promised_ones() -> None:
    pages = read_pages(own_site())
    fetch = set(pages["api/fetch/"].ids)
    assert {"versions", "use", "pitfalls", "errors", "v18-topics-partitions-highwatermark"} <= fetch
    assert {f"v{version}" for version in range(19)} <= fetch
    twelve = set(pages["api/fetch/v12/"].ids)
    assert {
        "v12-request",
        "v12-response",
        "v12-tags",
        "v12-clusterid",
        "v12-topics-partitions",
    } <= twelve
    assert {"v12-response-responses-partitions", "errors"} <= twelve
    assert "v0-topics" in pages["api/fetch/v0/"].ids


def test_downloads_are_there_and_say_the_same() -> None:
    site = own_site()
    releases = json.loads((site / "data" / "snapshots.json").read_text(encoding="utf-8"))
    served = {each["name"]: each["apis"]["fetch"]["served"] for each in releases["snapshots"]}
    assert (served["3.9"], served["4.0"]) == ("0-17", "4-17")
    document = json.loads((site / "data" / "api" / "fetch.json").read_text(encoding="utf-8"))
    assert document["schema"] == "wirebook/api/1"


# What cannot be used.


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    done = run("build", "--site-dir", str(tmp_path), "--catalog", str(tmp_path.parent / "catalog"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds other files" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def build(catalog: Path, site: Path) -> None:
    """The site of a catalog in place of the one that is there, as `wirebook build` replaces it."""
    with replaced(site, SITE) as folder:
        render_site(catalog, folder)


def test_no_catalog_no_site_and_the_last_one_stays(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with replaced(site, SITE) as folder:
        (folder / "index.html").write_text("the last good one")
    with pytest.raises(InputError, match="no catalog here"):
        build(tmp_path / "nothing", site)
    assert (site / "index.html").read_text() == "the last good one"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_history_and_releases_belong_together() -> None:
    done = run("build", "kafka", "--releases", "*")
    assert done.returncode == 2
    assert "name it with --history" in done.stderr


@pytest.mark.parametrize("port", [pytest.param(None, marks=pytest.mark.long), "99999"])
def test_a_port_that_cannot_be_used_is_reported_before_any_work(port: str | None) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = port or str(taken.getsockname()[1])
        done = run("serve", "--port", port)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"cannot serve at port {port} (" in done.stderr
    assert "choose another with --port" in done.stderr


@pytest.mark.long
def test_a_served_site_follows_its_specs_and_guides(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(hostile_site().parent / "source", source)
    (source / "wirebook.toml").write_text('name = "harm"\n[site]\nguides = ["guide"]\n')
    guide = source / "guide" / "begin.md"
    guide.parent.mkdir()
    guide.write_text("# Begin\n\nAn old sentence.\n")
    port = free_port()
    command = [sys.executable, "-m", "wirebook.cli.main", "serve", str(source), "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as serving:
        try:
            page = f"http://127.0.0.1:{port}/api/harm/"
            assert "A new word" not in _eventually(page, "HarmRequest")
            spec = source / "HarmResponse.json"
            spec.write_text(spec.read_text().replace('"fields"', '// A new word.\n"fields"'))
            assert "A new word" in _eventually(page, "A new word")
            page = f"http://127.0.0.1:{port}/guide/begin/"
            assert "An old sentence" in _eventually(page, "An old sentence")
            guide.write_text("# Begin\n\nAnother sentence.\n")
            assert "Another sentence" in _eventually(page, "Another sentence")
        finally:
            serving.terminate()


def test_the_catalog_is_rebuilt_once_a_file_has_changed(tmp_path: Path) -> None:
    done: list[str] = []
    guide = tmp_path / "docs" / "begin.md"
    guide.parent.mkdir()
    for path in (guide, tmp_path / "A.json", tmp_path / "wirebook.toml"):
        path.write_text("x")
    watched = Watched(tmp_path, [guide.parent], lambda: done.append("rebuilt"))
    watched.refresh()
    assert done == []
    for path in (guide, tmp_path / "A.json", tmp_path / "wirebook.toml"):
        os.utime(path, (1, 1))
        watched.refresh()
        watched.refresh()
        assert done.pop() == "rebuilt"
        assert done == []


def _eventually(address: str, words: str) -> str:
    """The text of a page once it holds the words; the last text it had when ten minutes are
    over."""
    text = ""
    until = time.monotonic() + 600
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                text = answer.read().decode()
        except OSError:
            text = ""
        if words in text:
            break
        time.sleep(0.5)
    return text
