"""Compressed records: what is wrong with other bytes."""

from __future__ import annotations

import pytest

from wirebook.specs.wire.records.compression import compress, decompress
from wirebook.specs.wire.records.model import Compression
from wirebook.specs.wire.scalars import WireError


def test_gzip_says_what_is_wrong() -> None:
    packed = compress(b"abc", Compression.GZIP)
    for data, words in (
        (packed[:-1], "this is not gzip (it is truncated)"),
        (b"", "this is not gzip (it is truncated)"),
        (b"xyz", "this is not gzip (incorrect header check)"),
        (packed + b"xyz", "this is not gzip (incorrect header check)"),
    ):
        with pytest.raises(WireError) as caught:
            decompress(data, Compression.GZIP)
        assert str(caught.value) == words
    both = packed + compress(b"de", Compression.GZIP)
    assert decompress(both, Compression.GZIP) == b"abcde"
