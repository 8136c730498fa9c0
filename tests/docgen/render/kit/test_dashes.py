"""Which hyphens of a page become en dashes."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.docgen.site.scripts import needs_node, running
from wirebook.docgen.render.kit.dashes import dashed, with_dashes


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("versions 0-1 added", "versions 0–1 added"),
        ("0-3, 7-12, 15+", "0–3, 7–12, 15+"),
        ("JoinGroup (2-9).", "JoinGroup (2–9)."),
        ("2026-11-22", "2026-11-22"),
        ("2026-11", "2026-11"),
        ("KIP-35, v3-4, 4.0-1, 1-2-3, a#1-2, data/0-3", "KIP-35, v3-4, 4.0-1, 1-2-3, a#1-2, data/0-3"),
        ('write "3" or "0-4"', 'write "3" or "0-4"'),
        ("write '0-4'", "write '0-4'"),
        ("3-3, -1, 9-4", "3-3, -1, 9-4"),
    ],
)
def test_a_range_gets_a_dash_and_nothing_else(text: str, shown: str) -> None:
    assert dashed(text) == with_dashes(text) == shown


def test_tags_code_and_scripts_are_unchanged() -> None:
    html = (
        '<td id="v0-3" title="0-3">0-3<wbr></td><code>0-3</code><pre class="x">0-3\n<b>4-5</b></pre>'
        '<script type="application/json">{"0": "0-3"}</script> &#34;0-4&#34; &quot;0-4&quot; '
        "'0-4' &#39;0-4&#39; &#x27;0-4&#x27; 6-7"
    )
    assert with_dashes(html) == html.replace(">0-3<wbr>", ">0–3<wbr>").replace("6-7", "6–7")


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        # A tag is one from its first character on, and ends at its last.
        ("<td data-x=0-3>0-3</td>", "<td data-x=0-3>0–3</td>"),
        ("0-3<td data-x=0-3>0-3", "0–3<td data-x=0-3>0–3"),
        ("<p>0-1 2-3 <b data-x=4-5 data-y=6-7>", "<p>0–1 2–3 <b data-x=4-5 data-y=6-7>"),
        ("0-3<code>0-3</code>0-3 4-5", "0–3<code>0-3</code>0–3 4–5"),
        ("<code>0-3</code ><pre>0-3</pre><p>0-3", "<code>0-3</code ><pre>0-3</pre><p>0–3"),
        # In a tag that does not end, nothing is text.
        ("<b 0-3 4-5", "<b 0-3 4-5"),
        (
            "12345-67890 &quot;12345-67890 &#x27;12345-67890",
            "12345–67890 &quot;12345-67890 &#x27;12345-67890",
        ),
    ],
)
def test_what_is_in_a_tag_or_in_code_is_no_text(html: str, shown: str) -> None:
    assert with_dashes(html) == shown


def test_a_long_text_without_tags_takes_time_in_proportion_to_its_length() -> None:
    began = time.process_time()
    assert with_dashes(f"<p>{'0-1 ' * 400_000}</p>").count("\u2013") == 400_000
    assert time.process_time() - began < 5


# The script of a page, without the page.
SCRIPT = """
(globalThis.document = { readyState: "loading", addEventListener() {} },
 (text) => JSON.stringify(wirebookNegotiation.dashed(text)))
"""
PIECES = st.sampled_from(
    [
        *"0123456789-./#+\"'&;, aé٣\n",
        "0-3",
        "7-15",
        "12-9",
        "&#34;",
        "&#39;",
        "&#x27;",
        "&quot;",
        "–",
        "99999",
        "KIP-",
    ]
)


@needs_node
def test_the_page_that_negotiates_writes_ranges_as_python_does() -> None:
    with running(SCRIPT, "negotiate.js") as script:

        @given(st.lists(PIECES, max_size=12).map("".join))
        @example('"0-4" 3-3 9-4 0-3, 1-2-3 é1-2 ٣-4')
        def compared(text: str) -> None:
            assert script.ask(text) == dashed(text)

        compared()
