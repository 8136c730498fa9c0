"""Decompresses files block by block and in bounded memory: gzip, bzip2, xz and zstd."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any, Protocol

from wirebook.specs.limits import MAX_XZ_MEMORY
from wirebook.specs.problems import InputError

# The strongest preset of xz takes 65 MiB.
_BLOCK = 64 << 10
_ZSTD = ("compression.zstd", "backports.zstd")


class Readable(Protocol):
    """A stream that can be read from its beginning to its end."""

    def read(self, count: int, /) -> bytes:
        """Up to `count` bytes; none at the end."""


def unpack(file: IO[bytes], kind: str) -> Readable:
    """The content of a file compressed with gzip, bzip2, xz or zstd; for any other `kind`, the file itself.

    Raises InputError if zstd is not supported here. Reading the result raises EOFError for a truncated file,
    and OSError, ValueError or lzma.LZMAError for a damaged one.
    """
    if kind == "gzip":
        return gzip.open(file)
    if kind == "bzip2":
        return _Unpacked(file, bz2.BZ2Decompressor)
    if kind == "xz":
        return _Unpacked(file, lambda: lzma.LZMADecompressor(memlimit=MAX_XZ_MEMORY))
    if kind == "zstd":
        return _Unpacked(file, _zstd())
    return file


def _zstd() -> Callable[[], Any]:
    """The factory of zstd decompressors: from Python 3.14, or from its backport."""
    for name in _ZSTD:
        try:
            module = import_module(name)
        except ImportError:
            continue

        def make(module: Any = module) -> Any:
            # 2^27 is the largest window that decoders must support (RFC 8878).
            options = {module.DecompressionParameter.window_log_max: 27}
            return module.ZstdDecompressor(options=options)

        return make
    raise InputError("to read zstd, use Python 3.14, or: pip install backports.zstd")


class _Unpacked:
    """One or more compressed streams, one after the other, as their tools write and read them."""

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
                # Zeros may pad the last block of xz.
                if not self._held.strip(b"\0"):
                    return b""
                self._decoder = self._make()
            if self._decoder.needs_input:
                self._held = self._held or self._file.read(_BLOCK)
                if not self._held:
                    raise EOFError("it is truncated")
            data: bytes = self._decoder.decompress(self._held, max_length=count)
            self._held = b""
            if data:
                return data
        return b""
