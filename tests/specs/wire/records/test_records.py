"""Record batches to bytes and back, whole, cut off, corrupt and hostile."""

from __future__ import annotations

import re
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.specs.wire.records.record_values import KINDS, batches
from wirebook.specs.limits import MAX_UNPACKED
from wirebook.specs.problems import InputError
from wirebook.specs.records.checksums import crc32c
from wirebook.specs.records.compression import compress, decompress
from wirebook.specs.records.reading import explain_records, read_records
from wirebook.specs.records.writing import write_records
from wirebook.specs.spans import WireError

SMALL: dict[str, Any] = {
    "BaseOffset": 42,
    "Records": [
        {"Key": "6b31", "Value": "68656c6c6f", "Headers": [{"Key": "h", "Value": None}]},
        {"TimestampDelta": 5},
    ],
}
some = st.lists(batches, max_size=3)


# Whole


@given(some)
def test_what_is_written_is_read_and_each_byte_explained(made: list[Any]) -> None:
    data = write_records(made)
    assert read_records(data) == made
    spans = explain_records(data)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(data)
    assert all(span.kind != "unknown" and span.end > span.start for span in spans)


# Cut off


@given(some, st.data())
def test_what_is_before_the_cut_is_read(made: list[Any], data: st.DataObject) -> None:
    whole = write_records(made)
    end = data.draw(st.integers(0, len(whole)))
    found = read_records(whole[:end])
    assert write_records(list(found)) == whole[:end]
    if found and "Partial" in found[-1]:
        assert "bytes end" in str(found.pop()["Partial"])
    assert found == made[: len(found)]


# Corrupt


def _sealed(data: bytes) -> bytes:
    """A batch with the length and the checksum that its bytes need."""
    length = (len(data) - 12).to_bytes(4, "big")
    return data[:8] + length + data[12:17] + crc32c(data[21:]).to_bytes(4, "big") + data[21:]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # An unknown compression, a count that is too large, too small, negative.
        ("CRC0000", "CRC0007", "byte 21: compression 7 is not known"),
        ("0000000220", "0000000320", r"byte 85: Records\[2\]: the bytes end within a varint"),
        (
            "0000000220",
            "0000000120",
            r"byte 78: Records\[1\]: .*ends here, but 7 bytes are left over",
        ),
        ("0000000220", "fffffffe20", "byte 57: Records: a count of -2 records"),
        # The length of a record, of its key, and the number of its headers.
        (
            "0000000220",
            "0000000222",
            r"Records\[0\]: the record ends here, but its length has 1 byte more",
        ),
        ("046b31", "036b31", r"byte 65: Records\[0\].Key: a length of -2: -1 "),
        ("046b31", "7e6b31", r"Records\[0\].Key: 63 bytes should be here, but 12 are left"),
        (
            "02026801",
            "02016801",
            r"Records\[0\].Headers\[0\].Key: null, but it is not nullable",
        ),
        (
            "02026801",
            "03026801",
            r"Records\[0\].Headers: a length of -2: -1 .null. is the only negative",
        ),
    ],
)
def test_content_that_contradicts_itself_is_said_with_its_place(
    old: str, new: str, problem: str
) -> None:
    text = write_records([SMALL]).hex()
    old, new = (part.replace("CRC", text[34:42]) for part in (old, new))
    assert text.count(old) == 1
    data = _sealed(bytes.fromhex(text.replace(old, new)))
    [found] = read_records(data)
    assert re.search(problem, str(found["Error"]))
    assert found["Hex"] == data.hex()
    spans = explain_records(data)
    assert [span.start for span in spans[1:]] == [span.end for span in spans[:-1]]
    assert spans[-1].end == len(data)


def test_a_wrong_checksum_is_said_and_the_rest_still_read() -> None:
    data = bytearray(write_records([SMALL, SMALL]))
    data[70] ^= 1
    first, second = read_records(bytes(data))
    assert str(first["Error"]).startswith("byte 17: CRC-32C is ")
    assert first["Hex"] == data[: len(data) // 2].hex()
    assert "Error" not in second


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("00" * 11, "the bytes end after 11 bytes of a batch"),
        ("00" * 40, "byte 8: a length of 0 is too small"),
        (
            "00" * 11 + "50" + "00" * 4 + "03" + "00" * 80,
            "byte 16: magic 3 is not known; 2 is the last",
        ),
        ("00" * 11 + "0e" + "00" * 4 + "00" + "07" + "ff" * 8, "CRC-32 is 00000000"),
    ],
)
def test_what_is_no_batch_is_kept(data: str, problem: str) -> None:
    item = read_records(bytes.fromhex(data))[0]
    assert problem in str(item.get("Error") or item.get("Partial"))
    assert write_records([item]) == bytes.fromhex(data)[: len(str(item["Hex"])) // 2]


# Compressed


@pytest.mark.parametrize("kind", KINDS)
def test_each_compression_gives_back_what_it_got(kind: str) -> None:
    for data in (b"", b"a", b"ab" * 40_000, bytes(range(256)) * 300):
        assert decompress(compress(data, kind), kind) == data


@pytest.mark.parametrize("kind", ["gzip", "lz4", "zstd"])
def test_a_bomb_costs_a_line(kind: str) -> None:
    bomb = compress(bytes(MAX_UNPACKED * 4), kind)
    with pytest.raises(WireError, match=r"decompress to more than \d+ MiB"):
        decompress(bomb, kind)


@pytest.mark.parametrize(
    ("plain", "count"),
    [
        (b"\x0c\0\0\0\x01\x01\0" * 800_000, 800_000),
        # One record with two million headers.
        (b"\x8c\x92\xf4\x01\0\0\0\x01\x01\x80\x92\xf4\x01" + b"\0\x01" * 2_000_000, 1),
    ],
)
def test_ten_kilobytes_of_tiny_records_cost_little(plain: bytes, count: int) -> None:
    packed = compress(plain, "gzip")
    assert len(packed) < 10_000
    whole = bytearray(write_records([{"Compression": "gzip"}]))[:61] + packed
    whole[57:61] = count.to_bytes(4, "big")
    tracemalloc.start()
    [item] = read_records(_sealed(bytes(whole)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "too many records and headers" in str(item["Error"])
    assert peak < 50 << 20


def test_a_missing_package_is_one_line_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    for kind in ("snappy", "lz4", "zstd"):
        with pytest.raises(
            InputError, match=r"needs the package cramjam: install wirebook\[records\]"
        ):
            compress(b"a", kind)
        with pytest.raises(InputError, match=r"needs the package cramjam"):
            decompress(b"\0", kind)
