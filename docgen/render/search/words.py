"""The full text of a site for the search: which places have which words, small enough to be loaded by a page.

search.js splits a query in the same way: `terms` here and `terms` there must agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wirebook.docgen.render.kit.html_tokens import attributes_of, tokens

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_HEADINGS = ("h1", "h2", "h3")
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
        for anchor, heading, words in _sections(title, html):
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


def _sections(title: str, html: str) -> list[tuple[str, str, list[str] | None]]:
    """The sections of a page as (anchor, title, words); no words if the section is excluded."""
    sections: list[tuple[str, str, list[str] | None]] = [("", title, [])]
    heading = hidden = ""
    depth = 0  # of elements of the name of the hidden one, which is the outermost of them
    for tag, text in tokens(html):
        if depth:
            depth += (tag == hidden) - (tag == f"/{hidden}")
        elif not tag:
            anchor, words_of_title, words = sections[-1]
            if heading:
                sections[-1] = (anchor, words_of_title + text, words)
            elif words is not None:
                words.append(text)
        elif tag == f"/{heading}":
            heading = ""
        elif tag in _HEADINGS or _EXCLUDED in text or _LINK in text:
            attributes = attributes_of(text)
            if tag in _HEADINGS and attributes.get("id"):
                # The heading of the page itself is its beginning.
                if tag != "h1":
                    sections.append((attributes["id"], "", None if _EXCLUDED in attributes else []))
                    heading = tag
            elif _EXCLUDED in attributes or attributes.get("class") == _LINK:
                hidden, depth = tag, 1
    return sections
