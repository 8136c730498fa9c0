"""How much the records of one message may decompress to: a compressed batch can be a bomb."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.specs.limits import BYTES_PER_RECORD, MAX_RECORDS, MAX_UNPACKED, UNPACKED_PER_BYTE
from wirebook.specs.wire.scalars import WireError


@dataclass(slots=True)
class Budget:
    """What is left, for all batches of a message together: more for a message that is large itself."""

    unpacked: int = MAX_UNPACKED
    records: int = MAX_RECORDS

    def grow(self, size: int) -> None:
        """Allow for what records of that many bytes may come to."""
        self.unpacked += UNPACKED_PER_BYTE * size
        self.records += size // BYTES_PER_RECORD

    def unpack(self, size: int) -> None:
        """Count bytes that were decompressed. Raises WireError if they are too many."""
        if size > self.unpacked:
            raise WireError(TOO_LARGE)
        self.unpacked -= size

    def record(self) -> None:
        """Count a record, a message or a header. Raises WireError if they are too many."""
        if not self.records:
            raise WireError(TOO_MANY)
        self.records -= 1


TOO_LARGE = (
    f"the records decompress to more than {MAX_UNPACKED >> 20} MiB and {UNPACKED_PER_BYTE} times their size"
)
TOO_MANY = f"more than {MAX_RECORDS:,} records, and one for every {BYTES_PER_RECORD} bytes, in one message"
