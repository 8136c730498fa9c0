"""The built site: links, anchors, ids, sizes, what it loads, and that text of a spec stays text."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from tests.docgen.sites import (
    HOSTILE,
    WITHOUT_SPARK,
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
from wirebook.docgen.render.book import Book
from wirebook.docgen.render.bytes import types
from wirebook.docgen.render.kit.dashes import with_dashes
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


def test_ids_are_valid_and_unique_and_there_is_one_h1(site: Path) -> None:
    for address, page in read_pages(site).items():
        twice = {item for item in page.ids if page.ids.count(item) > 1}
        assert twice == set(), address
        assert all(re.fullmatch(r"[A-Za-z_][\w.:-]*", item) for item in page.ids), address
        assert page.tags.count("h1") == 1, address


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for address, page in read_pages(site).items():
        outside = [
            load for load in page.loads if target(address, load) is None and not load.startswith("data:")
        ]
        assert outside == [], address
    for path in [*site.rglob("assets/wirebook.*")]:
        assert "http" not in path.read_text(encoding="utf-8")


@pytest.mark.long
def test_ranges_of_versions_have_an_en_dash_on_every_page() -> None:
    """Those of written pages, too, outside code; the plugin replaces those of generated pages."""
    texts = {path: path.read_text(encoding="utf-8") for path in own_site().rglob("*.html")}
    assert [path for path, html in texts.items() if with_dashes(html) != html] == []
    page = own_site() / "api" / "fetch"
    assert "versions 4–18" in texts[page / "index.html"]
    assert "versions 4-18" not in texts[page / "index.html"]


def test_sizes_stay_within_their_budgets(site: Path) -> None:
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*.html")}
    # Every field of every API, with its releases: a tenth of that when compressed.
    assert sizes.pop("fields/index.html") <= 370_000
    largest = max(sizes, key=lambda path: sizes[path])
    assert sizes[largest] <= 330_000, largest


def test_the_largest_api_is_a_page_of_at_most_200_kb() -> None:
    sizes = {path: path.stat().st_size for path in (own_site() / "api").glob("*/index.html")}
    largest = max(sizes, key=lambda path: sizes[path])
    assert largest.parent.name == "fetch"
    assert sizes[largest] <= 200_000


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


def test_tags_and_texts_reach_no_page_as_markup() -> None:
    site = hostile_site()
    pages = read_pages(site)
    assert sum(page.startswith("releases/1.") for page in pages) == 4
    for address, page in pages.items():
        assert page.handlers == [], address
        assert "img" not in page.tags, address
        assert not any("alert" in word for word in page.scripts), address
    heads = [(site / page / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
             for page in pages if page.startswith("releases/1")]  # fmt: skip
    assert any("<title>Release 1.1.0+\u2039/title\u203a" in head for head in heads)
    assert any("with 1.2.0+\u201d\u203a\u2039img/src" in head for head in heads)


def test_a_mark_within_a_line_is_an_example() -> None:
    assert "<!-- wirebook: home -->" in " ".join(read_pages(own_site())["profile/"].words)


def test_every_page_has_the_policy_and_needs_no_exception_from_it(site: Path) -> None:
    """The policy that is documented as a header is that of the pages, with what a <meta> cannot say."""
    text = (ROOT / "site_src" / "publishing.md").read_text(encoding="utf-8")
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
            r'<script(?! (?:id="__config" type="application/json"|type="application/json"|src="))', page
        )
        assert not re.search(r"<style|<[^>]* style=", page)


def test_a_page_of_the_site_shows_deprecated_versions_as_deprecated() -> None:
    text = (own_site() / "api" / "join-group" / "index.html").read_text(encoding="utf-8")
    painted = re.findall(r'<rect class="(\w+)"[^>]*><title>version (\d+): (\w+), ', text)
    assert {(kind, version) for kind, version, _ in painted if kind != "current"} == {
        ("deprecated", "0"),
        ("deprecated", "1"),
    }
    assert all(kind == state for kind, _, state in painted)


def test_anchors_are_the_promised_ones() -> None:
    pages = read_pages(own_site())
    fetch = set(pages["api/fetch/"].ids)
    assert {
        "versions",
        "v12",
        "v12-topics-partitions",
        "v12-response-responses-partitions",
        "v0-topics",
    } <= fetch
    assert {
        "v12-request",
        "v12-response",
        "v12-tags",
        "v12-clusterid",
        "v18-topics-partitions-highwatermark",
    } <= fetch
    for version in range(19):
        assert {f"v{version}", f"v{version}-request", f"v{version}-response"} <= fetch


def test_every_flexible_struct_shows_its_tagged_section() -> None:
    raw = (own_site() / "api/fetch/index.html").read_text(encoding="utf-8")
    section = raw[raw.index('id="v12-request"') : raw.index('id="v12-response"')]
    assert section.count('class="wb-tags') == 4
    # The tagged section, then its only field with its tag.
    assert re.search(
        r"tagged fields<td>TAG_BUFFER<td><td><td>\s*<tr[^>]*><th>ClusterId<td>[^\n]*?<td>0\s*<", section
    )


@pytest.mark.long
def test_every_wire_type_on_a_page_is_explained() -> None:
    used: set[str] = set()

    def visit(fields: list[dict[str, object]]) -> None:
        for field in fields:
            used.add(str(field["type"]))
            if field.get("element"):
                used.add(str(field["element"]))
            inner = field["fields"]
            if isinstance(inner, list):
                visit(inner)

    for path in (own_site().parent / "catalog" / "api").glob("*.json"):
        for message in json.loads(path.read_text(encoding="utf-8"))["messages"]:
            for version in message["versions"].values():
                visit(version["layout"]["fields"])
    assert used
    assert used <= types.known()


def test_lifecycles_are_told() -> None:
    pages = read_pages(own_site())
    fetch = " ".join("".join(pages["api/fetch/"].words).split())
    assert "deprecated since 3.7" in fetch
    assert "removed in 4.0" in fetch
    assert "removed in 4.0 (" not in fetch, "a removal is a fact of a release"
    assert "added in 2.7 (2.7-IV1)" in fetch
    level = " ".join("".join(pages["releases/4.0/"].words).split())
    assert "Release 4.0" in level


def test_fields_that_joined_a_version_late_say_so() -> None:
    catalog = own_site().parent / "catalog" / "api"
    since = {}
    for api, kind in (("api-versions", "response"), ("fetch", "response")):
        document = json.loads((catalog / f"{api}.json").read_text(encoding="utf-8"))
        message = next(item for item in document["messages"] if item["type"] == kind)
        for field in message["fields"]:
            since[field["path"]] = {
                event["since"]["release"] for event in field["events"] if event["event"] != "ended"
            }
    assert since["ZkMigrationReady"] == {"3.4"}
    assert since["FinalizedFeatures.Name"] == {"2.7"}
    assert since["Responses.Partitions.SnapshotId.Epoch"] == {"2.8"}
    assert since["Responses.Partitions.DivergingEpoch"] == {"2.7"}


def test_downloads_are_there_and_say_the_same() -> None:
    site = own_site()
    with open(site / "data" / "matrix.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    fetch = next(row for row in rows if row[1] == "Fetch")
    assert fetch[rows[0].index("3.9")] == "0-17"
    assert fetch[rows[0].index("4.0")] == "4-17"
    document = json.loads((site / "data" / "api" / "fetch.json").read_text(encoding="utf-8"))
    assert document["schema"] == "wirebook/api/1"


def test_a_version_has_what_its_request_and_its_response_changed() -> None:
    page = " ".join(" ".join(read_pages(own_site())["api/join-group/"].words).split())
    document = json.loads((own_site() / "data" / "api" / "join-group.json").read_text(encoding="utf-8"))
    about = {item["version"]: item["about"] for item in document["versions"]}
    assert "The response now includes ThrottleTimeMs" in about[2]
    assert "The response now includes ThrottleTimeMs" in page
    assert "SkipAssignment" in about[9]


def test_the_full_text_has_an_entry_for_each_version_and_error() -> None:
    entries = Book.of(own_site().parent / "catalog").found(with_fields=False)
    found = {entry["location"]: entry for entry in entries}
    assert len(found) == len(entries)
    assert found["api/fetch/"]["text"].startswith("API key 1. ")
    assert found["api/fetch/#v12"]["title"] == "Fetch 12"
    assert found["api/fetch/#v3"]["text"].startswith("v3: added in 0.10.1")
    assert found["errors/#unsupported-version"]["title"] == "Error 35: UNSUPPORTED_VERSION"
    assert "NOT_LEADER_FOR_PARTITION" in found["errors/#not-leader-or-follower"]["text"]
    assert found["api/fetch/#use"]["title"] == "How to use Fetch"
    assert "leader" in found["api/fetch/#use"]["text"]
    assert found["api/fetch/#pitfalls"]["title"] == "Pitfalls of Fetch"
    # Fields are found by their names.
    assert not any(re.search(r"#v\d+-", location) for location in found)


def test_the_search_holds_a_hostile_text_as_text() -> None:
    data = (hostile_site() / "assets" / "search-data.js").read_text(encoding="utf-8")
    assert "\u202e" not in data
    assert "\\\\u202e" in data
    assert not (hostile_site() / "search" / "search_index.json").exists()


def test_every_page_has_a_link_that_skips_the_header() -> None:
    for path in own_site().rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert html.count('<a href="#wb-content" class="md-skip">Skip to content</a>') == 1, path
        assert html.count(' id="wb-content"') == 1, path


def test_without_scripts_every_page_names_what_replaces_the_search() -> None:
    for page in ("index.html", "api/fetch/index.html", "errors/index.html", "check/index.html"):
        html = (own_site() / page).read_text(encoding="utf-8")
        assert "<noscript>" in html
        assert "The search needs JavaScript." in html


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


def test_a_build_that_is_killed_leaves_the_last_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with replaced(site, SITE) as folder:
        (folder / "index.html").write_text("the last good one")
    pid = os.fork()
    if pid == 0:
        import wirebook.docgen.site.build as module

        module._mkdocs = lambda *_: os._exit(9)
        build(own_site().parent / "catalog", site)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert (site / "index.html").read_text() == "the last good one"


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    done = run("build", "--site-dir", str(file / "site"), "--catalog", str(tmp_path / "catalog"))
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("wirebook: ")


def test_history_and_releases_belong_together() -> None:
    done = run("build", "kafka", "--releases", "*")
    assert done.returncode == 2
    assert "must be given together" in done.stderr


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
    (source / "profile.toml").write_text('name = "harm"\n[site]\nguides = ["guide"]\n')
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
    for path in (guide, tmp_path / "A.json", tmp_path / "profile.toml"):
        path.write_text("x")
    watched = Watched(tmp_path, [guide.parent], lambda: done.append("rebuilt"))
    watched.refresh()
    assert done == []
    for path in (guide, tmp_path / "A.json", tmp_path / "profile.toml"):
        os.utime(path, (1, 1))
        watched.refresh()
        watched.refresh()
        assert done.pop() == "rebuilt"
        assert done == []


def _eventually(address: str, words: str) -> str:
    """The text of a page once it holds the words; the last text it had when ten minutes are over."""
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


@pytest.mark.long
def test_two_builds_in_one_folder_do_not_mix(tmp_path: Path) -> None:
    """The same default folders, at the same time: both end well, and what is left is of one of them."""
    names = ("Alpha", "Beta")
    for name in names:
        (tmp_path / name).mkdir()
        for number, kind in enumerate(("request", "response")):
            spec = {"apiKey": 900, "type": kind, "name": f"{name}{kind.capitalize()}", "validVersions": "0",
                    "flexibleVersions": "none", "fields": []}  # fmt: skip
            spec |= {} if number else {"listeners": ["broker"]}
            (tmp_path / name / f"{spec['name']}.json").write_text(json.dumps(spec))
    running = [
        subprocess.Popen(
            [sys.executable, "-m", WITHOUT_SPARK, "build", name],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        for name in names
    ]
    errors = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0, 0], errors
    pages = [path.name for path in (tmp_path / "site" / "api").iterdir() if path.is_dir()]
    assert pages in (["alpha"], ["beta"])
    documents = [path.stem for path in (tmp_path / "build" / "catalog" / "api").iterdir()]
    assert documents == pages
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Alpha", "Beta", "build", "site"]
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["catalog"]


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_build_that_is_stopped_leaves_nothing_and_no_traceback(number: int, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "wirebook.cli.main", "build", "kafka"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Tests that a shell runs in the background ignore Ctrl-C, and so would the build.
        preexec_fn=partial(signal.signal, number, signal.SIG_DFL),
    ) as building:
        while not list(tmp_path.glob("build/catalog/.wirebook-*")):
            assert building.poll() is None
            time.sleep(0.05)
        time.sleep(1)
        building.send_signal(number)
        out, error = building.communicate(timeout=300)
    assert (building.returncode, out) == (128 + number, "")
    assert error == "wirebook: stopped\n"
    assert [path for path in tmp_path.rglob("*") if path.name != "build"] == []


def test_an_output_within_the_other_is_refused_before_the_work(tmp_path: Path) -> None:
    done = run("build", "--site-dir", str(tmp_path), "--catalog", str(tmp_path / "catalog"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the folder of another output" in done.stderr
    assert list(tmp_path.iterdir()) == []
