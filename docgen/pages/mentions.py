"""Names of APIs, error codes and proposals in a sentence, and numbers of issues, as links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from markupsafe import Markup, escape

from wirebook.docgen.pages.sources import cited_parts
from wirebook.specs.kafka.texts import CitedText
from wirebook.specs.printable import visible
from wirebook.specs.profile import Link

# An error code in capitals, or a name of humps. "Fetch" and "Produce" begin sentences as verbs,
# too.
_NAME = re.compile(
    r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:[A-Z][a-z]+){2,}\b"
    r"|(?<=[a-z,;:] )[A-Z][a-z]+\b|(?<=\()[A-Z][a-z]+\b"
)


@dataclass(frozen=True)
class Mentions:
    """What may be linked to: APIs, error codes and proposals by their names, with their places from
    the root, and numbers elsewhere."""

    places: Mapping[str, str]
    links: Sequence[Link]
    # The pages of the versions of an API repeat most of its texts.
    _linked: dict[tuple[str, str, str], Markup] = field(default_factory=dict)

    def linked(self, text: str, root: str, without: str = "") -> Markup:
        """A text of a spec, escaped, with links for a page with this `root`; none to `without`,
        which is the name of an API or a number such as "KIP-35".
        """
        key = (text, root, without)
        if key not in self._linked:
            self._linked[key] = Markup("").join(self._parts(*key))
        return self._linked[key]

    def _parts(self, text: str, root: str, without: str) -> Iterator[Markup]:
        end = 0
        for match, href in sorted(self._found(text, root), key=lambda pair: pair[0].start()):
            if match.start() >= end and match[0] != without:
                yield escape(visible(text[end : match.start()]))
                yield _link(href, match[0])
                end = match.end()
        yield escape(visible(text[end:]))

    def _found(self, text: str, root: str) -> Iterator[tuple[re.Match[str], str]]:
        """What a text names, of pages here and elsewhere, with its address."""
        for link in self.links:
            for match in link.expression.finditer(text):
                if match[0] in self.places:
                    yield match, f"{root}{self.places[match[0]]}"
                else:
                    url = link.url.replace("{0}", quote(match[0], safe=""))
                    yield match, url.replace("{1}", quote(match[1], safe=""))
        for match in _NAME.finditer(text):
            if match[0] in self.places:
                yield match, f"{root}{self.places[match[0]]}"


def _link(address: str, words: str) -> Markup:
    return Markup(f'<a href="{escape(address)}">{escape(visible(words))}</a>')


@dataclass(frozen=True, slots=True)
class Linker:
    """Texts of one document for one page, with links and with their own sources."""

    mentions: Mentions
    root: str
    without: str
    cited: Mapping[str, CitedText]

    def __call__(self, text: str) -> Markup:
        """A text with its links and its source."""
        markup = self.mentions.linked(text, self.root, self.without)
        if text in self.cited:
            cited = self.cited[text]
            reason = f" (inferred: {cited.reason})" if cited.reason else ""
            cite = Markup(' <small class="wb-cite">{}{}</small>')
            markup += cite.format(self.source(cited.source), reason)
        return markup

    def source(self, text: str) -> Markup:
        """A source, with links to the code and the proposals that it names."""
        source = Markup()
        for part, address in cited_parts(text):
            linked = self.mentions.linked(part, self.root, self.without)
            source += _link(address, part) if address else linked
        return source
