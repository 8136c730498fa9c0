"""Links of generated HTML, and of the guide, in the site that they are put into."""

from __future__ import annotations

import pytest
from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage

from wirebook.docgen.render.kit.page import Page
from wirebook.docgen.site.addresses import Addresses
from wirebook.docgen.site.plugin import WirebookPlugin


def addresses(*sources: str, folder: str = "", directories: bool = True) -> Addresses:
    return Addresses.of([File(source, None, "/site", directories) for source in sources], folder)


HTML = (
    '<a class="wb" href="../../types/#int32" title="&lt;b&gt;">INT32</a> <a href="#v1">1</a> '
    '<a href="../../data/api/x.json" download>x</a> <a href="https://example.org/">KIP</a>'
)
SOURCES = ("types/index.md", "api/x/index.md", "data/api/x.json", "assets/bytes.js")


def test_links_to_what_is_there_stay_as_they_are() -> None:
    assert addresses(*SOURCES).fit(HTML, "api/x/", "api/x/") == HTML
    below = [f"wire/{source}" for source in SOURCES]
    assert addresses(*below, folder="wire/").fit(HTML, "api/x/", "wire/api/x/") == HTML


def test_a_link_to_a_page_that_is_missing_becomes_its_text() -> None:
    lost = addresses("api/x/index.md").fit(HTML, "api/x/", "api/x/")
    assert lost == (
        '<span class="wb" title="&lt;b&gt;">INT32</span> <a href="#v1">1</a> '
        '<span>x</span> <a href="https://example.org/">KIP</a>'
    )


def test_pages_outside_the_folder_are_not_part_of_the_reference() -> None:
    html = '<a href="../types/">Types</a>'
    assert (
        addresses("types.md", "wire/x.md", folder="wire/").fit(html, "x/", "wire/x/") == "<span>Types</span>"
    )


@pytest.mark.parametrize("source", ["types.md", "types/index.md", "types/README.md"])
@pytest.mark.parametrize("directories", [True, False])
def test_a_page_has_one_address_wherever_it_is_written(source: str, directories: bool) -> None:
    file = File(source, None, "/site", directories)
    assert Addresses.of([file], "").urls == {"types/": file.url}


def test_without_directory_urls_links_lead_to_files() -> None:
    found = addresses(*SOURCES, directories=False).fit(HTML, "api/x/", "api/x/index.html")
    assert '<a class="wb" href="../../types/index.html#int32"' in found
    assert 'href="../../data/api/x.json" download' in found


def test_html_written_for_another_page_is_moved() -> None:
    known = addresses(*SOURCES)
    assert known.fit('<a href="./api/x/">x</a>', "", "") == '<a href="./api/x/">x</a>'
    assert known.fit('<a href="./api/x/#v1">x</a>', "", "guide/start/") == '<a href="../../api/x/#v1">x</a>'
    script = '<script src="../assets/bytes.js" defer></script>'
    assert known.fit(script, "page/", "bytes/") == script
    assert known.fit(script, "page/", "a/b/") == '<script src="../../assets/bytes.js" defer></script>'


def test_the_guide_has_no_link_to_what_an_old_kafka_lacks() -> None:
    config = MkDocsConfig()
    config.load_dict({"site_name": "Kafka", "plugins": []})
    files = [
        File(source, "site_src", "site", use_directory_urls=True)
        for source in ("index.md", "reading.md", "api/fetch/index.md")
    ]
    plugin = WirebookPlugin()
    plugin.load_config({})
    plugin.own_guide = True
    plugin.files = Files(files)
    plugin.pages = {"api/fetch/index.md": Page("api/fetch/", "Fetch", Markup('<h2 id="v1">1</h2>'))}
    text = (
        "[Errors](errors/index.md) [Reading](reading.md#bytes) "
        "[New](api/fetch/index.md#v1) [Newer](api/fetch/index.md#v2)"
    )
    assert plugin.on_page_markdown(text, page=SitePage(None, files[0], config), config=config) == (
        "Errors [Reading](reading.md#bytes) [New](api/fetch/index.md#v1) [Newer](api/fetch/index.md)"
    )
