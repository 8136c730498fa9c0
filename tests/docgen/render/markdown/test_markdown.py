"""Text stays text in Markdown, whoever renders it, and the HTML of pages keeps its parts."""

from __future__ import annotations

from html.parser import HTMLParser

import markdown as python_markdown  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.docgen.histories import own_book
from tests.docgen.sites import HOSTILE
from tests.profiles import examples
from wirebook.docgen.render.kit.mentions import Mentions
from wirebook.docgen.render.markdown.from_html import markdown
from wirebook.docgen.render.markdown.text import block, code, escaped, link, opening
from wirebook.docgen.render.pages.api import api_page
from wirebook.specs.printable import visible

pytestmark = pytest.mark.xdist_group("book")
COMMON = MarkdownIt("commonmark").enable("table").enable("strikethrough")
ANY = st.text(alphabet="ab1 *_`[]()<>!#+-.~|\\&;:\"'=\n\tü\u202e", max_size=40) | st.text(max_size=30)


class Shown(HTMLParser):
    """The text that a browser shows, and the elements around it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@examples(1)
@given(ANY)
@example("__0__")
@example("_a_ a_b __init__")
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    wanted = visible(" ".join(text.split()))
    shown = Shown(COMMON.render(opening(escaped(text))))
    assert shown.text.strip() == wanted.strip()
    assert shown.tags <= {"p"}
    cell = Shown(COMMON.render(f"| a | b |\n|---|---|\n| {escaped(text)} | {code(text)} |"))
    assert cell.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@examples(1)
@given(ANY)
def test_no_dialect_takes_text_for_an_element(text: str) -> None:
    shown = Shown(python_markdown.markdown(opening(escaped(text + HOSTILE)), extensions=["tables"]))
    assert not shown.tags & {"script", "img", "a", "textarea"}


@examples(1)
@given(st.text(alphabet="a`~|\n <", max_size=40))
def test_a_block_of_code_ends_where_it_ends(text: str) -> None:
    tokens = [token.type for token in COMMON.parse(block(text) + "\n\nafter")]
    assert tokens == ["fence", "paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# a", "\\# a"),
        ("1. a", "1\\. a"),
        ("12) a", "12\\) a"),
        ("1 a", "1 a"),
        ("a - b", "a - b"),
        ("", ""),
    ],
)
def test_a_block_does_not_begin_with_markup(text: str, shown: str) -> None:
    assert opening(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "`a`"),
        ("`a", "`` `a ``"),
        ("a`", "`` a` ``"),
        ("a``b", "```a``b```"),
        ("", "` `"),
        ("a|b", "`a\\|b`"),
    ],
)
def test_backticks_do_not_end_code(text: str, shown: str) -> None:
    assert code(text) == shown


@pytest.mark.parametrize("href", ["http://a", "https://a", "mailto:a@b", "a/b", "a/x:y", "#a"])
def test_pages_and_addresses_of_the_web_are_linked_to(href: str) -> None:
    assert link("a", href) == f"[a]({href})"
    assert link("", href) == ""


@pytest.mark.parametrize("href", ["javascript:alert(1)", "DATA:text/html,x", "vbscript:x"])
def test_a_link_leads_to_a_page_only(href: str) -> None:
    assert link("a", href) == "a"
    assert link("a", "x/(y) z") == "[a](x/%28y%29%20z)"


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<h1>A <a class='headerlink' href='#a'>¶</a></h1><p>b <em>c</em><br>d", "# A\n\nb *c* <br> d"),
        ("<p>x<wbr>_<wbr>y <span class='wb-b'>new</span></p>", "x_y `new`"),
        ("<ul><li>a<ul><li>b</ul><li><p>c</ul>", "- a\n  - b\n- c"),
        ("<ol><li>a<li>b</ol><hr>", "1. a\n2. b\n\n---"),
        ("<dl><dt>t<dd>d</dl>", "**t**\n\nd"),
        (
            "<table><caption>C</caption><thead><tr><th>a<th>b<tbody><tr><td>1|2<td><ul><li>x<li>y</ul></table>",
            "**C**\n\n| a | b |\n|---|---|\n| 1\\|2 | x; y |",
        ),
        ("<table><tr><td>1</table>", "|  |\n|---|\n| 1 |"),
        ("<pre><code>a\n <span>b</span>\n</code></pre>", "```\na\n b\n```"),
        ("<details><summary>S</summary><p>x</p></details>", "**S**\n\nx"),
        ("a <script>b</script><svg><text>c</text></svg><button>d</button>", "a"),
        ("<a href='#x'>a</a> <a href='../y/'>b</a> <a href='javascript:z'>c</a>", "a [b](../y/) c"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n> \n> b"),
        ("<p>1. no list</p><p># no heading</p>", "1\\. no list\n\n\\# no heading"),
        ("", ""),
        ("</p></div><td>a</td>", "a"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "|  |  |\n|---|---|\n| a | b |\n| c |  |"),
        ("<table><tr></tr><tr><th>h</th></tr></table>", "|  |\n|---|\n| h |"),
        ("<table><tr><td>a<thead><tr><th>b</table>", "| a |\n|---|\n| b |"),
        ("<table><caption></caption><thead></thead></table><ul></ul><h2></h2><dl><dt></dl>", ""),
        ("<details><summary><h3>S</h3></summary>t</details>", "S\n\nt"),
        ("<p>a <strong> b </strong>c<b>d</b><i></i></p>", "a **b** c**d**"),
        ("<ol><li>a<li><li>b</ol><h6>six</h6>", "1. a\n3. b\n\n###### six"),
        ("<ul><li>a<table><tr><td>b<li>c</table></ul>", "- a\n  |  |\n  |---|\n  | b c |"),
        ("<a href='x/'><div>in</div></a>after", "in\n\nafter"),
        ("x<p>y</p>z<p> </p>", "x\n\ny\n\nz"),
        ("<p>a<div>b</div>c", "a\n\nb\n\nc"),
        ("<img alt='a_b*'> <kbd>x</kbd><code></code>", "a_b\\* `x`"),
        ("<a href=''>a</a><a>b</a><a href='y/'> c </a>", "ab [c](y/)"),
        ("<code> a </code>b<i class='x wb-b y'>n</i><b class='wb-bc'>m</b>", "`a`b`n`**m**"),
        ("<dl><dt>a<dd>b<dt>c<dd>d<p>e</dl>", "**a**\n\nb\n\n**c**\n\nd\n\ne"),
        ("<figure><pre>x</pre><figcaption>F</figcaption></figure>", "```\nx\n```\n\n**F**"),
    ],
)  # fmt: skip
def test_html_as_markdown(html: str, wanted: str) -> None:
    assert markdown(html).rstrip("\n") == wanted


def test_a_link_that_leads_nowhere_is_its_text() -> None:
    html = "<a href='gone/'>a</a> <a href='there/'>b</a> <a href='#x'>c</a>"
    assert markdown(html, lambda href: "" if href == "gone/" else f"../{href}") == "a [b](../there/) c\n"


def test_an_api_has_its_fields_per_version_in_tables() -> None:
    book = own_book()
    document = book.catalog.api("fetch")
    text = api_page(document, Mentions(), book.errors, book.protocol).markdown
    assert text.startswith("# Fetch\n\n- API key: 1\n")
    assert "\n\n\n" not in text
    rows = [line for line in text.split("\n") if line.startswith("| Topics.Partitions.FetchOffset | INT64 |")]
    distinct = {
        number
        for message in document.messages[:1]
        for number, version in message.versions.items()
        if number == 0 or version.changes
    }
    assert len(rows) >= len(distinct)
    rendered = COMMON.render(text)
    assert rendered.count("<table>") > len(distinct)
    for line in text.split("\n"):
        if line.startswith("|"):
            assert COMMON.render(line) != "", line
    headings = [line for line in text.split("\n") if line.startswith("## ")]
    assert [head.removeprefix("## ") for head in headings[1:4]] == ["How to use it", "Pitfalls", "Errors"]
    for version in document.versions:
        assert f"ersion {version.version}\n" in text
