"""Messages of magic 0 and 1 that are damaged: what is read of them, and what is reported."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import pytest

from wirebook.specs.wire.records.message import LEAST, PREFIX, read_message, write_message
from wirebook.specs.wire.records.model import Compression, MessageSetEntry

GZIP = Compression.GZIP.value
PLAIN = MessageSetEntry(1, 7, 0, 1_700_000_000_000, b"key", b"value")
OUTER = MessageSetEntry(1, 8, GZIP, 5, None, None, (replace(PLAIN, offset=0), replace(PLAIN, offset=1)))


def problem(data: bytes) -> str:
    """The first problem of a message."""
    _, wrong = read_message(data)
    assert wrong is not None
    return str(wrong)


def sealed(data: bytes) -> bytes:
    """A message with a length and a checksum that fit its bytes."""
    return data[:8] + (len(data) - 12).to_bytes(4, "big") + crc32(data[16:]).to_bytes(4, "big") + data[16:]


@pytest.mark.parametrize(
    "message", [PLAIN, OUTER, replace(PLAIN, magic=0, timestamp=-1, key=None, value=None)]
)
def test_an_intact_message_is_read_as_it_was_written(message: MessageSetEntry) -> None:
    data = write_message(message)
    assert sealed(data) == data
    assert read_message(data) == (message, None)


@pytest.mark.parametrize("magic", [0, 1])
def test_a_message_without_key_and_value_is_the_shortest(magic: int) -> None:
    data = write_message(MessageSetEntry(magic))
    assert len(data) == LEAST[magic] == (26, 34)[magic]
    for size in (0, PREFIX.size + 1, LEAST[magic] - 1):
        message, wrong = read_message(data[:size])
        least = LEAST[magic if size > PREFIX.size + 1 else 0]
        assert message is None
        assert str(wrong).startswith(f"byte 0: {least} bytes should be here, but ")


def test_a_changed_byte_is_reported_and_the_rest_is_read() -> None:
    data = write_message(PLAIN)
    changed = data[:-1] + b"E"
    message, wrong = read_message(changed)
    assert message == replace(PLAIN, value=b"valuE")
    ours, theirs = crc32(data[16:]), crc32(changed[16:])
    assert str(wrong) == f"byte 12: CRC-32 is {ours:08x}, but the bytes have {theirs:08x}"


@pytest.mark.parametrize(
    ("at", "size", "words"),
    [
        (26, -2, "byte 26: Key: a length of -2: -1 (null) is the only negative length"),
        (26, 1 << 20, "byte 30: Key: 1048576 bytes should be here, but 12 are left"),
        (33, 6, "byte 37: Value: 6 bytes should be here, but 5 are left"),
        (33, 4, "byte 41: the message ends here, but 1 byte is left over"),
    ],
)
def test_a_length_that_does_not_fit_is_reported(at: int, size: int, words: str) -> None:
    data = write_message(PLAIN)
    assert problem(sealed(data[:at] + size.to_bytes(4, "big", signed=True) + data[at + 4 :])) == words


def test_what_cannot_be_decompressed_is_reported() -> None:
    unknown = write_message(replace(PLAIN, attributes=5))
    assert problem(unknown) == "compression 5 is not known; 4 (zstd) is the last"
    null = write_message(replace(PLAIN, attributes=GZIP, value=None))
    assert problem(null) == "Value: null, but this message is compressed"
    twice = write_message(replace(OUTER, messages=(PLAIN, OUTER)))
    assert problem(twice) == "Messages[1]: a compressed message within a compressed one"
    mixed = write_message(replace(OUTER, messages=(PLAIN, replace(PLAIN, magic=0))))
    assert problem(mixed) == f"Messages[1]: byte {len(write_message(PLAIN))} of what it holds: " + (
        "magic 0 within a message of magic 1"
    )
