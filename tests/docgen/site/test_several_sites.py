"""The sites of a repository that holds two protocols: the example, and a small copy of Kafka's specs."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docgen.site.other_protocol import WORDS, build
from tests.docgen.sites import WIREBOOK, broken_links, read_pages
from tests.e2e.browsers import CHROMIUM, browser, opened, served
from tests.e2e.waiting import expect
from tests.examples import OTTER
from tests.live.own_protocols import DEVICES, GATEWAYS, LEVELS, TABLES
from tests.repositories import Repo
from tests.support import ROOT
from wirebook.docgen.catalog.catalog import Catalog
from wirebook.docgen.pipeline.commits import read_history
from wirebook.specs.problems import InputError

pytestmark = pytest.mark.long

__all__ = ["browser"]

CONFIG = """\
[[protocol]]
name = "otter"
paths = ["messages"]

[[protocol]]
name = "kafka"
paths = ["vendor/kafka"]
profile = "kafka"
"""


ERRORS = {
    "schema": "wirebook/errors/1",
    "errors": [
        {"code": 0, "name": "NONE", "retriable": False, "first_release": None, "about": "No error."},
        {
            "code": 4,
            "name": "DEVICE_ASLEEP",
            "retriable": True,
            "first_release": "2.0",
            "about": "The device <sleeps>.",
            "apis": ["OpenSession"],
        },
    ],
}
HEADER = {
    "type": "header",
    "name": "RequestHeader",
    "validVersions": "1-2",
    "flexibleVersions": "2+",
    "fields": [
        {"name": "Magic", "type": "int16", "versions": "0+", "default": "79", "about": "The letter O."},
        {"name": "RequestApiKey", "type": "int16", "versions": "0+", "about": "The API key."},
        {"name": "RequestApiVersion", "type": "int16", "versions": "0+", "about": "The version."},
        {"name": "Sequence", "type": "int64", "versions": "0+", "about": "The number of the request."},
    ],
}


FIELDS = """
[headers.fields]
api_key = "RequestApiKey"
api_version = "RequestApiVersion"
correlation_id = "Sequence"
"""


def both(folder: Path) -> Repo:
    """The repository: the example with tables and a header, and a copy of a few of Kafka's specs."""
    repo = Repo(folder)
    shutil.copytree(OTTER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", "site"))
    repo.write(
        "profile.toml",
        (OTTER / "profile.toml").read_text() + TABLES + 'errors = "tables/errors.json"\n' + FIELDS,
    )
    tables = {"gateways": GATEWAYS, "devices": DEVICES, "levels": LEVELS, "errors": ERRORS}
    for name, table in tables.items():
        repo.write(f"tables/{name}.json", json.dumps(table))
    repo.spec(HEADER, "messages")
    for name in ("ApiVersions", "Heartbeat"):
        for half in ("Request", "Response"):
            spec = ROOT / "specs" / "kafka" / "messages" / f"{name}{half}.json"
            repo.write(f"vendor/kafka/{spec.name}", spec.read_bytes())
    repo.write("wirebook.toml", CONFIG)
    repo.commit("first")
    return repo


@pytest.fixture(scope="module")
def repo() -> Iterator[tuple[Repo, str]]:
    """The repository after a build, and what the build printed."""
    with tempfile.TemporaryDirectory(prefix="wirebook-both-") as folder:
        made = both(Path(folder) / "both")
        done = build(made.folder, program=WIREBOOK)
        assert done.returncode == 0, done.stderr
        yield made, done.stdout + done.stderr


def test_each_protocol_has_a_site_below_a_page_that_lists_them(repo: tuple[Repo, str]) -> None:
    site = repo[0].folder / "site"
    assert sorted(path.name for path in site.iterdir() if path.is_dir()) == ["kafka", "otter"]
    pages = read_pages(site)
    assert pages[""].links == ["kafka/index.html", "otter/index.html"]
    text = " ".join(" ".join(pages[""].words).split())
    assert "Otter protocol How devices send their readings to an Otter gateway. 3 APIs" in text
    assert "2 APIs, newest: 4.3. Otter protocol How devices" in text
    assert "../../../index.html" in pages["otter/api/hello/"].links
    assert "../index.html" in pages["kafka/"].links
    assert [found for found in broken_links(site) if not found[0].endswith("404.html")] == []


def test_each_site_is_about_its_protocol_only(repo: tuple[Repo, str]) -> None:
    site = repo[0].folder / "site"
    assert {path.name for path in (site / "kafka" / "api").iterdir() if path.is_dir()} == {
        "api-versions",
        "heartbeat",
    }
    pages = read_pages(site / "otter")
    named = [path for path, page in pages.items() if WORDS.search(" ".join(page.words))]
    assert [path for path in named if path != "rules/"] == []
    assert "SendReadings" not in (site / "kafka" / "index.html").read_text(encoding="utf-8")


def test_the_tables_of_the_profile_are_pages(repo: tuple[Repo, str]) -> None:
    site = repo[0].folder / "site" / "otter"
    pages = read_pages(site)
    text = " ".join(" ".join(pages["errors/"].words).split())
    assert "4 DEVICE_ ASLEEP yes 2.0 The device <sleeps>. OpenSession" in text
    assert "../api/open-session/" in pages["errors/"].links
    assert "DEVICE_ASLEEP" in "".join(pages["api/open-session/"].words)
    served = " ".join(" ".join(pages["served/"].words).split()).replace("\u2013", "-")
    assert "API pike 2.0 1.0 0 Hello 0-2 0-2 0 1 Open Session 0-3 deprecated: 0 0-1" in served
    assert "API Tiny device 3 0 Hello 0" in served
    assert "served/" in pages[""].links or any("served/" in link for link in pages[""].links)
    published = json.loads((site / "data" / "errors.json").read_text())
    assert published == {"$schema": "../schema/errors/1.json", **ERRORS}
    assert "served/" not in read_pages(repo[0].folder / "site" / "kafka")


def test_bytes_have_the_headers_of_the_protocol(repo: tuple[Repo, str]) -> None:
    site = repo[0].folder / "site"
    found = json.loads((site / "otter" / "api" / "hello" / "vectors.json").read_text())["vectors"]
    first = next(item for item in found if item["id"] == "HelloRequest/2/filled")
    value = {"Magic": 79, "RequestApiKey": 0, "RequestApiVersion": 2, "Sequence": 1}
    assert first["header_value"] == value
    assert first["header"] == "004f" + "0000" + "0002" + "0000000000000001" + "00"
    # The specs have no ResponseHeader, so nothing is known of the bytes before a response.
    assert {item["header"] for item in found if item["type"] == "response"} == {None}
    page = " ".join(read_pages(site / "otter")["api/hello/v2/"].words)
    assert "Magic" in page
    assert "CorrelationId" not in page
    kafka = json.loads((site / "kafka" / "api" / "heartbeat" / "vectors.json").read_text())["vectors"]
    assert all("CorrelationId" in item["header_value"] for item in kafka)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")
def test_pasted_bytes_are_read_with_the_headers_of_the_protocol(repo: tuple[Repo, str], browser: Any) -> None:
    """The API and version that stand behind a field of the protocol's own, and no header of a response."""
    site = repo[0].folder / "site" / "otter"
    found = json.loads((site / "api" / "hello" / "vectors.json").read_text())["vectors"]
    request = next(item for item in found if item["id"] == "HelloRequest/2/filled")
    response = next(item for item in found if item["id"] == "HelloResponse/2/filled")
    whole = request["header"] + request["body"]
    whole = f"{len(whole) // 2:08x}{whole}"
    answer = f"api=hello&message=response&version=2&with=&hex={response['body']}"
    told = {
        f"api=open-session&hex={whole}": (
            "HelloRequest version 2 with its length and header v2, as the header says."
        ),
        answer: "HelloResponse version 2.",
    }
    with served(site) as base, opened(browser, base, 390, "light") as (page, wrong):
        status = page.locator("#wb-decode-status")
        for link, words in told.items():
            page.goto("about:blank")
            page.goto(f"{base}decode/#{link}")
            page.wait_for_selector(".wb-decoded")
            expect(status).to_have_text(re.compile(rf"all read: {re.escape(words)}\s*$"))
        page.goto(f"{base}decode/#{answer.replace('with=', 'with=header')}")
        page.wait_for_selector("#wb-decode-status.wb-wrong")
        expect(status).to_have_text("The schema of the header of HelloResponse is not known here.")
        assert wrong == []
    html = (site / "decode" / "index.html").read_text(encoding="utf-8").partition('class="wb-page"')[2]
    assert "Kafka" not in html.partition("</article>")[0]


def test_each_protocol_has_a_catalog(repo: tuple[Repo, str]) -> None:
    folder = repo[0].folder / "build" / "catalog"
    assert [row.api for row in Catalog.open(folder / "kafka").index] == ["Heartbeat", "ApiVersions"]
    assert Catalog.open(folder / "otter").protocol.server == "gateway"


def test_the_steps_are_printed_with_the_protocol(repo: tuple[Repo, str]) -> None:
    printed = repo[1]
    assert "wirebook: mkdocs.yml is for the site of one protocol (--protocol NAME)" in printed
    for line in ("kafka: reading the specs", "otter: starting Spark", "otter: rendering pages ("):
        assert f"wirebook: {line}" in printed
    assert "The site is in site: open site/index.html" in printed


def test_one_protocol_is_built_with_the_configuration_of_the_repository(
    repo: tuple[Repo, str], request: pytest.FixtureRequest
) -> None:
    folder = repo[0].folder
    arguments = ("--protocol", "otter", "--site-dir", "one", "--catalog", "build/one", "--quiet")
    done = build(folder, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    site = folder / "one"
    pages = read_pages(site)
    assert "A session" in " ".join(pages["session/"].words)
    assert [path for path, page in pages.items() if WORDS.search(" ".join(page.words))] == []
    assert broken_links(site) == []
    assert json.loads((folder / "build" / "one" / "protocol.json").read_text())["name"] == "otter"
    if CHROMIUM is not None:
        tables = scrolling_tables(request.getfixturevalue("browser"), site, "api/open-session/index.html")
        assert tables == []


def scrolling_tables(browser: Any, site: Path, page: str) -> list[str]:
    """The tables that are wider than the narrow column of a plain theme on a wide screen."""
    opened = browser.new_page(viewport={"width": 1440, "height": 1000})
    opened.goto((site / page).as_uri())
    found: list[str] = opened.evaluate(
        "[...document.querySelectorAll('.wb-scroll')]"
        ".filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.ariaLabel)"
    )
    opened.close()
    return found


def test_an_audit_judges_the_history_of_one_protocol(tmp_path: Path) -> None:
    repo = both(tmp_path / "both")
    repo.git("tag", "v1")
    history = read_history(str(repo.folder), "v*", protocol="otter")
    assert {entry.path.split("/")[0] for tree in history.trees.values() for entry in tree} == {"messages"}
    assert history.profile.server == "gateway"
    assert read_history(str(repo.folder), "v*", protocol="kafka").profile.server == "broker"
    with pytest.raises(InputError, match="there are several protocols in the history: kafka, otter"):
        read_history(str(repo.folder), "v*")


def test_a_protocol_that_is_not_there_is_refused_before_any_work(repo: tuple[Repo, str]) -> None:
    done = build(repo[0].folder, "--protocol", "newt", "--site-dir", "none")
    assert done.returncode == 2
    assert 'there is no protocol "newt" in the specs here; it has kafka, otter' in done.stderr
    assert not (repo[0].folder / "none").exists()
