"""How much the records of one message may unpack to: a compressed batch can be a bomb."""

from __future__ import annotations

from dataclasses import dataclass

from wirebook.specs.limits import MAX_RECORDS, MAX_UNPACKED
from wirebook.specs.wire.scalars import WireError


@dataclass(slots=True)
class Budget:
    """What is left, for all batches of a message together."""

    unpacked: int = MAX_UNPACKED
    records: int = MAX_RECORDS

    def unpack(self, size: int) -> None:
        """Count bytes that were decompressed. Raises WireError where they are too many."""
        if size > self.unpacked:
            raise WireError(too_large())
        self.unpacked -= size

    def record(self) -> None:
        """Count a record or message. Raises WireError where they are too many."""
        if not self.records:
            raise WireError(f"more than {MAX_RECORDS:,} records in one message")
        self.records -= 1


def too_large() -> str:
    """What to say of records that unpack to more than the budget has left."""
    return f"the records of one message unpack to more than {MAX_UNPACKED >> 20} MiB"
