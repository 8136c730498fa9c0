"""Streams are decompressed block by block, whatever sizes are asked for."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from wirebook.specs.problems import InputError
from wirebook.specs.sources.unpacking import unpack

TEXT = bytes(number % 251 for number in range(200_000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "tar": bytes
}  # fmt: skip


def content(packed: bytes, kind: str, count: int) -> bytes:
    """All that a stream gives, asked for some bytes at a time."""
    stream, found = unpack(io.BytesIO(packed), kind), []
    while block := stream.read(count):
        assert len(block) <= count
        found.append(block)
    assert stream.read(count) == b""
    return b"".join(found)


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("count", [1_000, 65_536, 1 << 20])
def test_a_stream_gives_its_content_in_any_pieces(kind: str, count: int) -> None:
    packed = PACKERS[kind](TEXT)
    assert content(packed, kind, count) == TEXT
    assert unpack(io.BytesIO(packed), kind).read(0) == b""
    assert content(packed + packed, kind, count) == TEXT + TEXT


@pytest.mark.parametrize("kind", ["bzip2", "xz"])
def test_streams_end_with_zeros_or_are_truncated(kind: str) -> None:
    packed = PACKERS[kind](TEXT)
    assert content(packed + bytes(8), kind, 1 << 20) == TEXT
    for text in (packed[:-1], packed + packed[:-1], b"", packed[: len(packed) // 2]):
        with pytest.raises(EOFError, match="it is truncated"):
            content(text, kind, 1 << 20)
    with pytest.raises((OSError, lzma.LZMAError)):
        content(packed + b"words", kind, 1 << 20)


class Decompressor:
    """That of a module for zstd, with zlib's bytes."""

    def __init__(self, options: dict[str, int]) -> None:
        assert options == {"window": 27}
        self._inner = zlib.decompressobj()
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(found) < max_length
        return found


def module() -> Any:
    made: Any = ModuleType("zstd")
    made.DecompressionParameter = SimpleNamespace(window_log_max="window")
    made.ZstdDecompressor = Decompressor
    return made


@pytest.mark.parametrize("name", ["compression.zstd", "backports.zstd"])
def test_zstd_is_that_of_python_or_of_its_backport(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, other, None)
    with pytest.raises(InputError, match=r"^to read zstd, use Python 3.14, or: pip install backports.zstd$"):
        unpack(io.BytesIO(b""), "zstd")
    monkeypatch.setitem(sys.modules, name.partition(".")[0], ModuleType("package"))
    monkeypatch.setitem(sys.modules, name, module())
    packed = zlib.compress(TEXT)
    for count in (1_000, 1 << 20):
        assert content(packed + packed, "zstd", count) == TEXT + TEXT
