"""Links of generated HTML, and of the guide, in the site that they are put into."""

from __future__ import annotations

import pytest
from mkdocs.structure.files import File

from wirebook.docgen.site.addresses import Addresses


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


@pytest.mark.parametrize("source", ["types.md", "types/index.md", "types/README.md"])
@pytest.mark.parametrize("directories", [True, False])
def test_a_page_has_one_address_wherever_it_is_written(source: str, directories: bool) -> None:
    file = File(source, None, "/site", directories)
    assert Addresses.of([file], "").urls == {"types/": file.url}


def test_without_directory_urls_links_lead_to_files() -> None:
    found = addresses(*SOURCES, directories=False).fit(HTML, "api/x/", "api/x/index.html")
    assert '<a class="wb" href="../../types/index.html#int32"' in found
    assert 'href="../../data/api/x.json" download' in found
