"""Names of APIs, error codes and proposals in a sentence, and numbers of issues, as links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from wirebook.docgen.catalog.protocol import LinkRecord
from wirebook.docgen.catalog.records import IndexRow, TextSource
from wirebook.docgen.pages.links import anchor
from wirebook.docgen.pages.sources import cited_parts
from wirebook.specs.link_pattern import compiled
from wirebook.specs.numbers import DescribedError
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

# An error code in capitals, or a name of humps. "Fetch" and "Produce" begin sentences as verbs,
# too.
_NAME = re.compile(
    r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:[A-Z][a-z]+){2,}\b"
    r"|(?<=[a-z,;:] )[A-Z][a-z]+\b|(?<=\()[A-Z][a-z]+\b"
)


_SLOT = re.compile(r"\{(\d+)\}")
NO_PAGES: Mapping[str, str] = {}


class _Found(NamedTuple):
    """A part of a text that is a link, and where it leads."""

    start: int
    end: int
    href: str


def _address(url: str, match: re.Match[str]) -> str:
    """The address of a match: `{0}` is all of it, `{1}` its first placeholder."""
    return _SLOT.sub(lambda slot: quote(match[int(slot[1])], safe=""), url)


@dataclass(frozen=True)
class Mentions:
    """What may be linked to: the slug of each API by its name, names of error codes, numbers
    elsewhere.

    `pages` are addresses from the root for numbers that have a page here: "KIP-35" leads to that.
    """

    apis: Mapping[str, str] = field(default_factory=dict)
    errors: frozenset[str] = frozenset()
    links: Sequence[LinkRecord] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    _made: dict[tuple[str, str, str], Markup] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        apis: Iterable[IndexRow],
        errors: Iterable[DescribedError],
        links: Sequence[LinkRecord] = (),
        pages: Mapping[str, str] = NO_PAGES,
    ) -> Mentions:
        """From the rows of the index, the registry of error codes, the links of a profile, and
        pages."""
        return cls(
            {row.api: row.slug for row in apis}, frozenset(row.name for row in errors), links, pages
        )

    def linked(self, text: str, root: str, without: str = "") -> Markup:
        """A text of a spec, escaped, with links for a page with this `root`; none to `without`,
        which is the name of an API or a number such as "KIP-35".
        """
        key = (text, root, without)
        markup = self._made.get(key)
        if markup is None:
            # Versions share their texts, so most are requested many times.
            markup = self._made[key] = self._linked(text, root, without)
        return markup

    def _linked(self, text: str, root: str, without: str) -> Markup:
        markup = Markup("")
        for part, href in self.parts(text, root, without):
            words = escape(visible(part))
            markup += Markup('<a href="{}">{}</a>').format(href, words) if href else words
        return markup

    def parts(self, text: str, root: str, without: str = "") -> Iterator[tuple[str, str]]:
        """The parts of a text, each with the address that it leads to, or ""; the rest is as for
        `linked`."""
        end = 0
        for mention in sorted(
            (*self._numbers(text, root, without), *self._here(text, root, without))
        ):
            if mention.start < end:
                continue
            yield text[end : mention.start], ""
            yield text[mention.start : mention.end], mention.href
            end = mention.end
        yield text[end:], ""

    def _here(self, text: str, root: str, without: str) -> Iterator[_Found]:
        for match in _NAME.finditer(text):
            page = self._place(match[0]) if match[0] != without else ""
            if page:
                yield _Found(match.start(), match.end(), f"{root}{page}")

    def _numbers(self, text: str, root: str, without: str) -> Iterator[_Found]:
        """The numbers, of pages here and elsewhere."""
        for pattern, url in self._patterns:
            for match in pattern.finditer(text):
                if match[0] != without:
                    page = self.pages.get(match[0])
                    href = _address(url, match) if page is None else f"{root}{page}"
                    yield _Found(match.start(), match.end(), href)

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        try:
            return tuple((compiled(link.pattern), link.url) for link in self.links)
        except ValueError as error:
            raise InputError(
                f"the catalog has a link of another form ({error}); build it again"
            ) from None

    def _place(self, name: str) -> str:
        if name in self.errors:
            return f"errors/#{anchor(name)}"
        return f"api/{self.apis[name]}/" if name in self.apis else ""


@dataclass(frozen=True, slots=True)
class Linker:
    """Texts of one document for one page: with links, and each with its own source if it has
    one."""

    mentions: Mentions
    root: str
    without: str
    cited: Mapping[str, TextSource]

    def __call__(self, text: str) -> Markup:
        """A text with its links and its source."""
        markup = self.mentions.linked(text, self.root, self.without)
        source = self.cited.get(text)
        if source is None or source.of_field:
            return markup
        reason = f" (inferred: {source.reason})" if source.reason else ""
        cite = Markup(' <small class="wb-cite">{}{}</small>')
        return markup + cite.format(self.source(source.source), reason)

    def source(self, text: str) -> Markup:
        """A source, with links to the code and the proposals that it names."""
        markup = Markup("")
        for part, address in cited_parts(text):
            words = escape(visible(part))
            if address:
                markup += Markup('<a href="{}">{}</a>').format(address, words)
            else:
                markup += self.mentions.linked(part, self.root, self.without)
        return markup
