"""Random record batches, and the packages that some of their compressions need."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from hypothesis import strategies as st

from wirebook.specs.records.compression import COMPRESSIONS

# What this machine can compress.
KINDS = COMPRESSIONS if find_spec("cramjam") else COMPRESSIONS[:2]


def ints(bits: int) -> st.SearchStrategy[int]:
    """Signed integers of that many bits."""
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


def header(key: bytes, value: str | None) -> dict[str, Any]:
    """A header: its key is text if it can be."""
    try:
        return {"Key": key.decode(), "Value": value}
    except UnicodeDecodeError:
        return {"KeyBytes": key.hex(), "Value": value}


blobs = st.none() | st.binary(max_size=40).map(bytes.hex)
records = st.fixed_dictionaries(
    {
        "TimestampDelta": ints(64),
        "OffsetDelta": ints(32),
        "Key": blobs,
        "Value": blobs,
        "Headers": st.lists(st.builds(header, st.binary(max_size=12), blobs), max_size=3),
    },
    optional={"Attributes": ints(8).filter(bool)},
)
batches = st.fixed_dictionaries(
    {
        "BaseOffset": ints(64),
        "PartitionLeaderEpoch": ints(32),
        "Magic": st.just(2),
        "Compression": st.sampled_from(KINDS),
        "TimestampType": st.sampled_from(["CreateTime", "LogAppendTime"]),
        "Transactional": st.booleans(),
        "Control": st.booleans(),
        "DeleteHorizon": st.booleans(),
        "LastOffsetDelta": ints(32),
        "BaseTimestamp": ints(64),
        "MaxTimestamp": ints(64),
        "ProducerId": ints(64),
        "ProducerEpoch": ints(16),
        "BaseSequence": ints(32),
        "Records": st.lists(records, max_size=4),
    },
    optional={"ReservedAttributes": st.integers(1, 511).map(lambda bits: bits << 7)},
)

# What any client writes: keys of headers are text, records have no attributes, offsets and times
# fit.
common_records = st.fixed_dictionaries(
    {
        "TimestampDelta": ints(32),
        "OffsetDelta": st.integers(0, 100),
        "Key": blobs,
        "Value": blobs,
        "Headers": st.lists(st.fixed_dictionaries({"Key": st.text(max_size=8), "Value": blobs})),
    }
)
common_batches = st.fixed_dictionaries(
    {
        "BaseOffset": st.integers(0, 1 << 60),
        "Compression": st.sampled_from(["none", "gzip"]),
        "TimestampType": st.sampled_from(["CreateTime", "LogAppendTime"]),
        "Transactional": st.booleans(),
        "LastOffsetDelta": st.integers(100, 200),
        "BaseTimestamp": st.integers(1 << 40, 1 << 50),
        "ProducerId": st.integers(0, 1 << 62),
        "ProducerEpoch": st.integers(0, (1 << 15) - 1),
        "BaseSequence": st.integers(0, 1 << 30),
        "Records": st.lists(common_records, min_size=1, max_size=4),
    }
)
