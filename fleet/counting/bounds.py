"""Limits how many different names are kept; which ones are kept does not depend on their order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from hashlib import blake2b

Name = tuple[str, ...]
_DIGEST = 8
WHOLE = 1 << 8 * _DIGEST
"""Hashes are smaller."""


def hashed(text: str) -> int:
    """A number of 64 bits for a text, the same on every machine."""
    return next(iter(below((text,), WHOLE)))


def below(texts: Iterable[str], limit: int) -> dict[int, str]:
    """The texts whose hashes are below a limit, by their hashes. It is fast where few are."""
    # Bytes compare like the numbers, which are made of few.
    end = limit.to_bytes(_DIGEST) if limit < WHOLE else b"\xff" * (_DIGEST + 1)
    return {
        int.from_bytes(digest): text
        for text in texts
        if (digest := blake2b(text.encode("utf-8", "backslashreplace"), digest_size=_DIGEST).digest()) < end
    }


class Smallest:
    """Keeps the names with the smallest hashes, up to a limit.

    A name in the final set was never rejected before, so its counts are exact. Merging two instances that saw
    different names gives the same result as one instance that saw all of them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kept: set[Name] = set()
        self.heap: list[tuple[int, Name]] = []

    def admit(self, name: Name) -> tuple[bool, Name | None]:
        """Offer a name: returns whether it is kept, and the name that it displaces, if any."""
        if name in self.kept:
            return True, None
        rank = -hashed(repr(name))
        if len(self.kept) < self.limit:
            self.kept.add(name)
            heapq.heappush(self.heap, (rank, name))
            return True, None
        if (rank, name) < self.heap[0]:
            return False, None
        _, dropped = heapq.heapreplace(self.heap, (rank, name))
        self.kept.remove(dropped)
        self.kept.add(name)
        return True, dropped
