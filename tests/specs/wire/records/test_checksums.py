"""The checksums agree with their published check values, and the table with the package in C."""

from __future__ import annotations

import crc32c as faster
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebook.specs.records.checksums import crc32c


# RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
)
def test_crc32c_has_its_published_values(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum


@given(st.binary(max_size=300))
def test_the_table_agrees_with_the_package_in_c(data: bytes) -> None:
    assert crc32c(data) == faster.crc32c(data)
