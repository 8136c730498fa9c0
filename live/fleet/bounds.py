"""A limit on how many different names are kept, which does not depend on their order."""

from __future__ import annotations

import heapq
from hashlib import blake2b

Name = tuple[str, ...]


class Smallest:
    """Keeps those names whose hashes are the smallest, up to a number of them.

    A name that is kept in the end was never refused in between: what is counted for it is exact.
    Two of these that saw different names give together the same as one that saw all.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kept: set[Name] = set()
        self.heap: list[tuple[int, Name]] = []
        self.is_full = False

    def admit(self, name: Name) -> tuple[bool, Name | None]:
        """Whether a name is kept, and the one that is not any more because of it."""
        if name in self.kept:
            return True, None
        rank = -int.from_bytes(
            blake2b(repr(name).encode("utf-8", "backslashreplace"), digest_size=8).digest()
        )
        if len(self.kept) < self.limit:
            self.kept.add(name)
            heapq.heappush(self.heap, (rank, name))
            return True, None
        self.is_full = True
        if (rank, name) < self.heap[0]:
            return False, None
        _, dropped = heapq.heapreplace(self.heap, (rank, name))
        self.kept.remove(dropped)
        self.kept.add(name)
        return True, dropped
