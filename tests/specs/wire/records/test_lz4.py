"""The headers of LZ4 frames: where they end, and which bytes their checksum covers."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.records import lz4
from wirebook.specs.wire.records.checksums import xxhash32
from wirebook.specs.wire.scalars import WireError

SHORT = "this is not lz4 (a frame begins with 04 22 4d 18)"
CUT = "this is not lz4 (its header is truncated)"


@pytest.mark.parametrize(("flags", "end"), [(0x60, 6), (0x68, 14), (0x61, 10), (0x69, 18), (0xF6, 6)])
def test_a_header_ends_behind_what_its_flags_announce(flags: int, end: int) -> None:
    data = lz4.MAGIC + bytes([flags]) + bytes(range(1, 30))
    assert lz4.header_end(data) == lz4.header_end(data[: end + 1]) == end
    with pytest.raises(WireError) as caught:
        lz4.header_end(data[:end])
    assert str(caught.value) == (SHORT if end < 7 else CUT)
    # The first four bytes are covered by the checksum of magic 0 alone.
    assert lz4.checksum(data, end) == xxhash32(data[4:end]) >> 8 & 0xFF
    assert lz4.broken_checksum(data, end) == xxhash32(data[:end]) >> 8 & 0xFF
    for change, checksum in ((lz4.repaired, lz4.checksum), (lz4.broken, lz4.broken_checksum)):
        changed = change(data)
        assert (changed[:end], changed[end + 1 :]) == (data[:end], data[end + 1 :])
        assert changed[end] == checksum(data, end)


@pytest.mark.parametrize(
    "data", [b"", lz4.MAGIC, lz4.MAGIC + b"\x60\x40", b"\x03" + lz4.MAGIC[1:] + b"\x60\x40\0"]
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(WireError) as caught:
        lz4.header_end(data)
    assert str(caught.value) == SHORT
