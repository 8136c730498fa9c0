"""How long a version stays deprecated before it may be removed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirebook.specs.printable import number_of

_FORM = re.compile(r"\s*([1-9][0-9]{0,4}) +(release|day)s?\s*")


@dataclass(frozen=True)
class Window:
    """How long a version stays deprecated before it may be removed: `deprecated_for`.

    `unit` is "release" or "day".
    """

    count: int
    unit: str

    @classmethod
    def parse(cls, text: str) -> Window | None:
        """Parse a window, "2 releases" or "180 days"; None if the text is not one."""
        match = _FORM.fullmatch(text)
        return None if match is None else cls(int(match[1]), match[2])

    def __str__(self) -> str:
        return number_of(self.count, self.unit)
