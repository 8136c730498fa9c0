"""The full text of a site for the search: which places have which words, small enough to be loaded by a page.

search.js splits a query in the same way: `terms` here and `terms` there must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_HEADINGS = ("h1", "h2", "h3")
_NO_TEXT = ("script", "style", "svg")
_LINK = "headerlink"  # the sign beside a heading
_EXCLUDED = "data-search-exclude"
# Words that every page has.
COMMON = frozenset({
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from",
    "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "no", "not", "of", "on",
    "one", "or", "so", "than", "that", "the", "then", "there", "these", "they", "this", "to", "was",
    "what", "when", "which", "who", "will", "with", "without",
})  # fmt: skip
# The digits of `_packed`: a last one is below 60, all before it are above.
_DIGITS = "".join(chr(code) for code in range(33, 125) if chr(code) not in '"\\')
_LAST, _MORE = 60, 30


@dataclass(slots=True)
class FullText:
    """Places of pages, as (page, anchor, title), with the words of each."""

    places: list[tuple[str, str, str]] = field(default_factory=list)
    numbers: dict[str, list[int]] = field(default_factory=dict)

    def add(self, page: str, anchor: str, title: str, text: str) -> None:
        """A place, found by every word of its title and text."""
        for term in set(terms(f"{title} {text}")):
            self.numbers.setdefault(term, []).append(len(self.places))
        self.places.append((page, anchor, title))

    def add_sections(self, page: str, title: str, html: str) -> None:
        """A page, with each section that has a heading as a place of its own.

        As in Material, `data-search-exclude` leaves out an element, and at a heading its section.
        """
        reader = _Sections(title)
        reader.feed(html)
        reader.close()
        for anchor, heading, words in reader.sections:
            if words is not None:
                self.add(page, anchor, " ".join(heading.split()), " ".join(words))

    def packed(self) -> tuple[str, str]:
        """The words in order, and for each the numbers of its places, both separated by spaces."""
        words = sorted(self.numbers)
        return " ".join(words), " ".join(_packed(self.numbers[word]) for word in words)


def terms(text: str) -> Iterator[str]:
    """The words of a text as the index has them: in lower case and singular, and none that every page has."""
    for word in _WORD.findall(_HUMP.sub(" ", text).lower()):
        if len(word) > 1 and word not in COMMON:
            yield word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def _packed(numbers: Iterable[int]) -> str:
    """Ascending numbers as the digits of their differences."""
    digits: list[str] = []
    last = -1
    for number in numbers:
        step = number - last
        last = number
        while step >= _LAST:
            digits.append(_DIGITS[_LAST + step % _MORE])
            step //= _MORE
        digits.append(_DIGITS[step])
    return "".join(digits)


class _Sections(HTMLParser):
    """The sections of a page as (anchor, title, words); no words if the section is excluded."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.sections: list[tuple[str, str, list[str] | None]] = [("", title, [])]
        self._heading: str | None = None
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            if tag == self._hidden[0]:
                self._hidden.append(tag)
            return
        attributes = dict(attrs)
        anchor = attributes.get("id")
        if tag in _HEADINGS and anchor:
            # The heading of the page itself is its beginning.
            if tag != "h1":
                self.sections.append((anchor, "", None if _EXCLUDED in attributes else []))
                self._heading = tag
        elif tag in _NO_TEXT or _EXCLUDED in attributes or attributes.get("class") == _LINK:
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag == self._hidden[0]:
            self._hidden.pop()
        elif tag == self._heading:
            self._heading = None

    def handle_data(self, data: str) -> None:
        anchor, title, words = self.sections[-1]
        if self._hidden:
            return
        if self._heading is not None:
            self.sections[-1] = (anchor, title + data, words)
        elif words is not None:
            words.append(data)
