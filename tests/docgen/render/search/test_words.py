"""The full text: how pages are split into places, and how the numbers of places are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirebook.docgen.render.search.words import FullText, terms


def unpacked(digits: str) -> list[int]:
    """The numbers of packed digits, as search.js reads them."""
    order = [chr(code) for code in range(33, 125) if chr(code) not in '"\\']
    numbers, last, step, unit = [], -1, 0, 1
    for digit in digits:
        value = order.index(digit)
        if value >= 60:
            step += (value - 60) * unit
            unit *= 30
            continue
        last += step + value * unit
        numbers.append(last)
        step, unit = 0, 1
    return numbers


@given(st.sets(st.integers(0, 200_000), max_size=30))
def test_numbers_are_read_as_they_were_written(numbers: set[int]) -> None:
    text = FullText(numbers={"word": sorted(numbers)})
    assert unpacked(text.packed()[1]) == sorted(numbers)


def test_words_are_lower_case_and_singular() -> None:
    assert list(terms("The ListOffsets of 12 topics: a class, HTTPServer's")) == [
        "list", "offset", "12", "topic", "class", "http", "server",
    ]  # fmt: skip


def test_a_page_is_a_place_for_each_heading() -> None:
    text = FullText()
    text.add_sections(
        "a/",
        "Page",
        '<h1 id="page">Page</h1><p>Otters &amp; beavers</p><h2 id="one">One <b>and</b> only'
        '<a class="headerlink" href="#one">&para;</a></h2><p>swim<script>if (a < b) hidden()</script></p>'
        '<h4 id="deep">Deep</h4><div data-search-exclude><div>68 69</div>hidden</div> water'
        '<h2 id="all" data-search-exclude>All</h2><p>hidden</p><h2 id="two"><code>Two</code></h2>',
    )
    assert text.places == [("a/", "", "Page"), ("a/", "one", "One and only"), ("a/", "two", "Two")]
    assert text.numbers["otter"] == text.numbers["beaver"] == [0]
    assert text.numbers["swim"] == text.numbers["deep"] == text.numbers["water"] == [1]
    assert not {"hidden", "68", "para", "all"} & text.numbers.keys()
    words, found = text.packed()
    assert words.split(" ") == sorted(text.numbers)
    assert len(found.split(" ")) == len(text.numbers)
