"""What the records of a message may take: the limit itself is allowed, one more is not."""

from __future__ import annotations

import pytest

from wirebook.specs.limits import BYTES_PER_RECORD, MAX_RECORDS, MAX_UNPACKED, UNPACKED_PER_BYTE
from wirebook.specs.wire.records.budget import RecordsBudget
from wirebook.specs.wire.scalars import WireError


def test_bytes_and_records_are_counted_down_to_nothing() -> None:
    budget = RecordsBudget(unpacked=10, records=2)
    budget.unpack(4)
    budget.unpack(0)
    assert budget.unpacked == 6
    with pytest.raises(WireError, match="decompress to more than 4 MiB and"):
        budget.unpack(7)
    assert budget.unpacked == 6
    budget.unpack(6)
    assert budget.unpacked == 0
    budget.record()
    assert budget.records == 1
    budget.record()
    with pytest.raises(WireError, match=f"^more than {MAX_RECORDS:,} records, and one for every"):
        budget.record()


def test_a_larger_message_may_take_more() -> None:
    budget = RecordsBudget()
    assert (budget.unpacked, budget.records) == (MAX_UNPACKED, MAX_RECORDS)
    budget.grow(BYTES_PER_RECORD - 1)
    assert budget.records == MAX_RECORDS
    budget.grow(3 * BYTES_PER_RECORD)
    assert budget.records == MAX_RECORDS + 3
    assert budget.unpacked == MAX_UNPACKED + UNPACKED_PER_BYTE * (4 * BYTES_PER_RECORD - 1)
