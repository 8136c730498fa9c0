"""Random record batches and messages, and the packages that some of their compressions need."""

from __future__ import annotations

from importlib.util import find_spec

from hypothesis import strategies as st

from wirebook.specs.wire.records.model import (
    COMPRESSION_BITS,
    Batch,
    Compression,
    MessageSetEntry,
    Record,
    RecordHeader,
)

# What this machine can compress.
KINDS = tuple(kind for kind in Compression if find_spec("cramjam") or kind < Compression.SNAPPY)


def ints(bits: int) -> st.SearchStrategy[int]:
    """Signed integers of that many bits."""
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


blobs = st.none() | st.binary(max_size=40)
headers = st.builds(RecordHeader, st.binary(max_size=12), blobs)
records = st.builds(
    Record,
    offset_delta=ints(32),
    timestamp_delta=ints(64),
    key=blobs,
    value=blobs,
    headers=st.lists(headers, max_size=3).map(tuple),
    attributes=ints(8),
)
attributes = st.builds(
    lambda kind, rest: kind | rest << 3, st.sampled_from(KINDS), st.integers(-(1 << 12), (1 << 12) - 1)
)
batches = st.builds(
    Batch,
    base_offset=ints(64),
    partition_leader_epoch=ints(32),
    attributes=attributes,
    last_offset_delta=ints(32),
    base_timestamp=ints(64),
    max_timestamp=ints(64),
    producer_id=ints(64),
    producer_epoch=ints(16),
    base_sequence=ints(32),
    records=st.lists(records, max_size=4).map(tuple),
)

# What any client writes: keys of headers are text, records have no attributes, offsets and times fit.
common_records = st.builds(
    Record,
    offset_delta=st.integers(0, 100),
    timestamp_delta=ints(32),
    key=blobs,
    value=blobs,
    headers=st.lists(st.builds(RecordHeader, st.text(max_size=8).map(str.encode), blobs), max_size=3).map(
        tuple
    ),
)
common_batches = st.builds(
    Batch,
    base_offset=st.integers(0, 1 << 60),
    partition_leader_epoch=ints(32),
    attributes=st.builds(
        lambda kind, bits: kind | bits, st.sampled_from((0, 1)), st.sampled_from((0, 0x08, 0x10, 0x18))
    ),
    last_offset_delta=st.integers(100, 200),
    base_timestamp=st.integers(1 << 40, 1 << 50),
    max_timestamp=st.integers(1 << 40, 1 << 50),
    producer_id=st.integers(0, 1 << 62),
    producer_epoch=st.integers(0, (1 << 15) - 1),
    base_sequence=st.integers(0, 1 << 30),
    records=st.lists(common_records, min_size=1, max_size=4).map(tuple),
)


def _plain(magic: int) -> st.SearchStrategy[MessageSetEntry]:
    return st.builds(
        MessageSetEntry,
        st.just(magic),
        offset=ints(64),
        attributes=st.integers(-16, 15).map(lambda number: number << 3),
        timestamp=ints(64) if magic else st.just(-1),
        key=blobs,
        value=blobs,
    )


def _packed(magic: int) -> st.SearchStrategy[MessageSetEntry]:
    kinds = [kind for kind in KINDS if kind & COMPRESSION_BITS]
    return st.builds(
        MessageSetEntry,
        st.just(magic),
        offset=ints(64),
        attributes=st.sampled_from(kinds).map(int),
        timestamp=ints(64) if magic else st.just(-1),
        key=blobs,
        messages=st.lists(_plain(magic), max_size=3).map(tuple),
    )


messages = st.sampled_from((0, 1)).flatmap(lambda magic: _plain(magic) | _packed(magic))
entries = st.lists(batches | messages, max_size=3)
