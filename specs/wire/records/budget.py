"""Limits the decompressed size of the records in a message: a compressed batch can be a bomb."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.specs.limits import BYTES_PER_RECORD, MAX_RECORDS, MAX_UNPACKED, UNPACKED_PER_BYTE
from wirebook.specs.wire.scalars import WireError


@dataclass(slots=True)
class RecordsBudget:
    """The remaining budget, for all batches of a message together: a larger message gets a larger one."""

    unpacked: int = MAX_UNPACKED
    records: int = MAX_RECORDS

    def grow(self, size: int) -> None:
        """Add the allowance for records of this many bytes."""
        self.unpacked += UNPACKED_PER_BYTE * size
        self.records += size // BYTES_PER_RECORD

    def unpack(self, size: int) -> None:
        """Count decompressed bytes. Raises WireError if there are too many."""
        if size > self.unpacked:
            raise WireError(TOO_LARGE)
        self.unpacked -= size

    def record(self) -> None:
        """Count a record, a message or a header. Raises WireError if there are too many."""
        if not self.records:
            raise WireError(TOO_MANY)
        self.records -= 1


TOO_LARGE = (
    f"the records decompress to more than {MAX_UNPACKED >> 20} MiB and {UNPACKED_PER_BYTE} times their size"
)
TOO_MANY = f"more than {MAX_RECORDS:,} records, and one for every {BYTES_PER_RECORD} bytes, in one message"
