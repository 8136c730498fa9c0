"""The framing of Snappy: where blocks begin and end, and bytes that end within one."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.records.xerial import BLOCK, HEADER, MAGIC, VERSIONS, blocks, is_framed, pack
from wirebook.specs.wire.scalars import WireError

HEAD = MAGIC + VERSIONS


def framed(*parts: bytes) -> bytes:
    """The header, and each block after its length."""
    return HEAD + b"".join(len(part).to_bytes(4, "big") + part for part in parts)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (HEAD, []),
        (framed(b""), [b""]),
        (framed(b"ab", b"", b"cde"), [b"ab", b"", b"cde"]),
        (framed(b"ab") + framed(b"c"), [b"ab", b"c"]),
        (framed() + framed(b"c"), [b"c"]),
    ],
)
def test_each_block_is_behind_its_length(data: bytes, found: list[bytes]) -> None:
    assert [data[start:end] for start, end in blocks(data)] == found
    assert is_framed(data)
    assert not is_framed(data[1:])
    assert not is_framed(data[: len(MAGIC) - 1])


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (b"\0", f"byte {HEADER}: 4 bytes should be here, but 1 is left"),
        (b"\0\0\0", f"byte {HEADER}: 4 bytes should be here, but 3 are left"),
        (b"\0\0\0\2", f"byte {HEADER + 4}: 2 bytes should be here, but none are left"),
        (b"\0\0\0\2a", f"byte {HEADER + 4}: 2 bytes should be here, but 1 is left"),
        (b"\xff\xff\xff\xff", f"byte {HEADER}: a Snappy block of -1 bytes"),
        (b"\0\0\0\1a\0", f"byte {HEADER + 5}: 4 bytes should be here, but 1 is left"),
    ],
)
def test_bytes_that_end_within_a_block_are_refused(rest: bytes, words: str) -> None:
    with pytest.raises(WireError) as caught:
        list(blocks(HEAD + rest))
    assert str(caught.value) == words


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_content_is_cut_into_blocks(size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    packed = pack(data, lambda block: block)
    parts = [packed[start:end] for start, end in blocks(packed)]
    assert b"".join(parts) == data
    assert [len(part) for part in parts] == [min(BLOCK, size - start) for start in range(0, size, BLOCK)]
