"""What comes out of a packed file, block by block and in bounded memory: gzip, bzip2, xz and zstd."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any, Protocol

from wirebook.specs.problems import InputError

# What the strongest preset of xz takes is 65 MiB.
_MAX_MEMORY = 128 << 20
_BLOCK = 64 << 10
_ZSTD = ("compression.zstd", "backports.zstd")


class Readable(Protocol):
    """What can be read from its beginning to its end."""

    def read(self, count: int, /) -> bytes:
        """Up to `count` bytes; none at the end."""


def unpack(file: IO[bytes], kind: str) -> Readable:
    """The content of a file packed by gzip, bzip2, xz or zstd; of any other `kind`, the file.

    Raises InputError if nothing here reads zstd. What is read from the result raises EOFError for a file
    that ends too early, and OSError, ValueError or lzma.LZMAError for a damaged one.
    """
    if kind == "gzip":
        return gzip.open(file)
    if kind == "bzip2":
        return _Unpacked(file, bz2.BZ2Decompressor)
    if kind == "xz":
        return _Unpacked(file, lambda: lzma.LZMADecompressor(memlimit=_MAX_MEMORY))
    if kind == "zstd":
        return _Unpacked(file, _zstd())
    return file


def _zstd() -> Callable[[], Any]:
    """What makes a decompressor: of Python 3.14, or of its backport."""
    for name in _ZSTD:
        try:
            module = import_module(name)
        except ImportError:
            continue

        def make(module: Any = module) -> Any:
            # 2^27 is the largest window that decoders have to support (RFC 8878).
            options = {module.DecompressionParameter.window_log_max: 27}
            return module.ZstdDecompressor(options=options)

        return make
    raise InputError("to read zstd, use Python 3.14, or: pip install backports.zstd")


class _Unpacked:
    """One or more packed streams, one behind the other, as their tools write and read them."""

    def __init__(self, file: IO[bytes], make: Callable[[], Any]) -> None:
        self._file = file
        self._make = make
        self._decoder = make()
        self._held = b""

    def read(self, count: int, /) -> bytes:
        """Up to `count` bytes; none at the end."""
        while count > 0:
            if self._decoder.eof:
                self._held = self._decoder.unused_data or self._file.read(_BLOCK)
                # Zeros may fill up the last block of xz.
                if not self._held.strip(b"\0"):
                    return b""
                self._decoder = self._make()
            if self._decoder.needs_input:
                self._held = self._held or self._file.read(_BLOCK)
                if not self._held:
                    raise EOFError("it ends too early")
            data: bytes = self._decoder.decompress(self._held, max_length=count)
            self._held = b""
            if data:
                return data
        return b""
