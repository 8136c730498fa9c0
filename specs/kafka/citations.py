"""The code that a source of a text names: "KafkaApis.createTopic (2.4), Sender"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# A class with a method or class inside it; or a method of the class before it, at the end of a
# part.
_CITED = re.compile(r"\b([A-Z]+[a-z]\w*)(?:\.(\w+))?|^([a-z]\w*)(?= \(|$)")
_PART = re.compile(r"(?:(?![,;]| through ).)+", re.DOTALL)
# "(3.9)", "(before 4.0)", "of 3.4", "of Kafka 3.x": code of another release, which newer ones may
# lack.
_OTHER_RELEASE = re.compile(r"(?:\(|\bof (?:Kafka )?)(before )?(?:\d[\d.x]* to )?(\d[\d.x]*)")
_NO_CODE = re.compile(r"^(?:KIP-\d+|Specification of the message|comment in .*)$")


@dataclass(frozen=True, slots=True)
class Citation:
    """A class that a text cites, with a method or class inside it.

    `is_current` is false if the text says that it is of another release: `release`, or the one
    before it if `is_before`. `start` and `end` are where the source names it.
    """

    type: str
    member: str = ""
    is_current: bool = True
    release: str = field(default="", compare=False)
    is_before: bool = field(default=False, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.type}.{self.member}" if self.member else self.type


def citations(source: str) -> Iterator[Citation]:
    """The code that a source names. A method without a class belongs to the class before it."""
    last = ""
    for part in _PART.finditer(source):
        text = part[0].strip()
        if _NO_CODE.match(text):
            continue
        start = part.start() + part[0].index(text) if text else part.start()
        other = _OTHER_RELEASE.search(text)
        release, is_before = (other[2].rstrip("."), other[1] is not None) if other else ("", False)
        for match in _CITED.finditer(text):
            name, member, method = match.groups()
            last = name or last
            if last and name != "Kafka":
                yield Citation(
                    last,
                    member or method or "",
                    other is None,
                    release,
                    is_before,
                    start + match.start(),
                    start + match.end(),
                )
