"""Lists the code that our texts cite and that differs between two commits of Kafka.

    python -m tools.changed_sources OLD NEW

OLD and NEW are REPO@REF. Each citation is followed by the places of the texts that have it, and by
what differs, without comments and layout. A person reads which of the texts is concerned.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from difflib import unified_diff
from itertools import islice
from typing import NamedTuple

from tools.kafka_code import Checkout, run
from wirebook.specs.kafka import facts
from wirebook.specs.kafka.flows import all_flows
from wirebook.specs.kafka.origins import Citation, citations
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.kafka.texts import ApiTexts, all_texts

_BEGIN = 40


class CitingText(NamedTuple):
    """A text that cites code: the path of its file, its words, and its source."""

    path: str
    words: str
    source: str

    def place(self) -> str:
        """The file and the line that has its first words; line 1 if none has them as they are."""
        lines = (FOLDER.parents[1] / self.path).read_text(encoding="utf-8").splitlines()
        begin = self.words[:_BEGIN].replace('"', '\\"')
        numbers = (number for number, line in enumerate(lines, 1) if begin in line)
        return f"{self.path}:{next(numbers, 1)}"


def citing(texts: ApiTexts) -> Iterator[CitingText]:
    """The texts about an API: the file as a whole, single texts, rows of errors, and those of
    fields, by the code that sets and reads them."""
    yield CitingText(texts.path, texts.source, texts.source)
    for text in texts.cited:
        yield CitingText(texts.path, text.text, text.source)
    for error in texts.errors:
        yield CitingText(texts.path, error.cause, error.source)
    own = {text.text for text in texts.cited}
    for name, message in texts.messages.items():
        for path, code in facts("field_code.json")["fields"].get(name, {}).items():
            for about in message.fields.get(path, ()):
                if about.text not in own:
                    yield CitingText(texts.path, about.text, "; ".join(code))


def citing_texts() -> Iterator[CitingText]:
    """The texts about all APIs, and the rules of flows."""
    for texts in all_texts().values():
        yield from citing(texts)
    for flow in all_flows():
        for source in flow.sources():
            yield CitingText(flow.path, source, source)


def code_lines(checkout: Checkout, citation: Citation) -> list[str]:
    """The lines of what a citation names, without layout; empty if there is no such code."""
    lines = (line for code in checkout.code(citation) for line in code.text.splitlines())
    return [" ".join(line.split()) for line in lines if line.strip()]


def listed(old_name: str, new_name: str) -> Iterator[str]:
    """Each citation whose code differs between two checkouts, the places of its texts, and the
    difference. Raises InputError."""
    old, new = Checkout(old_name), Checkout(new_name)
    by_citation: dict[Citation, list[CitingText]] = defaultdict(list)
    for text in citing_texts():
        for citation in citations(text.source):
            by_citation[citation].append(text)
    concerned: set[tuple[str, str]] = set()
    for citation, texts in by_citation.items():
        before, after = code_lines(old, citation), code_lines(new, citation)
        if before and after and before != after:
            concerned.update((text.path, text.words) for text in texts)
            yield str(citation)
            yield from dict.fromkeys(f"  {text.place()}" for text in texts)
            # Without the names of two files.
            yield from islice(unified_diff(before, after, lineterm=""), 2, None)
    yield f"{len(concerned)} texts cite code that differs"


if __name__ == "__main__":
    sys.exit(run(listed, __doc__, "OLD", "NEW"))
