"""Numbers and names in a sentence as links, and docstrings as HTML: exact parts and addresses."""

from __future__ import annotations

import pytest

from wirebook.docgen.catalog.protocol import LinkRecord
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.kit.prose import inline, prose
from wirebook.specs.problems import InputError
from wirebook.specs.reading.tables.errors import DescribedError

LINKS = (
    LinkRecord("KIP-{number}", "https://example.org/kip/{1}"),
    LinkRecord("OTTER/{word}-{number}", "https://example.org/issue/{0}?in={1}&is={2}"),
)
KNOWN = Mentions(
    {"OffsetFetch": "offset-fetch", "Fetch": "fetch"},
    frozenset({"TOO_WET"}),
    LINKS,
    {"KIP-35": "kips/kip-35/", "KIP-9": ""},
)


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("KIP-35 and KIP-36.", [("KIP-35", "../kips/kip-35/"), ("KIP-36", "https://example.org/kip/36")]),
        # A page may be the root.
        ("KIP-9", [("KIP-9", "../")]),
        ("a SKIP-35, KIP-x", []),
        # What is unsafe in an address is escaped.
        ("OTTER/a_b-7x", [("OTTER/a_b-7", "https://example.org/issue/OTTER%2Fa_b-7?in=a_b&is=7")]),
        ("TOO_WET, NOT_HERE", [("TOO_WET", "../errors/#too-wet")]),
        ("then OffsetFetch (Fetch), Fetch", [
            ("OffsetFetch", "../api/offset-fetch/"), ("Fetch", "../api/fetch/"), ("Fetch", "../api/fetch/"),
        ]),
        ("Fetch it. Fetch that; see Fetch", [("Fetch", "../api/fetch/")]),
        ("nothing", []),
        ("", []),
    ],
)  # fmt: skip
def test_names_and_numbers_have_their_addresses(text: str, linked: list[tuple[str, str]]) -> None:
    parts = list(KNOWN.parts(text, "../"))
    assert [part for part in parts if part[1]] == linked
    assert "".join(part for part, _ in parts) == text


def test_a_page_does_not_link_to_itself() -> None:
    for name in ("KIP-35", "OTTER/x-7", "OffsetFetch"):
        assert KNOWN.linked(f"see {name}", "", name) == f"see {name}"
        assert "<a href" in KNOWN.linked(f"see {name}", "")


def test_of_two_links_at_one_place_the_first_is_written() -> None:
    twice = Mentions(
        links=(LinkRecord("A-{number}", "https://a/{0}"), LinkRecord("-{number} B", "https://b/"))
    )
    assert list(twice.parts("x A-12 B", "")) == [("x ", ""), ("A-12", "https://a/A-12"), (" B", "")]
    near = Mentions(links=(LinkRecord("A{number}", "https://a/"), LinkRecord("/{number}", "https://b/")))
    assert list(near.parts("A1/2", "")) == [
        ("", ""), ("A1", "https://a/"), ("", ""), ("/2", "https://b/"), ("", ""),
    ]  # fmt: skip


def test_a_catalog_with_links_of_another_form_is_one_line() -> None:
    older = Mentions(links=(LinkRecord(r"KIP-(\d+)", "https://example.org/"),))
    with pytest.raises(InputError, match=r'write "KIP-\{number\}"'):
        older.linked("KIP-1", "")


def test_links_are_known_by_the_codes_and_numbers_of_a_book() -> None:
    error = DescribedError(7, "TOO_WET", False, None, "")
    assert Mentions.of([], [error], LINKS, {"KIP-1": "k/"}) == Mentions(
        {}, frozenset({"TOO_WET"}), LINKS, {"KIP-1": "k/"}
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a `b` c", "a <code>b</code> c"),
        ("`a``b`", "<code>a</code><code>b</code>"),
        ("*a* b* *c d*", "<em>a</em> b* <em>c d</em>"),
        ("`*a*` <b>", "<code>*a*</code> &lt;b&gt;"),
        ("`<a>` \u202e", "<code>&lt;a&gt;</code> \\u202e"),
        ("* a *b", "* a *b"),
    ],
)
def test_code_and_emphasis_are_marked(text: str, html: str) -> None:
    assert inline(text) == html


def test_paragraphs_and_diffs_are_blocks() -> None:
    text = "One\n two.\n\n\n\n  ```diff\n@@ A @@\n- <b>\n+ c\n d\n```\n\nThree."
    assert prose(text) == (
        "<p>One two.</p>\n"
        '<div class="highlight"><pre><code><span class="gu">@@ A @@</span>\n'
        '<span class="gd">- &lt;b&gt;</span>\n<span class="gi">+ c</span>\n d\n</code></pre></div>\n'
        "<p>Three.</p>"
    )
    assert prose("") == ""
