"""The batches and messages of a field of type records, one after another, whether intact or damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import unpack_from

from wirebook.specs.wire.codec import WireError, some_bytes
from wirebook.specs.wire.records import batch as batches
from wirebook.specs.wire.records import message as messages
from wirebook.specs.wire.records.model import Batch, Damaged, MessageSetEntry, RecordsEntry

# Both formats begin with an offset and the length of the rest, and have their magic at the same place.
LENGTH_AT, LENGTH_END, MAGIC_AT = 8, 12, 16
LEAST = {**messages.LEAST, batches.MAGIC: batches.HEADER}


def write_entries(entries: Iterable[RecordsEntry]) -> bytes:
    """Encode batches and messages, one after another. Raises InputError if a package is missing."""
    return b"".join(
        batches.write_batch(entry)
        if isinstance(entry, Batch)
        else messages.write_message(entry)
        if isinstance(entry, MessageSetEntry)
        else entry.data
        for entry in entries
    )


def read_entries(data: bytes) -> list[RecordsEntry]:
    """Decode the content of a field of type records; what is not an intact batch or message is `Damaged`.

    Raises InputError if the compression of a batch needs a missing package.
    """
    return [_read(data, start, end, wrong) for start, end, wrong in split(data)]


def split(data: bytes) -> Iterator[tuple[int, int, WireError | None]]:
    """The start and the end of each entry in `data`, and the reason if its bytes are not one.

    A truncated entry ends after the bytes. Without a usable length, the rest is one entry.
    """
    at, size = 0, len(data)
    while at < size:
        if size - at < LENGTH_END:
            yield at, at + batches.HEADER, None
            return
        (length,) = unpack_from(">i", data, at + LENGTH_AT)
        end = at + LENGTH_END + length
        magic = data[at + MAGIC_AT] if at + MAGIC_AT < size else None
        if end - at < LEAST.get(0 if magic is None else magic, LEAST[0]):
            yield at, size, WireError(f"a length of {length} is too small", at + LENGTH_AT)
            return
        if magic is not None and magic not in LEAST:
            yield at, min(end, size), WireError(f"magic {magic} is not known; 2 is the last", at + MAGIC_AT)
        else:
            yield at, end, None
        at = end


def _read(data: bytes, start: int, end: int, wrong: WireError | None) -> RecordsEntry:
    part = data[start:end]
    if wrong is not None:
        return Damaged(part, str(wrong))
    whole = end - start
    entry, bad = _decoded(part) if len(part) > MAGIC_AT else (None, None)
    if len(part) < whole:
        present = f"{len(part)} of {some_bytes(whole)}" if len(part) >= LENGTH_END else some_bytes(len(part))
        return Damaged(part, f"the bytes end after {present} of a batch", entry, cut=True)
    if bad is not None:
        if bad.offset is not None:
            bad.offset += start
        return Damaged(part, str(bad), entry)
    assert entry is not None
    return entry


def _decoded(part: bytes) -> tuple[Batch | MessageSetEntry | None, WireError | None]:
    if part[MAGIC_AT] == batches.MAGIC:
        return batches.read_batch(part)
    return messages.read_message(part)
