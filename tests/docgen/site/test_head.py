"""What a page or a sitemap of a theme has in addition, or no longer."""

from __future__ import annotations

import pytest

from wirebook.docgen.site.head import without_urls
from wirebook.docgen.site.skip import with_skip_link

pytest.importorskip("mkdocs")


def test_a_sitemap_lists_what_search_engines_may_list() -> None:
    entries = {
        url: f"\n  <url>\n    <loc>https://e.org/{url}</loc>\n    <lastmod>2026-01-02</lastmod>\n  </url>"
        for url in ("", "a/", "b/?x=1&amp;y=2", "c/")
    }
    sitemap = f"<urlset>{''.join(entries.values())}\n</urlset>"
    shorter = without_urls(sitemap, ["https://e.org/a/", "https://e.org/b/?x=1&y=2"])
    assert shorter == f"<urlset>{entries['']}{entries['c/']}\n</urlset>"
    assert without_urls(sitemap, []) == sitemap


CONTENT = '<div class="md-content" data-md-component="content">'


@pytest.mark.parametrize(
    ("theirs", "words"),
    [('<a href="#first" class="md-skip">\n Zum Inhalt\n </a>', "Zum Inhalt"), ("", "Skip to content")],
)
def test_the_skip_link_has_the_words_of_the_theme_and_leads_to_the_content(theirs: str, words: str) -> None:
    page = f'<div data-md-component="skip">{theirs}</div><nav></nav>{CONTENT}<h1>A</h1></div>'
    assert with_skip_link(page) == (
        f'<div data-md-component="skip"><a href="#wb-content" class="md-skip">{words}</a></div><nav></nav>'
        '<div class="md-content" id="wb-content" tabindex="-1" data-md-component="content"><h1>A</h1></div>'
    )


@pytest.mark.parametrize("page", [CONTENT, '<div data-md-component="skip"></div>'])
def test_a_theme_without_a_place_for_the_skip_link_keeps_its_pages(page: str) -> None:
    assert with_skip_link(page) == page
