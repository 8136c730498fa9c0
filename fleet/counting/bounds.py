"""Limits how many different names are kept; which ones are kept does not depend on their order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from hashlib import blake2b

Name = tuple[str, ...]
_DIGEST = 8
WHOLE = 1 << 8 * _DIGEST
"""Hashes are smaller."""
_EMPTY = blake2b(digest_size=_DIGEST)  # a copy takes a third of the time of a new one


def hashed(text: str) -> int:
    """A number of 64 bits for a text, the same on every machine."""
    return next(iter(smallest((text.encode("utf-8", "backslashreplace"),), WHOLE, 1)))


def smallest(texts: Iterable[bytes], limit: int, most: int) -> dict[int, bytes]:
    """Of the texts whose hashes are below a limit, `most` with the smallest ones, by their hashes."""
    # Bytes compare like the numbers, which are made of few.
    end = _bytes_of(limit)
    empty = _EMPTY.copy
    texts_by_digest: dict[bytes, bytes] = {}
    for text in texts:
        state = empty()
        state.update(text)
        digest = state.digest()
        if digest < end:
            texts_by_digest[digest] = text
    digests: Iterable[bytes] = texts_by_digest
    if len(texts_by_digest) > most:
        # Hashes are spread evenly: twice as many as needed are probably below this one.
        probable = _bytes_of(2 * most * limit // len(texts_by_digest))
        few = [digest for digest in texts_by_digest if digest < probable]
        digests = sorted(few if len(few) >= most else texts_by_digest)[:most]
    return {int.from_bytes(digest): texts_by_digest[digest] for digest in digests}


def _bytes_of(limit: int) -> bytes:
    """What is above the digests of the numbers below a limit."""
    return limit.to_bytes(_DIGEST) if limit < WHOLE else b"\xff" * (_DIGEST + 1)


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
