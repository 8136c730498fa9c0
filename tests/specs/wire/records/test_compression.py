"""Compressed records: within their budget, and what is wrong with other bytes."""

from __future__ import annotations

import pytest

from tests.specs.wire.records.record_values import needs_cramjam
from wirebook.specs.wire.records.budget import RecordsBudget
from wirebook.specs.wire.records.compression import compress, decompress
from wirebook.specs.wire.records.model import Compression
from wirebook.specs.wire.scalars import WireError


@pytest.mark.parametrize("kind", [Compression.GZIP, *(Compression.SNAPPY, Compression.LZ4, Compression.ZSTD)])
@needs_cramjam
def test_a_budget_is_used_up_to_the_last_byte(kind: Compression) -> None:
    # A field before may have used up everything.
    assert decompress(compress(b"", kind), kind, RecordsBudget(unpacked=0)) == b""
    for data in (b"x" * 100, bytes(range(256)) * 300):
        packed = compress(data, kind)
        budget = RecordsBudget(unpacked=len(data))
        assert decompress(packed, kind, budget) == data
        assert budget.unpacked == 0
        with pytest.raises(WireError, match=r"^the records decompress to more than 4 MiB and 64 times"):
            decompress(packed, kind, RecordsBudget(unpacked=len(data) - 1))
    assert decompress(b"as it is", Compression.NONE, RecordsBudget(unpacked=0)) == b"as it is"


def test_gzip_says_what_is_wrong() -> None:
    packed = compress(b"abc", Compression.GZIP)
    for data, words in (
        (packed[:-1], "this is not gzip (it is truncated)"),
        (b"", "this is not gzip (it is truncated)"),
        (b"xyz", "this is not gzip (incorrect header check)"),
        (packed + b"xyz", "this is not gzip (incorrect header check)"),
    ):
        with pytest.raises(WireError) as caught:
            decompress(data, Compression.GZIP, RecordsBudget())
        assert str(caught.value) == words
    both = packed + compress(b"de", Compression.GZIP)
    assert decompress(both, Compression.GZIP, RecordsBudget(unpacked=5)) == b"abcde"
    with pytest.raises(WireError, match="more than 4 MiB"):
        decompress(both, Compression.GZIP, RecordsBudget(unpacked=4))
